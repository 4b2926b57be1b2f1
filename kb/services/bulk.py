"""Writes many issues and labels by set-based SQL: rows are copied into temporary tables and merged from there.

How a bulk write goes, within one transaction: `open_stage`, `stage_issues` (any number of times),
`write_staged_issues`, and for labels `staged_label` filled by the caller and `write_staged_labels`.
Between the calls a caller may read and join

- `staged_issue` (entry, line, repository_id, ref, issue_id ...): the incoming rows; `issue_id` is set by
  `write_staged_issues`;
- `staged_label` (issue_id, node_id): the labels of one source. Its labels that are not listed are deleted from
  every issue in the table; a null `node_id` lists an issue without labels.

The importers read the files and decide what a row means.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, Literal

from django.db import connection, models, transaction
from psycopg import sql

from kb.models import Issue, Label, Source
from kb.services.recordsets import default_columns
from kb.services.rows import Changes

Authority = Literal["host", "study"]

# Postgres would search the queue of deferred checks for each row whose history is written: 90 s instead of 2 for
# 27,000 labels after 100,000 votes. Immediate checks leave no queue.
STAGE = """
SET CONSTRAINTS ALL IMMEDIATE;
DROP TABLE IF EXISTS pg_temp.staged_issue, pg_temp.staged_label;
CREATE TEMPORARY TABLE staged_issue (
    entry bigint, line bigint, repository_id bigint, ref text, url text, kind text, title text, body text, state text,
    opened_at timestamptz, closed_at timestamptz, updated_at timestamptz, comment_count integer,
    reaction_count integer, host_labels text[], author_association text,
    issue_id bigint, picked boolean NOT NULL DEFAULT false, was_known boolean NOT NULL DEFAULT false
) ON COMMIT DROP;
CREATE TEMPORARY TABLE staged_label (issue_id bigint, node_id bigint) ON COMMIT DROP;
"""

# Of several rows about one issue the newest copy is used, else the first row.
PICK = """
UPDATE staged_issue SET picked = true WHERE entry IN (
    SELECT DISTINCT ON (repository_id, ref) entry FROM staged_issue
    ORDER BY repository_id, ref, updated_at DESC NULLS LAST, entry)
"""
FIND_BY_NUMBER = """
UPDATE staged_issue s SET issue_id = i.id, was_known = NOT %s FROM kb_issue i
WHERE s.issue_id IS NULL AND i.repository_id = s.repository_id AND i.ref = s.ref
"""
# A known address keeps its issue, whatever repository it would be filed under today.
FIND_BY_ADDRESS = """
UPDATE staged_issue s SET issue_id = i.id, was_known = true FROM kb_issue i
WHERE s.issue_id IS NULL AND i.url = s.url
"""

MIRRORED = (
    "kind", "title", "body", "state", "opened_at", "closed_at", "host_updated_at", "comment_count",
    "reaction_count", "host_labels", "author_association",
)  # fmt: skip
INCOMING = (
    "s.kind", "coalesce(s.title, '')", "coalesce(s.body, '')", "s.state", "s.opened_at", "s.closed_at",
    "s.updated_at", "s.comment_count", "s.reaction_count", "coalesce(s.host_labels, '{}')",
    "coalesce(s.author_association, '')",
)  # fmt: skip

# A host's copy replaces mirrored values unless ours are newer; where no text was mirrored yet, an older copy still
# brings its text. A pull request stays one. Where the copy has no state, the known state and closing date stay unless
# they contradict its opening date.
FROM_HOST = """
SELECT s.issue_id,
    CASE WHEN 'pull_request' IN (s.kind, i.kind) THEN 'pull_request'
         WHEN s.kind = 'unknown' THEN i.kind ELSE s.kind END AS kind,
    CASE WHEN fresh OR bare THEN coalesce(s.title, '') ELSE i.title END AS title,
    CASE WHEN fresh OR bare THEN coalesce(s.body, '') ELSE i.body END AS body,
    CASE WHEN fresh AND tells THEN s.state ELSE i.state END AS state,
    CASE WHEN fresh THEN coalesce(s.opened_at, i.opened_at) ELSE i.opened_at END AS opened_at,
    CASE WHEN fresh AND tells THEN s.closed_at ELSE i.closed_at END AS closed_at,
    CASE WHEN fresh THEN coalesce(s.updated_at, i.host_updated_at) ELSE i.host_updated_at END AS host_updated_at,
    CASE WHEN fresh THEN coalesce(s.comment_count, i.comment_count) ELSE i.comment_count END AS comment_count,
    CASE WHEN fresh THEN coalesce(s.reaction_count, i.reaction_count) ELSE i.reaction_count END AS reaction_count,
    CASE WHEN fresh OR bare THEN coalesce(s.host_labels, '{}') ELSE i.host_labels END AS host_labels,
    CASE WHEN fresh OR bare THEN coalesce(s.author_association, '') ELSE i.author_association END
        AS author_association
