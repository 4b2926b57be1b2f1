"""ParadeDB's pg_search: BM25 inside the product's own Postgres, for installations whose servers share no disk.

`reader` answers, `writer` writes; `schema` is what both agree on, and `query` how pg_search is asked.
"""

from kb.search.backends.pg_search.reader import PgSearchBackend
from kb.search.backends.pg_search.writer import PgSearchIndex

__all__ = ["PgSearchBackend", "PgSearchIndex"]
