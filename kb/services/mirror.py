"""Writing a repository's issues as their host lists them, and following those that were moved or deleted.

The host's values replace older mirrored ones; our own words and labels are never touched. Comments and fixes are in
`mirror_details`; imports of whole files, with other authorities, are in `bulk`.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.db.models import ForeignObjectRel

from kb.models import FormerAddress, Issue, Repository, Source
from kb.services.recordsets import JsonRow, as_json, default_columns, listed, record, run

MIRRORED = {
    "node_id": "text", "url": "text", "kind": "text", "title": "text", "body": "text", "state": "text",
    "state_reason": "text", "author": "text", "author_association": "text", "opened_at": "timestamptz",
    "closed_at": "timestamptz", "host_updated_at": "timestamptz", "comment_count": "integer",
    "reaction_count": "integer", "host_labels": "text[]",
}  # fmt: skip
# Tables whose rows a host or a rule makes again.
FROM_HOST = {"kb.comment", "kb.closingreference", "kb.formeraddress", "kb.label", "kb.issuetextevent", "kb.issuedigest"}
HELD = "SELECT id, repository_id, ref FROM kb_issue WHERE node_id = ANY (%s) AND NOT node_id = ''"
FOLLOW_LABELS = """
WITH followed AS (
    UPDATE kb_issue SET host_labels = ARRAY(
        SELECT coalesce(changed.new, held.name) FROM unnest(host_labels) WITH ORDINALITY AS held (name, place)
        LEFT JOIN unnest(%s::text[], %s::text[]) AS changed (old, new) ON changed.old = held.name
        WHERE changed.old IS NULL OR changed.new IS NOT NULL ORDER BY held.place
    ) WHERE repository_id = %s AND host_labels && %s::text[] RETURNING id
) SELECT count(*) FROM followed
"""
# An issue that its host lists is neither deleted nor moved.
RESET = {"deleted_at": "NULL::timestamptz", "moved_to": "''"}


@dataclass(frozen=True, slots=True)
class WrittenIssue:
    """An issue that was created or changed."""

    id: int
    ref: str
    kind: str
    is_new: bool
    is_open: bool
    comment_count: int


@dataclass(frozen=True, slots=True)
class WrittenPage:
    """The result of writing a page; `unchanged` counts the rows that were stored already, the same or newer."""

    written: tuple[WrittenIssue, ...]
    unchanged: int
    moved: int = 0


def write_issues(*, repository: Repository, rows: Sequence[JsonRow]) -> WrittenPage:
    """Write issues and pull requests as their host lists them; keys are `ref` and those of `MIRRORED`.

    Raises `TransactionManagementError` outside a transaction, in which the caller stores its cursor, too. An issue
    that the host moved here from another repository keeps its labels and everything else.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("a page needs a transaction around it")
    latest = {str(row["ref"]): row for row in sorted(rows, key=lambda row: row["host_updated_at"])}
    if not latest:
        return WrittenPage((), 0)
    moved = _move_here(repository, latest)
    statement, defaults = _upsert()
    changed = run(statement, [*defaults, repository.pk, as_json(list(latest.values()))])
    written = tuple(WrittenIssue(*row) for row in changed)
    return WrittenPage(written, len(latest) - len(written), moved)


def _upsert() -> tuple[str, list[Any]]:
    """The statement and the default values of the other columns. Its parameters: those, the repository, the rows."""
    defaults = default_columns(Issue, {"repository_id", "ref", *MIRRORED, *RESET})
    casts = {column.name: column.cast for column in defaults}
    columns = listed({**MIRRORED, **RESET, **casts})
    updated = {**MIRRORED, **RESET}
    excluded = listed(updated, "EXCLUDED.")
    # The defaults come first, as they do in the parameters.
    statement = f"""
        WITH other AS (SELECT {", ".join(f"{cast} AS {name}" for name, cast in casts.items())})
        INSERT INTO kb_issue AS i (repository_id, ref, {columns})
        SELECT %s, s.ref, {listed(MIRRORED, "s.")}, {", ".join(RESET.values())}, {listed(casts, "other.")}
        FROM json_to_recordset(%s::json) AS s (ref text, {record(MIRRORED)}), other
        ON CONFLICT (repository_id, ref) DO UPDATE SET ({listed(updated)}) = ROW({excluded})
        WHERE EXCLUDED.host_updated_at >= coalesce(i.host_updated_at, '-infinity')
            AND ({listed(updated, "i.")}) IS DISTINCT FROM ({excluded})
        RETURNING i.id, i.ref, i.kind, (xmax = 0), i.state = 'open', i.comment_count
    """
    return statement, [column.value for column in defaults]


