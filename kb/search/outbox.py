"""The outbox of changed issues as the indexer reads it. Filling it is the work of triggers (migration 0005).

No row is skipped because of its id: a transaction that commits late brings rows with old ids. So what is visible is
taken, and exactly that is settled, never "everything up to here".
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest, nsmallest

from django.db import connection, transaction

# So many rows are looked at, to take an issue that many of them name once; then the newest of all.
OLDEST, NEWEST = 20_000, 1_000

TAKE = """
SELECT issue_id, array_agg(id) FROM (
    (SELECT id, issue_id FROM kb_searchchange WHERE NOT fed ORDER BY id LIMIT %s)
    UNION (SELECT id, issue_id FROM kb_searchchange WHERE NOT fed ORDER BY id DESC LIMIT %s)
) AS waiting GROUP BY issue_id
"""
SETTLE = "DELETE FROM kb_searchchange WHERE id = ANY (%s)"
KEEP = "UPDATE kb_searchchange SET fed = true WHERE id = ANY (%s)"
KEPT = "SELECT DISTINCT issue_id FROM kb_searchchange WHERE fed"
RELEASE = "UPDATE kb_searchchange SET fed = false WHERE fed"
WAITING = "SELECT count(*), min(changed_at) FROM kb_searchchange WHERE NOT fed"


@dataclass(frozen=True)
class Taken:
    """Changed issues, and the rows that name them."""

    issues: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()


def take(*, limit: int) -> Taken:
    """Up to `limit` changed issues: half the longest waiting, half the newest, which must not wait for a crowd."""
    with connection.cursor() as cursor:
        cursor.execute(TAKE, [OLDEST, NEWEST])
        waiting: list[tuple[int, list[int]]] = cursor.fetchall()
    chosen = waiting
    if len(waiting) > limit:
        newest = nlargest(limit // 2, waiting, key=_newest)
        oldest = nsmallest(limit - limit // 2, waiting, key=_oldest)
        chosen = list({issue: (issue, rows) for issue, rows in (*oldest, *newest)}.values())
    return Taken(tuple(issue for issue, _ in chosen), tuple(row for _, rows in chosen for row in rows))


def _oldest(waiting: tuple[int, Sequence[int]]) -> int:
    return min(waiting[1])


def _newest(waiting: tuple[int, Sequence[int]]) -> int:
    return max(waiting[1])


def settle(taken: Taken, *, keep: bool) -> None:
    """The index in use has these; `keep` them for the index that is being built."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(KEEP if keep else SETTLE, [list(taken.rows)])


def kept() -> list[int]:
    """The issues that were kept for the index that is being built."""
    with connection.cursor() as cursor:
        cursor.execute(KEPT)
        return [issue for (issue,) in cursor.fetchall()]


def release() -> None:
    """Have the kept ones fed once more, now to the index that takes the place."""
    with connection.cursor() as cursor:
        cursor.execute(RELEASE)


def clear() -> None:
    """Forget what waits now; only right when everything is about to be read from the start."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM kb_searchchange")


def waiting() -> tuple[int, dt.datetime | None]:
    """How many rows wait, and since when the oldest does."""
    with connection.cursor() as cursor:
        cursor.execute(WAITING)
        count, since = cursor.fetchone()
    return count, since
