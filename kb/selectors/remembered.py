"""Caches expensive counts under a key that changes with the rows they were counted from."""

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar
from uuid import uuid4

from django.core.cache import cache
from django.db import connection

CACHE_SECONDS = 300
STATE_OF_ROWS = """
SELECT (SELECT max(id) FROM kb_issue), (SELECT max(pgh_id) FROM kb_issuetextevent),
       (SELECT max(pgh_id) FROM kb_labelevent), (SELECT max(id) FROM kb_fix), (SELECT max(id) FROM kb_study),
       (SELECT max(pgh_id) FROM kb_nodeevent), (SELECT sum(issues) FROM kb_causelink),
       (SELECT max(id) FROM kb_affectedrange)
"""

T = TypeVar("T")


def remembered(name: str, compute: Callable[[], T], *, seconds: int = CACHE_SECONDS) -> T:
    """The result of `compute`, cached for so many seconds or until rows are added, deleted or relabelled."""
    return remembered_together({name: compute}, seconds=seconds)[name]


def remembered_together(computed: Mapping[str, Callable[[], T]], *, seconds: int = CACHE_SECONDS) -> dict[str, T]:
    """The results of several functions by name, with one query for the state of the rows and one look at the cache."""
    with connection.cursor() as cursor:
        cursor.execute(STATE_OF_ROWS)
        state = ":".join(str(value) for value in cursor.fetchone())
    keys = {name: f"remembered:{name}:{state}" for name in computed}
    cached: dict[str, T] = cache.get_many(keys.values())
    missing = {key: computed[name]() for name, key in keys.items() if key not in cached}
    if missing:
        cache.set_many(missing, seconds)
    values = {**cached, **missing}
    return {name: values[key] for name, key in keys.items()}


class InProcess(Generic[T]):
    """What is too large for the cache, or has functions: each process makes its own, again when `remembered` would."""

    def __init__(self, name: str, compute: Callable[[], T]) -> None:
        self._name, self._compute = name, compute
        self._kept: tuple[str, T] | None = None

    def value(self) -> T:
        """The value, made now or before."""
        stamp = remembered(f"stamp:{self._name}", lambda: uuid4().hex)
        if self._kept is None or self._kept[0] != stamp:
            self._kept = (stamp, self._compute())
        return self._kept[1]
