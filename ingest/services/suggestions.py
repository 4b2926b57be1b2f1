"""Writes what rules suggest as labels of the source `rule`, anew whenever a text, the codebook or the rules change.

What is suggested, and why, is decided in `ingest.suggest`, which is pure.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.db import connection, transaction

from ingest.suggest import NodeWords, Suggester, read_rules
from ingest.suggest.measured import trust_note
from kb.models import Kind, Node, Source
from kb.services.labels import LabelChanges, replace_labels
from kb.services.sources import ensure_rule_source

NAME = "Faultbook's rules"
# Bodies are long: so many issues at a time, each such part in a transaction of its own.
CHUNK = 200

MADE_OF = "md5(concat_ws(chr(31), %(version)s::text, i.kind, i.title, i.body, array_to_string(i.host_labels, chr(31))))"
DUE = f"""
SELECT i.id FROM kb_issue i LEFT JOIN ingest_suggestionmark m ON m.issue_id = i.id
WHERE (%(repository)s::bigint IS NULL OR i.repository_id = %(repository)s)
    AND (%(again)s OR m.made_of IS DISTINCT FROM {MADE_OF})
ORDER BY i.id
"""  # noqa: S608 our own columns
TEXTS = f"""
SELECT i.id, i.kind, i.title, i.body, i.host_labels, {MADE_OF}
FROM kb_issue i LEFT JOIN ingest_suggestionmark m ON m.issue_id = i.id
WHERE i.id = ANY (%(ids)s) AND (%(again)s OR m.made_of IS DISTINCT FROM {MADE_OF})
ORDER BY i.id
"""  # noqa: S608 our own columns
# Of two writers the second one waits, and then finds what the first one made of the same text, or a new text.
LOCK = "SELECT id FROM kb_issue WHERE id = ANY (%s) ORDER BY id FOR NO KEY UPDATE"
UNCHANGED = f"""
SELECT i.id FROM kb_issue i JOIN unnest(%(ids)s::bigint[], %(marks)s::text[]) AS read(id, made_of) ON read.id = i.id
WHERE read.made_of = {MADE_OF}
"""  # noqa: S608 our own columns
MARK = """
INSERT INTO ingest_suggestionmark AS m (issue_id, made_of)
SELECT * FROM unnest(%s::bigint[], %s::text[])
ON CONFLICT (issue_id) DO UPDATE SET made_of = excluded.made_of WHERE m.made_of <> excluded.made_of
"""


@dataclass(frozen=True)
class Codebook:
    """The active nodes that may be suggested, and what stands for their words and the rules together."""

    suggester: Suggester
    nodes: Mapping[tuple[str, str], Node]
    version: str


@dataclass(frozen=True)
class ReadIssue:
    """An issue's text as it was read; `made_of` stands for it, the codebook's words and the rules."""

    id: int
    kind: str
    title: str
    body: str
    host_labels: Sequence[str]
    made_of: str


def suggest_labels(*, issue_ids: Collection[int], again: bool = False) -> LabelChanges:
    """Make the suggestions on these issues what the rules say of them now; nobody else's labels are touched.

    Only issues are read whose text, host labels or kind, or the codebook or the rules, changed since they were read
    last; with `again` all of them. What is a pull request, or may be one, gets none and loses those that it had.
    Runs in transactions of its own, one for `CHUNK` issues; what is done stays done. To be called outside of others,
    which would hold its locks. Raises `django.db.Error`.
    """
    codebook = _codebook()
    source = ensure_rule_source(name=NAME, trust_note=trust_note())
    changes = LabelChanges(0, 0, 0)
    ids = sorted(set(issue_ids))
    for start in range(0, len(ids), CHUNK):
        issues = _read(ids[start : start + CHUNK], codebook.version, again=again)
        if issues:
            wanted = {issue.id: _suggested(issue, codebook) for issue in issues}
            changes += _write(issues, wanted, source, codebook.version)
    return changes


def due_issues(*, repository_id: int | None = None, again: bool = False) -> list[int]:
    """The issues, of one repository or all, that were not read as they are now; with `again` all of them."""
    values = {"version": _codebook().version, "repository": repository_id, "again": again}
    with connection.cursor() as cursor:
        cursor.execute(DUE, values)
        return [pk for (pk,) in cursor.fetchall()]


def rules_without_node() -> list[str]:
    """Rules that suggest nothing because their node is not in use."""
    return _codebook().suggester.unplaced


def _codebook() -> Codebook:
    nodes = Node.objects.house().filter(status=Node.Status.ACTIVE).select_related("axis", "parent")
    by_code = {(node.axis.code, node.code): node for node in nodes.order_by("axis__position", "position")}
    words: list[NodeWords] = []
    for (axis, code), node in by_code.items():
        parent = node.parent.code if node.parent else None
        words.append(NodeWords(axis, code, node.name, tuple(node.aliases), parent))
    suggester, version = _compiled(tuple(words))
    return Codebook(suggester, by_code, version)


@lru_cache(2)
def _compiled(words: tuple[NodeWords, ...]) -> tuple[Suggester, str]:
    rules = read_rules()
    version = hashlib.sha256(f"{rules.version} {words!r}".encode()).hexdigest()[:16]
    return Suggester(words, rules), version


def _read(ids: list[int], version: str, *, again: bool) -> list[ReadIssue]:
    with connection.cursor() as cursor:
        cursor.execute(TEXTS, {"ids": ids, "version": version, "again": again})
        return [ReadIssue(*row) for row in cursor.fetchall()]


def _suggested(issue: ReadIssue, codebook: Codebook) -> dict[Node, str]:
    """The nodes to label an issue with, and why."""
    if issue.kind != Kind.ISSUE:
        return {}
    suggestions = codebook.suggester.suggest(issue.title, issue.body, issue.host_labels)
    return {codebook.nodes[suggestion.axis, suggestion.node]: suggestion.reason for suggestion in suggestions}


@transaction.atomic
def _write(
    issues: Sequence[ReadIssue], wanted: Mapping[int, Mapping[Node, str]], source: Source, version: str
) -> LabelChanges:
    """Write what was suggested for those texts that are still the same, and that they were read."""
    marks = {issue.id: issue.made_of for issue in issues}
    ids = list(marks)
    with connection.cursor() as cursor:
        cursor.execute(LOCK, [ids])
        cursor.execute(UNCHANGED, {"ids": ids, "marks": [marks[pk] for pk in ids], "version": version})
        same = sorted(pk for (pk,) in cursor.fetchall())
        cursor.execute(MARK, [same, [marks[pk] for pk in same]])
    return replace_labels(source=source, wanted={pk: wanted[pk] for pk in same})
