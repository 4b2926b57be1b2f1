"""Is this installation well: checks, mail, heartbeat. Pages are kb/web/health.py, the search index's own state kb/search/health.py."""
