"""Is this installation well: checks, mail, heartbeat, the database. Its pages and the search index are elsewhere.

Pages: `kb.web.health`. The index's own state: `kb.search.health`.
"""
