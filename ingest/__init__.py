"""How outside data comes in: published studies, issue dumps, and mirrors of GitHub and Gitee.

Imports `kb` and writes through its services; never imports `labeling`.
"""
