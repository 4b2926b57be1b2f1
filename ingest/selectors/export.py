"""Mirrored issues as plain rows for other programs, one JSON object each, in order of repository and number."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

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


def exported_issues(*, repository: Repository | None = None, as_written: bool = False) -> Iterator[dict[str, Any]]:
    """Yield each mirrored issue and pull request, of one repository or of all; reads in chunks.

    Secrets that people pasted are hidden in titles and texts, unless they are wanted `as_written`.

    Must be used up within a transaction, since it reads through a cursor of the server's.
    """
    with connection.chunked_cursor() as cursor:
        cursor.execute(ORDERED.format(rows=ROWS), {"repository": repository.pk if repository else None})
        while rows := cursor.fetchmany(CHUNK):
            fixes = _fixes([row[-1] for row in rows])
            for row in rows:
                yield _row(row, fixes.get(row[-1], []), as_written=as_written)


def _fixes(issues: list[int]) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = {}
    with connection.cursor() as cursor:
        cursor.execute(FIXES, [issues])
        for issue, url, additions, deletions, merged_at in cursor.fetchall():
            *_, owner, name, _word, number = url.rstrip("/").split("/")
            found.setdefault(issue, []).append(
                {
                    "repo": f"{owner}/{name}",
                    "number": int(number),
                    "additions": additions,
                    "deletions": deletions,
                    "merged_at": _moment(merged_at),
                }
            )
    return found


def _row(row: tuple[Any, ...], fixes: list[dict[str, Any]], *, as_written: bool) -> dict[str, Any]:
    (repo, ref, node_id, kind, state, reason, title, body, labels, comments, author, opened, updated, closed, deleted,
     moved_to, _id) = row  # fmt: skip
    return {
        "repo": repo,
        "number": int(ref) if ref.isdigit() else ref,
        "node_id": node_id,
        "kind": kind,
        "state": state,
        "state_reason": reason or None,
        "title": title if as_written else mask(title).text,
        "body": body if as_written else mask(body).text,
        "labels": labels,
        "comments": comments,
        "user": author or None,
        "created_at": _moment(opened),
        "updated_at": _moment(updated),
        "closed_at": _moment(closed),
        "fix_prs": fixes,
        "deleted": deleted,
        "transferred_to": _short(moved_to),
    }


def _moment(moment: dt.datetime | None) -> str | None:
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def _short(url: str) -> str | None:
    if not url:
        return None
    *_, owner, name, _word, ref = url.rstrip("/").split("/")
    return f"{owner}/{name}#{ref}"
