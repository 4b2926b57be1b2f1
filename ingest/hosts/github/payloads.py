"""Reading what GitHub's REST API sends, as values. Pure. GraphQL's answers are read in `nodes.py`."""

from ingest.hosts import HostIssue
from ingest.hosts.payload import MOST_ADDRESS, MOST_NAME, MOST_TEXT, Payload, UnreadableError


def read_issue(data: object) -> HostIssue:
    """Read an issue or pull request. Raises `UnreadableError`."""
    issue = Payload.read(data)
    number, node_id = issue.number("number"), issue.get("node_id")
    if number is None:
        raise UnreadableError(f"no number: {str(issue.get('number'))[:40]}")
    if not isinstance(node_id, str) or not 0 < len(node_id) <= MOST_NAME:
        raise UnreadableError(f"number {number} has no node id")
    updated_at = issue.moment("updated_at")
    if updated_at is None:
        raise UnreadableError(f"number {number} does not say when it was changed")
    opened_at, closed_at = issue.moment("created_at"), issue.moment("closed_at")
    state = issue.get("state")
    if state not in ("open", "closed"):
        state = "unknown"
    if state == "open" or (opened_at and closed_at and closed_at < opened_at):
        closed_at = None
    return HostIssue(
        node_id=node_id,
        repository=repository_of(issue),
        ref=str(number),
        url=issue.text("html_url", most=MOST_ADDRESS),
        kind="pull_request" if issue.get("pull_request") else "issue",
        title=issue.text("title", most=MOST_TEXT),
        body=issue.text("body", most=MOST_TEXT),
        state=state,
        state_reason=issue.text("state_reason", most=20).lower(),
        author=issue.login("user"),
        author_association=issue.text("author_association", most=24),
        opened_at=opened_at,
        closed_at=closed_at,
        updated_at=updated_at,
        comment_count=issue.count("comments"),
        reaction_count=issue.part("reactions").count("total_count"),
        host_labels=issue.label_names("labels"),
    )


def repository_of(issue: Payload) -> str:
    """`owner/name` of the repository that an issue's addresses name; empty when they name none."""
    for key in ("repository_url", "html_url"):
        parts = issue.path_parts(key)
        if "repos" in parts:
            parts = parts[parts.index("repos") + 1 :]
        if len(parts) >= 2:
            return "/".join(parts[:2])
    return ""
