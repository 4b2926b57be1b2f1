"""Reading what GitHub's REST API sends, as values. Pure; a host's carelessness never raises, it is reported.

GraphQL's answers are read in `nodes.py`.
"""

from collections.abc import Mapping
from typing import Any

from ingest.hosts import HostIssue
from ingest.hosts.asking.fields import (
    MOST_NAME,
    MOST_TEXT,
    UnreadableError,
    count,
    label_names,
    login,
    moment,
    path_parts,
    text,
)  # fmt: skip

Json = Mapping[str, Any]


def read_issue(data: object) -> HostIssue:
    """Read an issue or pull request. Raises `UnreadableError`."""
    if not isinstance(data, dict):
        raise UnreadableError("not an object")
    number, node_id = data.get("number"), data.get("node_id")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < 10**10:
        raise UnreadableError(f"no number: {str(number)[:40]}")
    if not isinstance(node_id, str) or not 0 < len(node_id) <= MOST_NAME:
        raise UnreadableError(f"number {number} has no node id")
    updated = moment(data.get("updated_at"))
    if updated is None:
        raise UnreadableError(f"number {number} does not say when it was changed")
    opened, closed = moment(data.get("created_at")), moment(data.get("closed_at"))
    state = "open" if data.get("state") == "open" else "closed" if data.get("state") == "closed" else "unknown"
    if state == "open" or (opened and closed and closed < opened):
        closed = None
    return HostIssue(
        node_id=node_id,
        repository=repository_of(data),
        ref=str(number),
        url=text(data.get("html_url"))[:300],
        kind="pull_request" if data.get("pull_request") else "issue",
        title=text(data.get("title"))[:MOST_TEXT],
        body=text(data.get("body"))[:MOST_TEXT],
        state=state,
        state_reason=text(data.get("state_reason"))[:20].lower(),
        author=login(data.get("user")),
        author_association=text(data.get("author_association"))[:24],
        opened_at=opened,
        closed_at=closed,
        updated_at=updated,
        comment_count=count(data.get("comments")),
        reaction_count=count((data.get("reactions") or {}).get("total_count")),
        host_labels=tuple(label_names(data.get("labels"))),
    )


def repository_of(data: Json) -> str:
    """`owner/name` of the repository an issue says it is in; empty when it does not say."""
    for key in ("repository_url", "html_url"):
        parts = path_parts(data.get(key))
        if "repos" in parts:
            parts = parts[parts.index("repos") + 1 :]
        if len(parts) >= 2:
            return "/".join(parts[:2])
    return ""
