"""Keeps what takes long to count in the cache, under a key that changes with the rows it was counted from."""

from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache
from django.db import connection

CACHE_SECONDS = 300
STATE_OF_ROWS = """
SELECT (SELECT max(id) FROM kb_issue), (SELECT max(pgh_id) FROM kb_issuetextevent),
       (SELECT max(pgh_id) FROM kb_labelevent), (SELECT max(id) FROM kb_fix), (SELECT max(id) FROM kb_study),
       (SELECT max(pgh_id) FROM kb_nodeevent), (SELECT sum(issues) FROM kb_causelink)
"""

T = TypeVar("T")


def remembered(name: str, compute: Callable[[], T], *, seconds: int = CACHE_SECONDS) -> T:
    """What `compute` says, or said since rows last came, went or were relabelled, so many seconds ago at most."""
    with connection.cursor() as cursor:
        cursor.execute(STATE_OF_ROWS)
        state = ":".join(str(value) for value in cursor.fetchone())
    key = f"remembered:{name}:{state}"
    kept: T | None = cache.get(key)
    if kept is None:
        kept = compute()
        cache.set(key, kept, seconds)
    return kept
