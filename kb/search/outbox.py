"""The outbox of changed issues as each host's indexer reads it. Filling it is the work of triggers (migration 0005).

A row stays until every host is done with it; `hosts` forgets those that are gone. No row is skipped
because of its id: a transaction that commits late brings rows with old ids. So what is visible is taken, and exactly
that is settled, never "everything up to here".
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest, nsmallest
from typing import Any

from django.db import connection, transaction

from kb.models import SearchHost

# So many rows are looked at, to take an issue that many of them name once; then the newest of all.
OLDEST, NEWEST = 20_000, 1_000

WAITS = "NOT (%(host)s = ANY (fed_by || kept_by))"
TAKE = f"""
SELECT issue_id, array_agg(id) FROM (
    (SELECT id, issue_id FROM kb_searchchange WHERE {WAITS} ORDER BY id LIMIT %(oldest)s)
    UNION (SELECT id, issue_id FROM kb_searchchange WHERE {WAITS} ORDER BY id DESC LIMIT %(newest)s)
) AS waiting GROUP BY issue_id
"""  # noqa: S608
# Hosts that change the same rows take them in the same order.
LOCK = "SELECT id FROM kb_searchchange WHERE id = ANY (%(rows)s) ORDER BY id FOR NO KEY UPDATE"
MARK = """
UPDATE kb_searchchange
SET fed_by = array_remove(fed_by, %(host)s) || %(host)s, kept_by = array_remove(kept_by, %(host)s)
WHERE id = ANY (%(rows)s)
"""
SETTLE = """
DELETE FROM kb_searchchange WHERE id = ANY (%(rows)s)
AND fed_by || %(host)s @> (SELECT array_agg(id) FROM kb_searchhost)
"""
TIDY = "DELETE FROM kb_searchchange WHERE fed_by @> (SELECT array_agg(id) FROM kb_searchhost)"
KEEP = "UPDATE kb_searchchange SET kept_by = kept_by || %(host)s WHERE id = ANY (%(rows)s)"
KEPT = "SELECT id, issue_id FROM kb_searchchange WHERE %(host)s = ANY (kept_by)"
RELEASE = "UPDATE kb_searchchange SET kept_by = array_remove(kept_by, %(host)s) WHERE id = ANY (%(rows)s)"
UNFED = "SELECT id FROM kb_searchchange WHERE NOT (%(host)s = ANY (fed_by))"
WAITING = f"SELECT count(*), min(changed_at) FROM kb_searchchange WHERE {WAITS}"  # noqa: S608


@dataclass(frozen=True)
class Taken:
    """Changed issues, and the rows that name them."""

    issues: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()


def take(host: SearchHost, *, limit: int) -> Taken:
    """Up to `limit` changed issues: half the longest waiting, half the newest, which must not wait for a crowd."""
    with connection.cursor() as cursor:
        cursor.execute(TAKE, {"host": host.pk, "oldest": OLDEST, "newest": NEWEST})
        waiting: dict[int, list[int]] = dict(cursor.fetchall())
    issues = list(waiting)
    if len(issues) > limit:
        oldest = nsmallest(limit - limit // 2, issues, key=lambda issue: min(waiting[issue]))
        newest = nlargest(limit // 2, issues, key=lambda issue: max(waiting[issue]))
        issues = list(dict.fromkeys((*oldest, *newest)))
    rows: list[int] = []
    for issue in issues:
        rows += waiting[issue]
    return Taken(tuple(issues), tuple(rows))


def settle(host: SearchHost, taken: Taken, *, keep: bool) -> None:
    """The host's index in use has these; `keep` them for the one that is being built."""
    if keep:
        _change(host, taken.rows, LOCK, KEEP)
    else:
        _end(host, taken.rows)


def kept(host: SearchHost) -> list[int]:
    """The issues that were kept for the index that is being built."""
    return list({issue for _, issue in _rows(host, KEPT)})


def release(host: SearchHost) -> None:
    """Have the kept ones fed once more, now to the index that takes the place."""
    _change(host, [row for row, _ in _rows(host, KEPT)], LOCK, RELEASE)


def clear(host: SearchHost) -> None:
    """Forget what waits now; only right when everything is about to be read from the start."""
    _end(host, [row for (row,) in _rows(host, UNFED)])


def tidy() -> None:
    """Delete what waited only for hosts that are gone."""
    with connection.cursor() as cursor:
        cursor.execute(TIDY)


def waiting(host: SearchHost) -> tuple[int, dt.datetime | None]:
    """How many rows wait, and since when the oldest does."""
    ((count, since),) = _rows(host, WAITING)
    return count, since


def _rows(host: SearchHost, query: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(query, {"host": host.pk})
        rows: list[Any] = cursor.fetchall()
        return rows


def _end(host: SearchHost, rows: Sequence[int]) -> None:
    if SearchHost.objects.exclude(pk=host.pk).exists():
        _change(host, rows, LOCK, MARK, SETTLE)
    else:
        _change(host, rows, SETTLE)


def _change(host: SearchHost, rows: Sequence[int], *statements: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement, {"host": host.pk, "rows": list(rows)})
