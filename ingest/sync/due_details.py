"""Of which issues the comments and fixes are to be fetched, and since when.

An answer that was asked for before somebody wanted it says nothing about why it is wanted: it does not fulfil the wish.
All moments are by the database's clock.
"""

import datetime as dt
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from django.db.models import Q, QuerySet
from django.utils import timezone

from ingest.models import Mirror, Pending
from ingest.sync.session import Session
from kb.services.recordsets import run

WANT = """
INSERT INTO ingest_pending (issue_id, mirror_id, since, attempts)
SELECT issue, %s, clock_timestamp(), 0 FROM unnest(%s::bigint[]) AS issue
ON CONFLICT (issue_id) DO UPDATE SET attempts = 0, not_before = NULL, since = EXCLUDED.since
"""
FULFIL = "DELETE FROM ingest_pending WHERE issue_id = ANY (%s) AND since <= %s"
# So many are looked up at once: each look goes through all that are pending.
TAKEN = 1_000
# The first tries follow each other at once; then the rest between them doubles.
TRIES_AT_ONCE = 3
FIRST_REST = dt.timedelta(minutes=5)
MOST_DOUBLINGS = 8


class Wanted(NamedTuple):
    """An issue whose details are to be fetched: as much of it as asking for them takes, the texts are long."""

    issue_id: int
    node_id: str
    ref: str


def want_details(*, mirror: Mirror, issues: Collection[int]) -> None:
    """Note that the details of these issues have to be fetched, anew where that was noted before."""
    if issues:
        run(WANT, [mirror.pk, sorted(issues)])


def due(session: Session) -> QuerySet[Pending]:
    """What is to be fetched now."""
    is_due = Q(not_before__isnull=True) | Q(not_before__lte=timezone.now())
    return Pending.objects.filter(is_due, mirror=session.mirror)


def next_wanted(session: Session) -> Sequence[Wanted]:
    """The next to be fetched, at most `TAKEN`; issues before pull requests."""
    rows = due(session).order_by("attempts", "issue__kind", "issue_id")
    return [Wanted(*row) for row in rows.values_list("issue_id", "issue__node_id", "issue__ref")[:TAKEN]]


def database_now() -> dt.datetime:
    """The moment by the database's clock."""
    now: dt.datetime = run("SELECT clock_timestamp()", [])[0][0]
    return now


def fulfil(*, issues: Collection[int], asked_at: dt.datetime) -> None:
    """Note that the details of these issues, asked for at that moment, were written."""
    run(FULFIL, [list(issues), asked_at])


def put_off(issues: Iterable[int]) -> None:
    """Try these again later, as far as they are pending still."""
    now = timezone.now()
    rows = list(Pending.objects.filter(issue__in=list(issues)))
    for row in rows:
        row.attempts += 1
        doublings = row.attempts - TRIES_AT_ONCE
        row.not_before = None
        if doublings >= 0:
            row.not_before = now + FIRST_REST * 2 ** min(doublings, MOST_DOUBLINGS)
    Pending.objects.bulk_update(rows, ["attempts", "not_before"])
