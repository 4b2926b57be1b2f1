"""The engine that needs no index of its own: Postgres' full text. It answers when the chosen engine cannot.

`matching` turns a request into querysets, `facets` and `words` count, `limits` ends what takes too long, `backend` puts
the answer together.
"""

from kb.search.backends.postgres.backend import PostgresBackend
from kb.search.backends.postgres.matching import ORDERS, conditioned

__all__ = ["ORDERS", "PostgresBackend", "conditioned"]
