"""Bring a table's rows to a wanted state in few statements, touching only what differs.

Untouched rows stay untouched, so that history holds real changes only. Which rows are wanted is the
caller's business.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import models

Row = TypeVar("Row", bound=models.Model)
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Changes:
    """How many rows a write created, changed, left as they were and removed."""

    created: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0

    def __add__(self, other: "Changes") -> "Changes":
        return Changes(
            self.created + other.created,
            self.changed + other.changed,
            self.unchanged + other.unchanged,
            self.removed + other.removed,
        )


@dataclass(frozen=True)
class Sync(Generic[Key, Row]):
    """The rows after a synchronisation, by key, and what changed."""

    rows: dict[Key, Row]
    changes: Changes


def sync_rows(
    *,
    existing: Iterable[Row],
    key: Callable[[Row], Key],
    wanted: Mapping[Key, dict[str, Any]],
    create: Callable[[dict[str, Any]], Row],
) -> Sync[Key, Row]:
    """Create the missing and update the differing rows of `wanted` (key -> field values).

    Rows of `existing` that are not wanted are left alone. `create` builds an unsaved row from values.
    """
    have = {key(row): row for row in existing}
    new = {k: create(values) for k, values in wanted.items() if k not in have}
    differing: list[Row] = []
    fields: set[str] = set()
    for k in wanted.keys() & have.keys():
        row = have[k]
        different = {name: value for name, value in wanted[k].items() if getattr(row, name) != value}
        for name, value in different.items():
            setattr(row, name, value)
        if different:
            differing.append(row)
            fields |= different.keys()
    if new:
        model = type(next(iter(new.values())))
        model._default_manager.bulk_create(new.values())
    if differing:
        type(differing[0])._default_manager.bulk_update(differing, fields=sorted(fields))
    changes = Changes(len(new), len(differing), len(wanted) - len(new) - len(differing))
    return Sync({**have, **new}, changes)
