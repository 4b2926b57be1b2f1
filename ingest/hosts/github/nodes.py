"""Reading what GitHub's GraphQL API sends about issues, as values. Pure.

Raises `UnreadableError` only where a missing field would make the mirror wrong.
"""

import datetime as dt
from collections.abc import Sequence

from ingest.hosts import Glance, HostClosing, HostComment
from ingest.hosts.errors import UnwellError
from ingest.hosts.payload import MOST_ADDRESS, MOST_TEXT, Payload, UnreadableError

CLOSING_REFERENCES = "closedByPullRequestsReferences"
PULL_STATES = {"MERGED": "merged", "OPEN": "open", "CLOSED": "closed"}


def comments_of(connection: Payload) -> list[HostComment]:
    """The comments of a connection. Raises `UnreadableError`."""
    return [_comment(node) for node in connection.parts("nodes")]


def closings_of(issue: Payload) -> dict[str, HostClosing]:
    """What an issue names as closing it, by address: linked pull requests, and what its last closing event names."""
    closings = {closing.url: closing for closing in pulls_of(issue.part(CLOSING_REFERENCES))}
    if issue.text("state").upper() != "CLOSED":
        return closings
    for event in issue.part("timelineItems").parts("nodes"):
        closing = _closing(event.part("closer"))
        if closing is not None:
            closings.setdefault(closing.url, closing)
    return closings


def pulls_of(connection: Payload) -> list[HostClosing]:
    """The pull requests of a connection of closing references."""
    closings = [_closing(node) for node in connection.parts("nodes")]
    return [closing for closing in closings if closing is not None]


def next_cursor(connection: Payload) -> str:
    """Where a connection goes on; empty when it is complete."""
    page = connection.part("pageInfo")
    return page.text("endCursor") if page.get("hasNextPage") else ""


def glance_of(node: Payload) -> Glance:
    """An issue at a glance. Raises `UnreadableError`."""
    closings = None
    if CLOSING_REFERENCES in node:
        closings = {url: closing.state for url, closing in closings_of(node).items()}
    comments = node.part("comments")
    return Glance(
        node_id=node.text("id"),
        repository=node.part("repository").text("nameWithOwner"),
        ref=str(node.get("number")),
        state="closed" if node.get("closed") else "open",
        state_reason=node.text("stateReason", most=20).lower(),
        title=node.text("title"),
        updated_at=_moment(node, "updatedAt"),
        host_labels=tuple(label.text("name") for label in node.part("labels").parts("nodes")),
        comment_count=comments.count("totalCount"),
        comments={comment.text("id"): _moment(comment, "updatedAt") for comment in comments.parts("nodes")},
        closings=closings,
    )


def nodes_by_id(
    node_ids: Sequence[str], answer: Payload, *, name: str = "nodes"
) -> tuple[dict[str, Payload], dict[str, str]]:
    """Sort a `nodes(ids:)` answer by the ids asked for: what was found, and why each other was not.

    `name` is the answer's in the query. A reason is GitHub's type of error, `NOT_FOUND` for one that is no longer
    there. Raises `UnwellError` when the answer holds nothing at all.
    """
    nodes, errors = answer.part("data").get(name), answer.parts("errors")
    if not isinstance(nodes, list) or len(nodes) != len(node_ids):
        message = errors[0].text("message", most=200) if errors else "no data"
        raise UnwellError(f"GitHub's GraphQL gave no answer: {message}")
    reason_at: dict[int, str] = {}
    for error in errors:
        path = error.get("path") or []
        if len(path) >= 2 and path[0] == name and isinstance(path[1], int):
            reason_at[path[1]] = error.text("type") or "failed"
    readable: dict[str, Payload] = {}
    reasons: dict[str, str] = {}
    for place, (node_id, node) in enumerate(zip(node_ids, nodes, strict=True)):
        if place in reason_at:
            reasons[node_id] = reason_at[place]
        elif isinstance(node, dict) and node:
            readable[node_id] = Payload(node)
        else:
            # Without an error: an id of something that is no issue (any more).
            reasons[node_id] = "NOT_FOUND"
    return readable, reasons


def _comment(node: Payload) -> HostComment:
    node_id = node.text("id")
    if not node_id:
        raise UnreadableError("a comment has no id")
    created_at = _moment(node, "createdAt")
    return HostComment(
        node_id=node_id,
        ref=str(node.get("databaseId") or "")[:20],
        author=node.login("author"),
        author_association=node.text("authorAssociation", most=24),
        body=node.text("body", most=MOST_TEXT),
        created_at=created_at,
        updated_at=node.moment("updatedAt") or created_at,
    )


def _closing(node: Payload) -> HostClosing | None:
    """A commit or pull request as what closes an issue; None without an address that we can keep."""
    url = node.text("url")
    if not url or len(url) > MOST_ADDRESS:
        return None
    if node.get("__typename") == "Commit":
        kind, state, files, merged_at = "commit", "merged", "changedFilesIfAvailable", node.moment("committedDate")
    else:
        kind, files = "pull_request", "changedFiles"
        state = PULL_STATES.get(node.text("state").upper(), "closed")
        merged_at = node.moment("mergedAt") if state == "merged" else None
    return HostClosing(
        url=url,
        kind=kind,
        state=state,
        additions=_size(node, "additions"),
        deletions=_size(node, "deletions"),
        files_changed=_size(node, files),
        merged_at=merged_at,
    )


def _size(node: Payload, key: str) -> int | None:
    return node.count(key) if isinstance(node.get(key), int) else None


def _moment(node: Payload, key: str) -> dt.datetime:
    moment = node.moment(key)
    if moment is None:
        raise UnreadableError(f"{key} is missing")
    return moment
