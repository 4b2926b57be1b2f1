"""Reading what GitHub's REST API sends, as values. Pure; a host's carelessness never raises, it is reported.

GraphQL's answers are read in `nodes.py`.
"""

import datetime as dt
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from ingest.hosts import HostIssue
from ingest.values import clean_text, parse_moment

Json = Mapping[str, Any]

# GitHub's own limit is 65,536 characters; more is somebody else's server.
MOST_TEXT = 256 * 1024
MOST_NAME = 80
MOST_COUNT = 2**31 - 1


class UnreadableError(ValueError):
    """The object is not what it should be; the message says why."""


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
        parts = [part for part in urlsplit(text(data.get(key))).path.split("/") if part]
        if "repos" in parts:
            parts = parts[parts.index("repos") + 1 :]
        if len(parts) >= 2:
            return "/".join(parts[:2])
    return ""


def label_names(value: object) -> list[str]:
    """Labels' names, in GitHub's order; labels may be objects or plain names."""
    found = value if isinstance(value, list) else []
    names = [text(label.get("name") if isinstance(label, dict) else label) for label in found]
    return [name for name in names if name]


def login(value: object) -> str:
    """A person's login; empty for an account that is gone."""
    return text(value.get("login"))[:MOST_NAME] if isinstance(value, dict) else ""


def text(value: object) -> str:
    """A text that Postgres can hold; empty for anything else."""
    return clean_text(value) if isinstance(value, str) else ""


def count(value: object) -> int:
    """A count; 0 for anything else."""
    return min(value, MOST_COUNT) if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def moment(value: object) -> dt.datetime | None:
    """A moment; None for anything else."""
    try:
        return parse_moment(value) if isinstance(value, str) and value else None
    except ValueError:
        return None
