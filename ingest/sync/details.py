"""Fetching comments and fixes of the issues that a page has brought, in batches, each written as a whole."""

import datetime as dt
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from ingest.models import Pending
from ingest.sync.rows import details_row
from ingest.sync.session import Session
from ingest.sync.vanished import find_out
from kb.services.mirror_details import write_details

# So many are looked up at once: each look goes through all that are pending.
TAKEN = 1_000
ASKED_BY = ("node_id", "ref", "url", "repository_id", "deleted_at")
# The first tries follow each other at once; then the rest between them doubles.
TRIES_AT_ONCE = 3
FIRST_REST = dt.timedelta(minutes=5)
MOST_DOUBLINGS = 8


def fetch_details(session: Session) -> None:
    """Fetch what is pending and due. Raises `HostError`s and `OutOfTimeError`; what came until then is kept."""
    session.pending = _due(session).count()
    size = session.host.at_once
    while rows := list(_next(session)[:TAKEN]):
        for start in range(0, len(rows), size):
            session.check_time()
            _fetch(session, rows[start : start + size])
            session.say()


def _fetch(session: Session, rows: Sequence[Pending]) -> None:
    by_node = {row.issue.node_id: row for row in rows}
    batch = session.host.details(
        repository=session.repository.full_name, issues=[(row.issue.node_id, row.issue.ref) for row in rows]
    )
    with transaction.atomic():
        write_details(details=[details_row(by_node[key].pk, some) for key, some in batch.found.items()])
        Pending.objects.filter(issue__in=[by_node[key].pk for key in batch.found]).delete()
        _put_off([by_node[key] for key in batch.failed])
    session.run.detailed += len(batch.found)
    for key in batch.vanished:
        find_out(session, by_node[key].issue)
    # Some are there after all: asking for them again at once would go on for ever.
    _put_off(list(Pending.objects.filter(issue__in=[by_node[key].pk for key in batch.vanished])))


def _due(session: Session) -> QuerySet[Pending]:
    due = Q(not_before__isnull=True) | Q(not_before__lte=timezone.now())
    return Pending.objects.filter(due, mirror=session.mirror)


def _next(session: Session) -> QuerySet[Pending]:
    """Those to fetch next, with as much of their issues as asking for them takes: the texts are long."""
    rows = _due(session).select_related("issue").order_by("attempts", "issue_id")
    return rows.only("mirror_id", "attempts", "not_before", *(f"issue__{name}" for name in ASKED_BY))


def _put_off(rows: Sequence[Pending]) -> None:
    now = timezone.now()
    for row in rows:
        row.attempts += 1
        rests = row.attempts - TRIES_AT_ONCE
        row.not_before = now + FIRST_REST * 2 ** min(rests, MOST_DOUBLINGS) if rests >= 0 else None
    Pending.objects.bulk_update(rows, ["attempts", "not_before"])
