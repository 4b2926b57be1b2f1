"""Keeps what takes long to count in the cache, under a key that changes with the rows it was counted from."""

from collections.abc import Callable, Mapping
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
    return remembered_together({name: compute}, seconds=seconds)[name]


def remembered_together(computed: Mapping[str, Callable[[], T]], *, seconds: int = CACHE_SECONDS) -> dict[str, T]:
    """The same for several names at once: the rows are looked at and the cache is asked once for all of them."""
    with connection.cursor() as cursor:
        cursor.execute(STATE_OF_ROWS)
        state = ":".join(str(value) for value in cursor.fetchone())
    keys = {name: f"remembered:{name}:{state}" for name in computed}
    kept: dict[str, T] = cache.get_many(keys.values())
    found = {name: kept[key] if key in kept else computed[name]() for name, key in keys.items()}
    missing = {key: found[name] for name, key in keys.items() if key not in kept}
    if missing:
        cache.set_many(missing, seconds)
    return found