FROM staged_issue s JOIN kb_issue i ON i.id = s.issue_id
CROSS JOIN LATERAL (SELECT i.title = '' AND i.body = '' AS bare, coalesce(s.updated_at, '-infinity')
    >= coalesce(i.host_updated_at, greatest(i.closed_at, i.opened_at), '-infinity') AS fresh,
    s.state <> 'unknown' OR i.state = 'unknown' OR coalesce(s.opened_at > i.closed_at, false) AS tells) AS age
WHERE s.picked AND s.was_known
"""
# A study's values are years old: they only fill what is unknown, dates and state together.
FROM_STUDY = """
SELECT s.issue_id,
    CASE WHEN i.kind = 'unknown' THEN s.kind ELSE i.kind END AS kind,
    CASE WHEN i.title = '' THEN coalesce(s.title, '') ELSE i.title END AS title,
    i.body,
    CASE WHEN silent THEN s.state ELSE i.state END AS state,
    CASE WHEN silent THEN s.opened_at ELSE i.opened_at END AS opened_at,
    CASE WHEN silent THEN s.closed_at ELSE i.closed_at END AS closed_at,
    i.host_updated_at, i.comment_count, i.reaction_count, i.host_labels, i.author_association
FROM staged_issue s JOIN kb_issue i ON i.id = s.issue_id
CROSS JOIN LATERAL (SELECT i.state = 'unknown' AND i.opened_at IS NULL AND i.closed_at IS NULL
    AND i.host_updated_at IS NULL AS silent) AS said
WHERE s.picked AND s.was_known
"""
UPDATE = """
UPDATE kb_issue i SET ({columns}) = ROW({wanted}) FROM ({select}) w
WHERE i.id = w.issue_id AND ({held}) IS DISTINCT FROM ({wanted})
"""

DROP_LABELS = """
DELETE FROM kb_label l WHERE l.source_id = %(source)s
    AND EXISTS (SELECT 1 FROM staged_label c WHERE c.issue_id = l.issue_id)
    AND NOT EXISTS (SELECT 1 FROM staged_label w WHERE w.issue_id = l.issue_id AND w.node_id = l.node_id)
"""
ADD_LABELS = """
INSERT INTO kb_label (issue_id, axis_id, node_id, source_id, reason)
SELECT w.issue_id, n.axis_id, n.id, %(source)s, ''
FROM (SELECT DISTINCT issue_id, node_id FROM staged_label) w JOIN kb_node n ON n.id = w.node_id
WHERE NOT EXISTS (SELECT 1 FROM kb_label l
    WHERE l.issue_id = w.issue_id AND l.node_id = w.node_id AND l.source_id = %(source)s)
