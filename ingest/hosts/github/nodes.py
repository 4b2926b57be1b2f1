"""Reading what GitHub's GraphQL API sends about issues, as values. Pure.

Raises `UnreadableError` (`ingest.hosts.asking.fields`) only where a missing field would make the mirror wrong.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from ingest.hosts import Glance, HostClosing, HostComment
from ingest.hosts.asking.fields import MOST_TEXT, UnreadableError, count, login, moment, text
from ingest.hosts.errors import UnwellError

Json = Mapping[str, Any]
STATES = {"MERGED": "merged", "OPEN": "open", "CLOSED": "closed"}


def comments_of(connection: Json) -> list[HostComment]:
    """The comments of a connection. Raises `UnreadableError`."""
    return [_comment(node) for node in nodes_of(connection)]


def closings_of(issue: Json) -> dict[str, HostClosing]:
    """What an issue names as closing it, by address: linked pull requests, and what its last closing event names."""
    found = {closing.url: closing for closing in pulls_of(issue.get("closedByPullRequestsReferences") or {})}
    if text(issue.get("state")).upper() == "CLOSED":
        for event in nodes_of(issue.get("timelineItems") or {}):
            closer = event.get("closer")
            if isinstance(closer, dict) and (closing := _closer(closer)):
                found.setdefault(closing.url, closing)
    return found


def pulls_of(connection: Json) -> list[HostClosing]:
    """The pull requests of a connection of closing references."""
    return [closing for node in nodes_of(connection) if (closing := _pull(node))]


def next_cursor(connection: Json) -> str:
    """Where a connection goes on; empty when it is complete."""
    info = connection.get("pageInfo") or {}
    return text(info.get("endCursor")) if info.get("hasNextPage") else ""


def nodes_of(connection: Json) -> list[dict[str, Any]]:
    """The nodes of a connection that we may see."""
    found = connection.get("nodes")
    return [node for node in found if isinstance(node, dict)] if isinstance(found, list) else []


def glance_of(node: Json) -> Glance:
    """An issue at a glance. Raises `UnreadableError`."""
    comments, tells_closings = node.get("comments") or {}, "closedByPullRequestsReferences" in node
    return Glance(
        node_id=text(node.get("id")),
        repository=text((node.get("repository") or {}).get("nameWithOwner")),
        ref=str(node.get("number")),
        state="closed" if node.get("closed") else "open",
        state_reason=text(node.get("stateReason"))[:20].lower(),
        title=text(node.get("title")),
        updated_at=_moment(node, "updatedAt"),
        host_labels=tuple(text(label.get("name")) for label in nodes_of(node.get("labels") or {})),
        comment_count=count(comments.get("totalCount")),
        comments={text(item.get("id")): _moment(item, "updatedAt") for item in nodes_of(comments)},
        closings={url: closing.state for url, closing in closings_of(node).items()} if tells_closings else None,
    )


def nodes_by_id(
    asked: Sequence[str], answer: Any, *, name: str = "nodes"
) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Sort a `nodes(ids:)` answer by the ids asked for: what was found, and why each other was not.

    `name` is the answer's in the question. A reason is GitHub's type of error, `NOT_FOUND` for one that is no longer
    there. Raises `UnwellError` when the answer holds nothing at all.
    """
    data = answer.get("data")
    errors = [error for error in answer.get("errors") or [] if isinstance(error, dict)]
    nodes = data.get(name) if isinstance(data, dict) else None
    if not isinstance(nodes, list) or len(nodes) != len(asked):
        said = text(errors[0].get("message")) if errors else "no data"
        raise UnwellError(f"GitHub's GraphQL gave no answer: {said[:200]}")
    by_place: dict[int, str] = {}
    for error in errors:
        path = error.get("path") or []
        if len(path) >= 2 and path[0] == name and isinstance(path[1], int):
            by_place[path[1]] = text(error.get("type")) or "failed"
    found: dict[str, dict[str, Any]] = {}
    reasons: dict[str, str] = {}
    for place, (node_id, node) in enumerate(zip(asked, nodes, strict=True)):
        if place in by_place:
            reasons[node_id] = by_place[place]
        elif isinstance(node, dict) and node:
            found[node_id] = node
        else:
            # Without an error: an id of something that is no issue (any more).
            reasons[node_id] = "NOT_FOUND"
    return found, reasons


def _comment(node: Json) -> HostComment:
    node_id = text(node.get("id"))
    if not node_id:
        raise UnreadableError("a comment has no id")
    created = _moment(node, "createdAt")
    return HostComment(
        node_id=node_id,
        ref=str(node.get("databaseId") or "")[:20],
        author=login(node.get("author")),
        author_association=text(node.get("authorAssociation"))[:24],
        body=text(node.get("body"))[:MOST_TEXT],
        created_at=created,
        updated_at=moment(node.get("updatedAt")) or created,
    )


def _closer(node: Json) -> HostClosing | None:
    if node.get("__typename") != "Commit":
        return _pull(node)
    url = text(node.get("url"))
    if not url or len(url) > 300:
        return None
    return HostClosing(
        url=url,
        kind="commit",
        state="merged",
        additions=_size(node.get("additions")),
        deletions=_size(node.get("deletions")),
        files_changed=_size(node.get("changedFilesIfAvailable")),
        merged_at=moment(node.get("committedDate")),
    )


def _pull(node: Json) -> HostClosing | None:
    url = text(node.get("url"))
    if not url or len(url) > 300:
        return None
    state = STATES.get(text(node.get("state")).upper(), "closed")
    return HostClosing(
        url=url,
        kind="pull_request",
        state=state,
        additions=_size(node.get("additions")),
        deletions=_size(node.get("deletions")),
        files_changed=_size(node.get("changedFiles")),
        merged_at=moment(node.get("mergedAt")) if state == "merged" else None,
    )


def _size(value: object) -> int | None:
    return count(value) if isinstance(value, int) else None


def _moment(node: Json, key: str) -> dt.datetime:
    found = moment(node.get(key))
    if found is None:
        raise UnreadableError(f"{key} is missing")
    return found
