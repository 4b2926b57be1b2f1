"""How outside data comes in: published studies and issue dumps today, live mirrors of GitHub and Gitee later.

Imports `kb` and writes through its services; never imports `labeling`.
"""
