"""Writing what a host says now about a repository's issues, and where they went.

What the host says replaces what was mirrored before, unless we hold something newer; our own words and labels are
never touched. Comments and fixes are in `mirror_details`; importing whole files, with other authorities, is
`kb.services.bulk`.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.db.models import ForeignObjectRel

from kb.models import FormerAddress, Issue, Repository, Source
from kb.services.recordsets import as_json, listed, record, run

MIRRORED = {
    "node_id": "text", "url": "text", "kind": "text", "title": "text", "body": "text", "state": "text",
    "state_reason": "text", "author": "text", "author_association": "text", "opened_at": "timestamptz",
    "closed_at": "timestamptz", "host_updated_at": "timestamptz", "comment_count": "integer",
    "reaction_count": "integer", "host_labels": "text[]",
}  # fmt: skip
# Tables whose rows follow the host, or a machine, and come again.
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
# An issue that its host lists is neither deleted nor elsewhere, whatever we believed.
RESET = {"deleted_at": "NULL::timestamptz", "moved_to": "''"}


@dataclass(frozen=True, slots=True)
class WrittenIssue:
    """A row that a page created or changed."""

    id: int
    ref: str
    kind: str
    is_new: bool
    is_open: bool
    comment_count: int


@dataclass(frozen=True, slots=True)
class WrittenPage:
    """What a page did; `unchanged` counts the rows that were there already, just so or newer."""

    written: tuple[WrittenIssue, ...]
    unchanged: int
    moved: int = 0


def write_issues(*, repository: Repository, rows: Sequence[Mapping[str, Any]]) -> WrittenPage:
    """Write issues and pull requests as their host lists them; keys are `ref` and those of `MIRRORED`.

    Must run in a transaction, which the caller ends together with whatever says how far it has come. An issue that
    the host moved here from another repository takes its labels and everything else along.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("a page needs a transaction around it")
    latest = {str(row["ref"]): row for row in sorted(rows, key=lambda row: row["host_updated_at"])}
    if not latest:
        return WrittenPage((), 0)
    moved = _take_over(repository, latest)
    statement, defaults = _upsert()
    changed = run(statement, [*defaults, repository.pk, as_json(list(latest.values()))])
    written = tuple(WrittenIssue(*row) for row in changed)
    return WrittenPage(written, len(latest) - len(written), moved)


def _upsert() -> tuple[str, list[Any]]:
    """The statement that inserts and updates; other columns get their defaults. Parameters: those, repository, rows."""
    given = {"repository_id", "ref", *MIRRORED, *RESET}
    defaults = [
        (str(field.column), f"%s::{field.db_type(connection)}", field.get_db_prep_save(field.get_default(), connection))
        for field in Issue._meta.concrete_fields
        if not (field.primary_key or field.generated or field.column in given)
    ]
    others = "".join(f", {name}" for name, _, _ in defaults)
    columns = f"{listed(MIRRORED)}, {', '.join(RESET)}"
    excluded = listed({**MIRRORED, **RESET}, "EXCLUDED.")
    # The defaults stand first in the parameters, so they stand first here.
    statement = f"""
        WITH other AS (SELECT {", ".join(f"{cast} AS {name}" for name, cast, _ in defaults)})
        INSERT INTO kb_issue AS i (repository_id, ref, {columns}{others})
        SELECT %s, s.ref, {listed(MIRRORED, "s.")}, {", ".join(RESET.values())}
            {"".join(f", other.{name}" for name, _, _ in defaults)}
        FROM json_to_recordset(%s::json) AS s (ref text, {record(MIRRORED)}), other
        ON CONFLICT (repository_id, ref) DO UPDATE SET ({columns}) = ROW({excluded})
        WHERE EXCLUDED.host_updated_at >= coalesce(i.host_updated_at, '-infinity')
            AND ({listed({**MIRRORED, **RESET}, "i.")}) IS DISTINCT FROM ({excluded})
        RETURNING i.id, i.ref, i.kind, (xmax = 0), i.state = 'open', i.comment_count
    """
    return statement, [value for _, _, value in defaults]


