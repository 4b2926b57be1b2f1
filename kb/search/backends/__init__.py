"""The engines that can answer a search, behind one protocol; the setting SEARCH_ENGINE chooses.

Postgres' own full text needs no index and answers when the chosen engine cannot (`fallback`).
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from django.conf import settings

from kb.core.search.backend import Backend, EngineUnavailableError, Index, Prepared
from kb.core.search.tantivy import TantivyBackend, TantivyIndex
from kb.search.backends.fields import FIELDS
from kb.search.backends.pg_search import PgSearchBackend, PgSearchIndex
from kb.search.backends.postgres import PostgresBackend

__all__ = [
    "Backend",
    "EngineUnavailableError",
    "Index",
    "Prepared",
    "among",
    "current",
    "fallback",
    "has_index",
    "index",
]


def current() -> Backend:
    """The engine that the settings choose; one object per process and folder, since it keeps its index open."""
    return _backend(settings.SEARCH_ENGINE, settings.SEARCH_INDEX_DIR)


def index() -> Index | None:
    """A writer for that engine's index; None when it needs no index."""
    if settings.SEARCH_ENGINE == "tantivy":
        return TantivyIndex(Path(settings.SEARCH_INDEX_DIR), settings.SEARCH_WRITER_MEMORY_MB, FIELDS)
    if settings.SEARCH_ENGINE == "pg_search":
        return PgSearchIndex(settings.SEARCH_WRITER_MEMORY_MB)
    return None


def has_index() -> bool:
    """Does an engine with an index of its own answer now?"""
    engine = current()
    try:
        return not isinstance(engine, PostgresBackend) and engine.size() >= 0
    except EngineUnavailableError:
        return False


def fallback() -> Backend:
    """Postgres' own full text."""
    return PostgresBackend()


def among(ids: Sequence[int]) -> Backend:
    """Postgres, as if there were no other issues than these."""
    return PostgresBackend(ids)


@cache
def _backend(engine: str, folder: Path) -> Backend:
    if engine == "tantivy":
        return TantivyBackend(Path(folder), FIELDS)
    return PgSearchBackend() if engine == "pg_search" else PostgresBackend()
