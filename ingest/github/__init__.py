"""GitHub: the only package that speaks HTTP to it. `host.py` is its face; what a mirror does is in `ingest.sync`."""
