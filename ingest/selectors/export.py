"""Mirrored issues as plain rows for other programs, one JSON object each, in order of repository and number."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, TypedDict

from django.db import connection

from kb.core.secrets import mask
from kb.models import Repository

CHUNK = 500
# An issue that moved is told twice: where it is, and where it was.
ROWS = """
SELECT r.full_name, i.ref, i.node_id, i.kind, i.state, i.state_reason, i.title, i.body, i.host_labels, i.comment_count,
    i.author, i.opened_at, i.host_updated_at, i.closed_at, i.deleted_at IS NOT NULL, i.moved_to, i.id
FROM kb_issue i JOIN kb_repository r ON r.id = i.repository_id
WHERE i.node_id <> '' AND (%(repository)s::bigint IS NULL OR r.id = %(repository)s)
UNION ALL
SELECT r.full_name, f.ref, i.node_id, i.kind, i.state, i.state_reason, i.title, i.body, i.host_labels, i.comment_count,
    i.author, i.opened_at, i.host_updated_at, i.closed_at, i.deleted_at IS NOT NULL, i.url, i.id
FROM kb_formeraddress f JOIN kb_issue i ON i.id = f.issue_id JOIN kb_repository r ON r.id = f.repository_id
WHERE i.node_id <> '' AND (%(repository)s::bigint IS NULL OR r.id = %(repository)s)
"""
ORDERED = "SELECT * FROM ({rows}) AS rows ORDER BY 1, length(ref), ref"
FIXES = """
SELECT issue_id, url, additions, deletions, merged_at FROM kb_closingreference
WHERE issue_id = ANY (%s) AND kind = 'pull_request' ORDER BY issue_id, url
"""


class ExportedFix(TypedDict):
    """A pull request that closes an issue."""

    repo: str
    number: int
    additions: int | None
    deletions: int | None
    merged_at: str | None


class ExportedIssue(TypedDict):
    """One line of the export; moments are texts in UTC. `transferred_to` is such as `owner/name#123`."""

    repo: str
    number: int | str
    node_id: str
    kind: str
    state: str
    state_reason: str | None
    title: str
    body: str
    labels: list[str]
    comments: int | None
    user: str | None
    created_at: str | None
    updated_at: str | None
    closed_at: str | None
    fix_prs: list[ExportedFix]
    deleted: bool
    transferred_to: str | None


def exported_issues(*, repository: Repository | None = None, as_written: bool = False) -> Iterator[ExportedIssue]:
    """Yield each mirrored issue and pull request, of one repository or of all; reads in chunks.

    Secrets that people pasted are hidden in titles and texts, unless they are wanted `as_written`.

    Must be used up within a transaction, since it reads through a cursor of the server's.
    """
    with connection.chunked_cursor() as cursor:
        cursor.execute(ORDERED.format(rows=ROWS), {"repository": repository.pk if repository else None})
        while rows := cursor.fetchmany(CHUNK):
            fixes = _fixes([row[-1] for row in rows])
            for row in rows:
                yield _issue(row, fixes[row[-1]], as_written=as_written)


def _fixes(issues: list[int]) -> dict[int, list[ExportedFix]]:
    fixes: dict[int, list[ExportedFix]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(FIXES, [issues])
        for issue, url, additions, deletions, merged_at in cursor.fetchall():
            repo, number = _place(url)
            fix = ExportedFix(
                repo=repo, number=int(number), additions=additions, deletions=deletions, merged_at=_moment(merged_at)
            )
            fixes[issue].append(fix)
    return fixes


def _issue(row: tuple[Any, ...], fixes: list[ExportedFix], *, as_written: bool) -> ExportedIssue:
    (repo, ref, node_id, kind, state, reason, title, body, labels, comments, author, opened, updated, closed, deleted,
     moved_to, _id) = row  # fmt: skip
    return ExportedIssue(
        repo=repo,
        number=int(ref) if ref.isdigit() else ref,
        node_id=node_id,
        kind=kind,
        state=state,
        state_reason=reason or None,
        title=title if as_written else mask(title).text,
        body=body if as_written else mask(body).text,
        labels=labels,
        comments=comments,
        user=author or None,
        created_at=_moment(opened),
        updated_at=_moment(updated),
        closed_at=_moment(closed),
        fix_prs=fixes,
        deleted=deleted,
        transferred_to="#".join(_place(moved_to)) if moved_to else None,
    )


def _moment(moment: dt.datetime | None) -> str | None:
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def _place(url: str) -> tuple[str, str]:
    """`owner/name`, and the number or code, of an issue's or pull request's address."""
    *_, owner, name, _kind, ref = url.rstrip("/").split("/")
    return f"{owner}/{name}", ref
