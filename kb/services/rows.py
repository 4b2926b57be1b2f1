"""Synchronises a table's rows with wanted values in few statements.

Rows that are right already are not written, so that the history holds real changes only.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import models
from django.db.models import QuerySet

Row = TypeVar("Row", bound=models.Model)
Key = TypeVar("Key", bound=Hashable)
# Values of a model's fields by their names, as Django takes them for creating and updating rows.
FieldValues = Mapping[str, Any]


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
    """The rows after a synchronisation, by key, and the changes."""

    rows: dict[Key, Row]
    changes: Changes


def sync_rows(
    *,
    existing: Iterable[Row],
    key: Callable[[Row], Key],
    wanted: Mapping[Key, FieldValues],
    create: Callable[[dict[str, Any]], Row],
) -> Sync[Key, Row]:
    """Create the wanted rows that are missing and update those that differ.

    Rows of `existing` that are not wanted stay as they are. `create` builds an unsaved row from field values.
    """
    rows = {key(row): row for row in existing}
    new: list[Row] = []
    differing: list[Row] = []
    fields: set[str] = set()
    for wanted_key, values in wanted.items():
        if wanted_key not in rows:
            rows[wanted_key] = create(dict(values))
            new.append(rows[wanted_key])
            continue
        row = rows[wanted_key]
        changed = {name: value for name, value in values.items() if getattr(row, name) != value}
        if changed:
            for name, value in changed.items():
                setattr(row, name, value)
            differing.append(row)
            fields |= changed.keys()
    if new:
        type(new[0])._default_manager.bulk_create(new)
    if differing:
        type(differing[0])._default_manager.bulk_update(differing, fields=sorted(fields))
    return Sync(rows, Changes(len(new), len(differing), len(wanted) - len(new) - len(differing)))


def replace_rows(
    *,
    existing: QuerySet[Row],
    key: Callable[[Row], Key],
    wanted: Mapping[Key, FieldValues],
    create: Callable[[dict[str, Any]], Row],
) -> Changes:
    """Synchronise as `sync_rows` does, and delete the existing rows that are not wanted."""
    rows = list(existing)
    stale = [row.pk for row in rows if key(row) not in wanted]
    existing.model._default_manager.filter(pk__in=stale).delete()
    kept = [row for row in rows if key(row) in wanted]
    sync = sync_rows(existing=kept, key=key, wanted=wanted, create=create)
    return sync.changes + Changes(removed=len(stale))
