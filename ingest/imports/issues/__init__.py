"""Importing issue dumps in the shape of GitHub's REST API.

`shape.py` reads one object, `load.py` runs an import. Talking to a host is not done here.
"""