def _move_here(repository: Repository, rows: Mapping[str, JsonRow]) -> int:
    """Move the issues that the host now lists in this repository but we keep elsewhere; returns their number."""
    by_node = {str(row["node_id"]): row for row in rows.values()}
    stored = run(HELD, [list(by_node)])
    elsewhere = [pk for pk, repository_id, ref in stored if repository_id != repository.pk or ref not in rows]
    moved = 0
    for issue in Issue.objects.filter(pk__in=elsewhere).select_related("repository"):
        row = by_node[issue.node_id]
        ref, url = str(row["ref"]), str(row["url"])
        if Issue.objects.filter(repository=repository, ref=ref).exists():
            # Another row has this number; it gets the node id, which is unique.
            Issue.objects.filter(pk=issue.pk).update(node_id="")
        else:
            move_issue(issue=issue, repository=repository, ref=ref, url=url)
            moved += 1
    return moved


def move_issue(*, issue: Issue, repository: Repository, ref: str, url: str) -> None:
    """Give an issue its new address; the old one leads to it."""
    if (issue.repository_id, issue.ref) == (repository.pk, ref):
        return
    FormerAddress.objects.filter(repository=repository, ref=ref).delete()
    FormerAddress.objects.update_or_create(
        repository_id=issue.repository_id, ref=issue.ref, defaults={"issue": issue, "url": issue.url}
    )
    Issue.objects.filter(pk=issue.pk).update(repository=repository, ref=ref, url=url, deleted_at=None, moved_to="")


def follow_move(*, issue: Issue, repository: Repository, ref: str, url: str) -> bool:
    """Give an issue the address that its host moved it to; False when another row of ours has that address.

    A row that holds only mirrored values is the same issue, mirrored anew, and is deleted.
    """
    other = Issue.objects.filter(repository=repository, ref=ref).exclude(pk=issue.pk).first()
    if other is not None:
        if not _is_only_mirrored(other):
            return False
        other.delete()
    move_issue(issue=issue, repository=repository, ref=ref, url=url)
    return True


def _is_only_mirrored(issue: Issue) -> bool:
    """Whether no row that a person made refers to the issue."""
    if issue.summary or issue.read_on or issue.labels.exclude(source__kind=Source.Kind.RULE).exists():
        return False
    for relation in Issue._meta.get_fields(include_hidden=True):
        if not isinstance(relation, ForeignObjectRel) or relation.many_to_many:
            continue
        if relation.related_model._meta.label_lower in FROM_HOST:
            continue
        if relation.related_model._base_manager.filter(**{relation.field.name: issue}).exists():
            return False
    return True


def mark_deleted(*, issue: Issue, found_at: dt.datetime) -> None:
    """Mark an issue as deleted on its host; the row stays, with its labels and our own words."""
    Issue.objects.filter(pk=issue.pk, deleted_at__isnull=True).update(deleted_at=found_at)


def mark_moved(*, issue: Issue, url: str) -> None:
    """Mark an issue as moved to an address that we keep separately or do not mirror."""
    Issue.objects.filter(pk=issue.pk).exclude(moved_to=url).update(moved_to=url)


def correct_mirrored(*, issue: Issue, host_labels: Sequence[str], comment_count: int) -> None:
    """Correct the values that change on a host without a new `updated_at`."""
    Issue.objects.filter(pk=issue.pk).update(host_labels=list(host_labels), comment_count=comment_count)


def follow_host_labels(*, repository: Repository, names: Mapping[str, str | None]) -> int:
    """Rename labels (old name to new) and remove those whose new name is None.

    Returns the number of issues and pull requests that had any of them.
    """
    if not names:
        return 0
    old = list(names)
    return int(run(FOLLOW_LABELS, [old, [names[name] for name in old], repository.pk, old])[0][0])
