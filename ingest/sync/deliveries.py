"""What is done about webhooks' deliveries: the issues that they hint at are read anew, each once however often named.

A delivery stays unhandled until what it hints at was read after it came. Whatever is in the way (a limit, another
run, a host that is down) only means later.
"""

import datetime as dt
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.utils import timezone

from ingest.hosts import Host
from ingest.hosts.connections import connect
from ingest.hosts.errors import HostError
from ingest.models import Cursor, Delivery, Mirror, SyncRun
from ingest.selectors.mirrors import find_mirror
from ingest.services.locks import BusyError, hold_alone
from ingest.services.mirrors import make_due
from ingest.sync.due_details import want_details
from ingest.sync.mirror_run import bring_up_to_date
from ingest.sync.refetch import read_some
from ingest.sync.session import detailed_kinds
from kb.models import Issue

SECONDS = 200.0
MOST_AT_ONCE = 10_000
# Above this the list of changes, 100 at a time, costs less than asking for each issue.
MANY_ISSUES = 25
GIVEN_UP_AFTER = dt.timedelta(days=1)
# What drops out of lists, and has to be asked for by its number.
OUT_OF_LISTS = frozenset({"deleted", "transferred"})


@dataclass(frozen=True)
class _Task:
    """One repository's deliveries that wait."""

    mirror: Mirror
    host: Host
    deliveries: Sequence[Delivery]
    until: float

    @property
    def seconds(self) -> float:
        return max(1.0, self.until - time.monotonic())


def handle_deliveries(*, seconds: float = SECONDS) -> None:
    """Handle what waits, for at most so long; at once only one process does."""
    try:
        with hold_alone(name="webhook deliveries", wait_seconds=0):
            _handle_waiting(time.monotonic() + seconds)
    except BusyError:
        return


def _handle_waiting(until: float) -> None:
    waiting = Delivery.objects.filter(handled_at__isnull=True).order_by("received_at", "pk")
    old = waiting.filter(received_at__lt=timezone.now() - GIVEN_UP_AFTER)
    _done(old, "Could not be read within a day; the next look at everything sees to it.")
    put_off: set[str] = set()
    while time.monotonic() < until:
        found = list(waiting.exclude(repository__in=put_off)[:MOST_AT_ONCE])
        if not found:
            return
        for (host, name), deliveries in groupby(sorted(found, key=_place), key=_place):
            if not _handle(f"https://{host}/{name}" if name else "", list(deliveries), until):
                put_off.add(name)


def _place(delivery: Delivery) -> tuple[str, str]:
    return delivery.host, delivery.repository


def _handle(url: str, deliveries: Sequence[Delivery], until: float) -> bool:
    """Handle one repository's deliveries; False when some of them have to wait."""
    _done([one for one in deliveries if one.event == "ping"], "The webhook works.")
    rest = [one for one in deliveries if one.event != "ping"]
    mirror = find_mirror(url=url) if url else None
    if mirror is None or not mirror.is_on:
        _done(rest, "Its mirror is off." if mirror else "This repository is not mirrored here.")
        return True
    _note_repository(mirror, [one for one in rest if not one.ref])
    waiting = _without_first_reading(mirror, [one for one in rest if one.ref])
    if not waiting:
        return True
    try:
        task = _Task(mirror, connect(repository=mirror.repository), waiting, until)
        return _read_list(task) if len({one.ref for one in waiting}) > MANY_ISSUES else _read_each(task)
    except (BusyError, HostError):
        return False


def _note_repository(mirror: Mirror, deliveries: Sequence[Delivery]) -> None:
    """What is said of the repository itself, its labels included, is found by the next run."""
    if deliveries:
        make_due(mirror=mirror)
        _done(deliveries, "The next run begins at once.")


def _without_first_reading(mirror: Mirror, deliveries: Sequence[Delivery]) -> Sequence[Delivery]:
    """Those that the first reading does not bring anyway; it goes from old changes to new ones."""
    if Cursor.objects.filter(mirror=mirror, is_complete=True).exists():
        return deliveries
    _done([one for one in deliveries if one.action not in OUT_OF_LISTS], "The first reading, under way, brings it.")
    return [one for one in deliveries if one.action in OUT_OF_LISTS]


def _read_each(task: _Task) -> bool:
    refs = list(dict.fromkeys(one.ref for one in task.deliveries))
    _, read = read_some(mirror=task.mirror, host=task.host, refs=refs, seconds=task.seconds)
    _done([one for one in task.deliveries if one.ref in read], "Read anew.")
    return len(read) == len(refs)


def _read_list(task: _Task) -> bool:
    """Read the list of changes, and what belongs to the named issues; by number only what lists do not show."""
    gone = [one for one in task.deliveries if one.action in OUT_OF_LISTS]
    if len({one.ref for one in gone}) < len({one.ref for one in task.deliveries}):
        rest = [one for one in task.deliveries if one.action not in OUT_OF_LISTS]
        _want_details(task, {one.ref for one in rest})
        outcome = bring_up_to_date(mirror=task.mirror, host=task.host, seconds=task.seconds)
        if outcome.run.status != SyncRun.Status.DONE:
            return False
        _done(rest, "Read with the list of changes.")
    return _read_each(_Task(task.mirror, task.host, gone, task.until)) if gone else True


def _want_details(task: _Task, refs: Iterable[str]) -> None:
    mirror, kinds = task.mirror, detailed_kinds(task.host)
    held = Issue.objects.filter(
        repository=mirror.repository, ref__in=list(refs), kind__in=kinds, deleted_at__isnull=True, moved_to=""
    ).exclude(node_id="")
    want_details(mirror=mirror, issues=held.values_list("pk", flat=True))


def _done(deliveries: Iterable[Delivery], outcome: str) -> None:
    ids = [one.pk for one in deliveries]
    if ids:
        Delivery.objects.filter(pk__in=ids).update(handled_at=timezone.now(), outcome=outcome)