def _take_over(repository: Repository, rows: Mapping[str, Mapping[str, Any]]) -> int:
    """Bring rows that the host now lists here from where we had them; returns how many there were."""
    by_node = {str(row["node_id"]): row for row in rows.values()}
    held = run(HELD, [list(by_node)])
    elsewhere = [pk for pk, where, ref in held if where != repository.pk or ref not in rows]
    moved = 0
    for issue in Issue.objects.filter(pk__in=elsewhere).select_related("repository"):
        row = by_node[issue.node_id]
        if not _make_way(repository, str(row["ref"]), issue):
            continue
        move_issue(issue=issue, repository=repository, ref=str(row["ref"]), url=str(row["url"]))
        moved += 1
    return moved


def _make_way(repository: Repository, ref: str, issue: Issue) -> bool:
    """May the issue take this place? Not when another row has it; its node id is freed then, for that other row."""
    if not Issue.objects.filter(repository=repository, ref=ref).exists():
        return True
    Issue.objects.filter(pk=issue.pk).update(node_id="")
    return False


def move_issue(*, issue: Issue, repository: Repository, ref: str, url: str) -> None:
    """Keep an issue under its new address, and find it under the old one still."""
    if (issue.repository_id, issue.ref) == (repository.pk, ref):
        return
    FormerAddress.objects.filter(repository=repository, ref=ref).delete()
    FormerAddress.objects.update_or_create(
        repository_id=issue.repository_id, ref=issue.ref, defaults={"issue": issue, "url": issue.url}
    )
    Issue.objects.filter(pk=issue.pk).update(repository=repository, ref=ref, url=url, deleted_at=None, moved_to="")


def follow_move(*, issue: Issue, repository: Repository, ref: str, url: str) -> bool:
    """Keep an issue under the address that its host moved it to; False when another row of ours stands there.

    A row there that holds nothing but what the host tells makes way: it is the same issue, mirrored anew.
    """
    there = Issue.objects.filter(repository=repository, ref=ref).exclude(pk=issue.pk).first()
    if there is not None:
        if not _is_only_mirrored(there):
            return False
        there.delete()
    move_issue(issue=issue, repository=repository, ref=ref, url=url)
    return True


def _is_only_mirrored(issue: Issue) -> bool:
    """Does nothing hang on the issue that somebody made?"""
    if issue.summary or issue.read_on or issue.labels.exclude(source__kind=Source.Kind.RULE).exists():
        return False
    relations = [field for field in Issue._meta.get_fields(include_hidden=True) if isinstance(field, ForeignObjectRel)]
    for relation in relations:
        if relation.related_model._meta.label_lower in FROM_HOST or relation.many_to_many:
            continue
        if relation.related_model._base_manager.filter(**{relation.field.name: issue}).exists():
            return False
    return True


def mark_deleted(*, issue: Issue, found_at: dt.datetime) -> None:
    """Note that the host deleted an issue; the row stays, with its labels and all that we say about it."""
    Issue.objects.filter(pk=issue.pk, deleted_at__isnull=True).update(deleted_at=found_at)


def mark_moved(*, issue: Issue, url: str) -> None:
    """Note that the host moved an issue to a place where we keep it apart, or do not mirror."""
    Issue.objects.filter(pk=issue.pk).exclude(moved_to=url).update(moved_to=url)


def correct_mirrored(*, issue: Issue, host_labels: Sequence[str], comment_count: int) -> None:
    """Put right what can change on a host without the issue counting as changed."""
    Issue.objects.filter(pk=issue.pk).update(host_labels=list(host_labels), comment_count=comment_count)


def follow_host_labels(*, repository: Repository, names: Mapping[str, str | None]) -> int:
    """Give labels that the host renamed their new names, and take away those it deleted (None), all at once.

    Returns how many issues and pull requests bore them.
    """
    if not names:
        return 0
    old = list(names)
    return int(run(FOLLOW_LABELS, [old, [names[name] for name in old], repository.pk, old])[0][0])