ORDER BY w.issue_id, w.node_id
"""


@dataclass(frozen=True, slots=True)
class IncomingIssue:
    """An issue as an importer read it; None where the file has no value.

    `entry` numbers the rows of one stage; `line` is its line in the file. `updated_at`, which only a host's copy has,
    is the time at which the copy was last known to be true.
    """

    entry: int
    line: int
    repository_id: int
    ref: str
    url: str
    kind: str
    title: str | None = None
    body: str | None = None
    state: str = "unknown"
    opened_at: dt.datetime | None = None
    closed_at: dt.datetime | None = None
    updated_at: dt.datetime | None = None
    comment_count: int | None = None
    reaction_count: int | None = None
    host_labels: list[str] | None = None
    author_association: str | None = None


@dataclass(frozen=True)
class LabelCounts:
    """How many labels of a source were added and removed."""

    added: int
    removed: int


COLUMNS = tuple(field.name for field in fields(IncomingIssue))


def copy_rows(*, table: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> int:
    """Write rows into a table with COPY. Returns their number."""
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    count = 0
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)
            count += 1
    return count


def hold_tables(*, tables: Sequence[type[models.Model]]) -> None:
    """Lock these tables against other writers until the transaction ends, and reset their id sequences.

    A killed import uses up ids. Under the lock nobody else draws ids, so the sequence may go back to the last stored
    one, and a repeated import gives the same ids as an undisturbed one.
    """
    names = [model._meta.db_table for model in tables]
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '120s'")
        cursor.execute(f"LOCK TABLE {', '.join(map(quote, names))} IN SHARE ROW EXCLUSIVE MODE")
        for name in names:
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence(%s, 'id'), coalesce(max(id), 0) + 1, false) FROM {quote(name)}",  # noqa: S608 the name of our own table
                [name],
            )


def refresh_statistics(*, tables: Sequence[type[models.Model]]) -> None:
    """Run ANALYZE on these tables; autovacuum would do so a minute later, or never in tests."""
    names = ", ".join(connection.ops.quote_name(model._meta.db_table) for model in tables)
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {names}")


def open_stage() -> None:
    """Create this module's empty temporary tables, which are dropped when the transaction ends."""
    _require_transaction()
    with connection.cursor() as cursor:
        cursor.execute(STAGE)


def stage_issues(*, rows: Iterable[IncomingIssue]) -> int:
    """Copy issues into the stage. Returns their number."""
    return copy_rows(table="staged_issue", columns=COLUMNS, rows=map(attrgetter(*COLUMNS), rows))


def write_staged_issues(*, authority: Authority) -> Changes:
    """Create the staged issues that are new, and update known ones as far as `authority` reaches.

    Our own words (heading, summary, resolution ...) are never touched. Sets `issue_id` of every staged row.
    """
    _require_transaction()
    hold_tables(tables=[Issue])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE staged_issue")
        cursor.execute(PICK)
        picked = cursor.rowcount
        cursor.execute(FIND_BY_NUMBER, [False])
        cursor.execute(FIND_BY_ADDRESS)
        created = _insert_new(cursor)
        cursor.execute(FIND_BY_NUMBER, [True])
        cursor.execute(
            UPDATE.format(
                columns=", ".join(MIRRORED),
                held=", ".join(f"i.{name}" for name in MIRRORED),
                wanted=", ".join(f"w.{name}" for name in MIRRORED),
                select=FROM_HOST if authority == "host" else FROM_STUDY,
            )
        )
        changed = cursor.rowcount
    return Changes(created, changed, picked - created - changed)


def _insert_new(cursor: Any) -> int:
    """Insert the picked rows of unknown issues, in the file's order; other columns get their defaults."""
    values = {
        "repository_id": "s.repository_id",
        "ref": "s.ref",
        "url": "s.url",
        **dict(zip(MIRRORED, INCOMING, strict=True)),
    }
    defaults = default_columns(Issue, values)
    values |= {column.name: column.cast for column in defaults}
    cursor.execute(
        f"INSERT INTO kb_issue ({', '.join(values)}) SELECT {', '.join(values.values())} FROM staged_issue s"  # noqa: S608 names of our own columns
        " WHERE s.picked AND s.issue_id IS NULL ORDER BY s.entry",
        [column.value for column in defaults],
    )
    return int(cursor.rowcount)


def write_staged_labels(*, source: Source) -> LabelCounts:
    """Make the source's labels on every staged issue exactly the staged ones.

    Labels of other sources and of other issues stay. Raises `django.db.Error` when a node is retired.
    """
    _require_transaction()
    hold_tables(tables=[Label])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE staged_label")
        cursor.execute(DROP_LABELS, {"source": source.pk})
        removed = cursor.rowcount
        cursor.execute(ADD_LABELS, {"source": source.pk})
        return LabelCounts(added=cursor.rowcount, removed=removed)


def _require_transaction() -> None:
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("a bulk write needs a transaction around it")
