"""Which faults changed since a place in the order of changes. The order is made by `kb.services.fault_changes`."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Max

from kb.models import FaultChange


@dataclass(frozen=True)
class Changes:
    """The changes after a place, the earliest first; `place` is where the next ones begin."""

    rows: Sequence[FaultChange]
    place: int
    has_more: bool


class UnknownPlaceError(ValueError):
    """No change was ever given this number here: another server's place, or the database was restored."""


def changes_since(place: int, *, limit: int) -> Changes:
    """At most `limit` changes after the place. Raises `UnknownPlaceError`.

    An id stands in it once, with its last change: who was away misses states in between, and no fault.
    """
    if place > (FaultChange.objects.aggregate(last=Max("number"))["last"] or 0):
        raise UnknownPlaceError
    rows = list(FaultChange.objects.filter(number__gt=place).order_by("number")[: limit + 1])
    shown = rows[:limit]
    return Changes(shown, shown[-1].number if shown else place, len(rows) > limit)


def kind_of_change(change: FaultChange, *, since: int) -> str:
    """What it is to who has read up to `since`: `created`, `changed` or `withdrawn`."""
    if change.is_withdrawn:
        return "withdrawn"
    return "created" if change.created_number > since else "changed"
