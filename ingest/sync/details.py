"""Fetching comments and fixes of the issues that a page has brought, in batches, each written as a whole."""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from ingest.models import Pending
from ingest.sync.rows import details_row
from ingest.sync.session import Session
from ingest.sync.vanished import find_out
from kb.models import Issue
from kb.services.mirror_details import write_details
from kb.services.recordsets import run

# So many are looked up at once: each look goes through all that are pending.
TAKEN = 1_000
FETCHED = "DELETE FROM ingest_pending WHERE issue_id = ANY (%s)"
# The first tries follow each other at once; then the rest between them doubles.
TRIES_AT_ONCE = 3
FIRST_REST = dt.timedelta(minutes=5)
MOST_DOUBLINGS = 8


class Wanted(NamedTuple):
    """An issue whose details are to be fetched: as much of it as asking for them takes, the texts are long."""

    issue_id: int
    node_id: str
    ref: str


def fetch_details(session: Session) -> None:
    """Fetch what is pending and due. Raises `HostError`s and `OutOfTimeError`; what came until then is kept."""
    session.pending = _due(session).count()
    size = session.host.at_once
    while rows := _next(session):
        for start in range(0, len(rows), size):
            session.check_time()
            _fetch(session, rows[start : start + size])
            session.say()


def _fetch(session: Session, rows: Sequence[Wanted]) -> None:
    by_node = {row.node_id: row.issue_id for row in rows}
    batch = session.host.details(
        repository=session.repository.full_name, issues=[(row.node_id, row.ref) for row in rows]
    )
    with transaction.atomic():
        write_details(details=[details_row(by_node[key], some) for key, some in batch.found.items()])
        run(FETCHED, [[by_node[key] for key in batch.found]])
        _put_off(by_node[key] for key in batch.failed)
    session.run.detailed += len(batch.found)
    vanished = [by_node[key] for key in batch.vanished]
    for issue in Issue.objects.filter(pk__in=vanished).order_by("pk"):
        find_out(session, issue)
    # Some are there after all: asking for them again at once would go on for ever.
    _put_off(vanished)


def _due(session: Session) -> QuerySet[Pending]:
    due = Q(not_before__isnull=True) | Q(not_before__lte=timezone.now())
    return Pending.objects.filter(due, mirror=session.mirror)


def _next(session: Session) -> list[Wanted]:
    rows = _due(session).order_by("attempts", "issue_id")
    return [Wanted(*row) for row in rows.values_list("issue_id", "issue__node_id", "issue__ref")[:TAKEN]]


def _put_off(issues: Iterable[int]) -> None:
    """Try these again later, as far as they are pending still."""
    now = timezone.now()
    rows = list(Pending.objects.filter(issue__in=list(issues)))
    for row in rows:
        row.attempts += 1
        rests = row.attempts - TRIES_AT_ONCE
        row.not_before = now + FIRST_REST * 2 ** min(rests, MOST_DOUBLINGS) if rests >= 0 else None
    Pending.objects.bulk_update(rows, ["attempts", "not_before"])
