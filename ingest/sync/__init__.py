"""Keeping mirrors true: runs, pages of changes, details, sweeps. How a host is asked is in `github` and `gitee`."""
