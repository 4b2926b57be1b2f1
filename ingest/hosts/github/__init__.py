"""GitHub: the only package that knows its interfaces. `host.py` is its face; what a mirror does is in `ingest.sync`."""
