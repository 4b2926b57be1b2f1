"""Asking a host over HTTP: sending, credentials, budgets, patience. What is asked is said in `github` and `gitee`,
which alone may use this package, and `ingest.hosts.connections`, which puts them together.
"""
