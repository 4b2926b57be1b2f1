"""Reads what documents are made of: a few statements for a batch of issues.

Whatever is read here must also be watched by the triggers of migration 0005.
"""

import datetime as dt
from typing import Any, NamedTuple

from django.db import connection
from django.db.models.functions import Left

from kb.filters.filter_types import Numbers, Values
from kb.filters.issues import AXIS_KEYS, IssueFilter
from kb.models import Issue
from kb.search.vocabulary import KnownRepository, Vocabulary

BODY_CHARACTERS = 65_536 + 4_096  # more than is indexed, so that a secret at the end is read whole and known as one
# Filters whose values come from labels, fixes or the repository: `documents` makes them.
FROM_OTHER_ROWS = (
    *AXIS_KEYS, "node", "trust", "source", "framework", "repository", "has_fix", "small_fix", "lines", "files",
)  # fmt: skip
# All others are read and indexed as they are declared.
COLUMN_FILTERS: dict[str, Values | Numbers] = {
    key: declared
    for key, declared in IssueFilter.base_filters.items()
    if isinstance(declared, (Values, Numbers)) and key not in FROM_OTHER_ROWS
}

# In the order of `IssueRow`.
COLUMNS = (
    "id", "repository_id", "ref", "url", "kind", "title", "body_start", "state", "opened_at", "closed_at",
    "comment_count", "reaction_count", "heading", "summary", "fix_line", "recognise", "also_seen", "resolution",
    "workaround", "fixed_version", "certainty", "public_id",
)  # fmt: skip
LABELS = """
SELECT issue_id, array_agg(node_id), array_agg(source_id) FROM kb_label WHERE issue_id = ANY (%s) GROUP BY issue_id
"""
FIXES = """
SELECT link.issue_id, f.url, f.kind, f.lines_changed, f.files_changed, f.is_small, f.merged_on
FROM kb_issue_fixes link JOIN kb_fix f ON f.id = link.fix_id
WHERE link.issue_id = ANY (%s) ORDER BY f.merged_on DESC NULLS LAST, f.url
"""

# The record that answers a report; where several do, the first.
ANSWERS = """
SELECT DISTINCT ON (i.id) i.id, a.repository_id, a.ref, a.public_id, a.heading, a.fix_line
FROM kb_issue i JOIN kb_otherreport r ON (r.repository_id, r.ref) = (i.repository_id, i.ref)
JOIN kb_issue a ON a.id = r.record_id
WHERE i.id = ANY (%s) ORDER BY i.id, r.id
"""


class IssueRow(NamedTuple):
    """An issue's own columns; `filtered`: what the expressions of `COLUMN_FILTERS` read, in their order."""

    id: int
    repository_id: int
    ref: str
    url: str
    kind: str
    title: str
    body: str
    state: str
    opened_at: dt.datetime | None
    closed_at: dt.datetime | None
    comments: int | None
    reactions: int | None
    heading: str
    summary: str
    fix_line: str
    recognise: list[str]
    also_seen: list[str]
    resolution: str
    workaround: str
    fixed_version: str
    certainty: str
    public_id: str
    filtered: tuple[Any, ...]


class FixRow(NamedTuple):
    """A fix's columns, as `FIXES` reads them."""

    url: str
    kind: str
    lines: int | None
    files: int | None
    small: bool | None
    merged_on: dt.date | None


class AnswerRow(NamedTuple):
    """The record that answers an issue, as `ANSWERS` reads it."""

    repository_id: int
    ref: str
    public_id: str
    heading: str
    fix_line: str


class Rows(NamedTuple):
    """An issue with everything that its document is made of; labels are pairs of source and node.

    `answer`: the record that answers it, with that record's repository.
    """

    issue: IssueRow
    repository: KnownRepository
    labels: tuple[tuple[int, int], ...]
    fixes: tuple[FixRow, ...]
    answer: tuple[AnswerRow, KnownRepository] | None = None


def read_rows(ids: list[int], vocabulary: Vocabulary) -> list[Rows]:
    """The rows of these issues in the order of their ids; an issue that is no more is left out."""
    labels: dict[int, list[tuple[int, int]]] = {}
    fixes: dict[int, list[FixRow]] = {}
    issues = _read_issues(ids)
    with connection.cursor() as cursor:
        cursor.execute(LABELS, [ids])
        for pk, nodes, sources in cursor.fetchall():
            # What was added since the vocabulary was read names its issues in the outbox, so that they come again.
            pairs = zip(sources, nodes, strict=True)
            labels[pk] = [(source, node) for source, node in pairs if vocabulary.knows(source, node)]
        cursor.execute(FIXES, [ids])
        for pk, *fix in cursor.fetchall():
            fixes.setdefault(pk, []).append(FixRow(*fix))
        cursor.execute(ANSWERS, [ids])
        answers = {pk: AnswerRow(*answer) for pk, *answer in cursor.fetchall()}
    rows = []
    for issue in issues:
        if repository := vocabulary.repositories.get(issue.repository_id):
            answer = _with_repository(answers.get(issue.id), vocabulary)
            held = tuple(labels.get(issue.id, ()))
            rows.append(Rows(issue, repository, held, tuple(fixes.get(issue.id, ())), answer))
    return rows


def _with_repository(answer: AnswerRow | None, vocabulary: Vocabulary) -> tuple[AnswerRow, KnownRepository] | None:
    repository = vocabulary.repositories.get(answer.repository_id) if answer else None
    return (answer, repository) if answer and repository else None


def _read_issues(ids: list[int]) -> list[IssueRow]:
    filtered = {f"filtered_{key}": declared.expression() for key, declared in COLUMN_FILTERS.items()}
    issues = Issue.objects.filter(pk__in=ids).annotate(body_start=Left("body", BODY_CHARACTERS), **filtered)
    own = len(COLUMNS)
    rows = issues.order_by("pk").values_list(*COLUMNS, *filtered)
    return [IssueRow._make((*row[:own], row[own:])) for row in rows]
