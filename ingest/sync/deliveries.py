"""What is done about webhooks' deliveries: the issues that they hint at are read anew, each once however often named.

A delivery stays unhandled until what it hints at was read after it came. Whatever is in the way (a limit, another
run, a host that is down) only means later.
"""

import datetime as dt
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby

from django.utils import timezone

from ingest.hosts import Host
from ingest.hosts.connections import connect
from ingest.hosts.errors import HostError
from ingest.models import Cursor, Delivery, Mirror, SyncRun
from ingest.selectors.mirrors import find_mirror
from ingest.services.mirrors import make_due
from ingest.sync.due_details import want_details
from ingest.sync.mirror_run import bring_up_to_date
from ingest.sync.refetch import read_some
from ingest.sync.session import detailed_kinds
from kb.models import Issue
from kb.services.locks import LockHeldError, session_lock

SECONDS = 200.0
MOST_AT_ONCE = 10_000
# Above this the list of changes, 100 at a time, costs less than asking for each issue.
MANY_ISSUES = 25
GIVEN_UP_AFTER = dt.timedelta(days=1)
OUT_OF_LISTS = frozenset({"deleted", "transferred"})


@dataclass(frozen=True)
class _Task:
    """One repository's deliveries that wait."""

    mirror: Mirror
    host: Host
    deliveries: Sequence[Delivery]
    until: float

    @property
    def refs(self) -> list[str]:
        """The issues and pull requests that they name, each once."""
        return list(dict.fromkeys(delivery.ref for delivery in self.deliveries))

    @property
    def seconds(self) -> float:
        """How much time is left."""
        return max(1.0, self.until - time.monotonic())


def handle_deliveries(*, seconds: float = SECONDS) -> None:
    """Handle what waits, for at most so long; at once only one process does."""
    with suppress(LockHeldError), session_lock("webhook deliveries"):
        _handle_waiting(time.monotonic() + seconds)


def _handle_waiting(until: float) -> None:
    waiting = Delivery.objects.filter(handled_at__isnull=True).order_by("received_at", "pk")
    old = waiting.filter(received_at__lt=timezone.now() - GIVEN_UP_AFTER)
    _mark_handled(old, "Could not be read within a day; the next full check covers it.")
    put_off: set[str] = set()
    while time.monotonic() < until:
        deliveries = list(waiting.exclude(repository__in=put_off)[:MOST_AT_ONCE])
        if not deliveries:
            return
        deliveries.sort(key=_place)
        for (host, name), group in groupby(deliveries, key=_place):
            if not _handle(f"https://{host}/{name}" if name else "", list(group), until):
                put_off.add(name)


def _place(delivery: Delivery) -> tuple[str, str]:
    return delivery.host, delivery.repository


def _handle(url: str, deliveries: Sequence[Delivery], until: float) -> bool:
    """Handle one repository's deliveries; False when some of them have to wait."""
    _mark_handled([delivery for delivery in deliveries if delivery.event == "ping"], "The webhook works.")
    deliveries = [delivery for delivery in deliveries if delivery.event != "ping"]
    mirror = find_mirror(url=url) if url else None
    if mirror is None or not mirror.is_on:
        _mark_handled(deliveries, "Its mirror is off." if mirror else "This repository is not mirrored here.")
        return True
    # What is said of the repository itself, its labels included, is found by the next run.
    of_repository = [delivery for delivery in deliveries if not delivery.ref]
    if of_repository:
        make_due(mirror=mirror)
        _mark_handled(of_repository, "The next run starts now.")
    waiting = _without_first_reading(mirror, [delivery for delivery in deliveries if delivery.ref])
    if not waiting:
        return True
    try:
        task = _Task(mirror, connect(repository=mirror.repository), waiting, until)
        if len(task.refs) > MANY_ISSUES:
            return _read_list(task)
        return _read_each(task)
    except (LockHeldError, HostError):
        return False


def _without_first_reading(mirror: Mirror, deliveries: Sequence[Delivery]) -> Sequence[Delivery]:
    """Those that the first reading does not bring anyway; it goes from old changes to new ones."""
    if Cursor.objects.filter(mirror=mirror, is_complete=True).exists():
        return deliveries
    listed, unlisted = _split(deliveries)
    _mark_handled(listed, "The first reading, now running, covers it.")
    return unlisted


def _read_each(task: _Task) -> bool:
    _, read = read_some(mirror=task.mirror, host=task.host, refs=task.refs, seconds=task.seconds)
    _mark_handled([delivery for delivery in task.deliveries if delivery.ref in read], "Read again.")
    return len(read) == len(task.refs)


def _read_list(task: _Task) -> bool:
    """Read the list of changes, and what belongs to the named issues; by number only what lists do not show."""
    listed, unlisted = _split(task.deliveries)
    unlisted_refs = {delivery.ref for delivery in unlisted}
    if len(unlisted_refs) < len(task.refs):
        repository, refs = task.mirror.repository, [delivery.ref for delivery in listed]
        held = Issue.objects.filter(
            repository=repository,
            ref__in=refs,
            kind__in=detailed_kinds(task.host),
            deleted_at__isnull=True,
            moved_to="",
        ).exclude(node_id="")
        want_details(mirror=task.mirror, issues=held.values_list("pk", flat=True))
        outcome = bring_up_to_date(mirror=task.mirror, host=task.host, seconds=task.seconds)
        if outcome.run.status != SyncRun.Status.DONE:
            return False
        _mark_handled(listed, "Read with the list of changes.")
    if not unlisted:
        return True
    return _read_each(replace(task, deliveries=unlisted))


def _split(deliveries: Iterable[Delivery]) -> tuple[list[Delivery], list[Delivery]]:
    """Tell what shows in a host's lists from what has dropped out of them, and has to be asked for by its number."""
    listed: list[Delivery] = []
    unlisted: list[Delivery] = []
    for delivery in deliveries:
        (unlisted if delivery.action in OUT_OF_LISTS else listed).append(delivery)
    return listed, unlisted


def _mark_handled(deliveries: Iterable[Delivery], outcome: str) -> None:
    ids = [delivery.pk for delivery in deliveries]
    if ids:
        Delivery.objects.filter(pk__in=ids).update(handled_at=timezone.now(), outcome=outcome)
