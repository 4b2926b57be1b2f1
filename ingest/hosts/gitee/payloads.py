"""Reading what Gitee's API sends, as values. Pure."""

import datetime as dt
from collections.abc import Iterable
from typing import NamedTuple

from ingest.hosts import HostClosing, HostComment, HostIssue
from ingest.hosts.payload import MOST_ADDRESS, MOST_TEXT, Payload, UnreadableError, objects_in
from kb.core.addresses import GITEE_CODE

# What each state means to us, and the reason that it implies.
ISSUE_STATES = {
    "open": ("open", ""),
    "progressing": ("open", ""),
    "closed": ("closed", "completed"),
    "rejected": ("closed", "not_planned"),
}
PULL_STATES = {"open": "open", "merged": "closed", "closed": "closed"}
# Of a larger pull request Gitee lists a part of the files only.
MOST_FILES = 300


class Size(NamedTuple):
    """How much a pull request changed: lines, and files."""

    additions: int
    deletions: int
    files: int


def read_issue(data: object) -> HostIssue:
    """Read an issue. Raises `UnreadableError`."""
    issue = Payload.read(data)
    code = issue.text("number").upper()
    if not GITEE_CODE.fullmatch(code):
        raise UnreadableError(f"not an issue's code: {str(issue.get('number'))[:40]}")
    state, reason = ISSUE_STATES.get(issue.text("state"), ("unknown", ""))
    repository = issue.part("repository").text("full_name") or _repository_of(issue)
    closed_at = issue.moment("finished_at") or issue.moment("merged_at")
    return _host_issue(issue, "issue", code, repository, state, reason, closed_at)


def read_pull(data: object) -> HostIssue:
    """Read a pull request. Raises `UnreadableError`."""
    pull = Payload.read(data)
    number = pull.number("number")
    if number is None:
        raise UnreadableError(f"not a pull request's number: {str(pull.get('number'))[:40]}")
    state = PULL_STATES.get(pull.text("state"), "unknown")
    closed_at = pull.moment("closed_at") or pull.moment("merged_at")
    return _host_issue(pull, "pull_request", str(number), _repository_of(pull), state, "", closed_at)


def _host_issue(
    issue: Payload, kind: str, ref: str, repository: str, state: str, reason: str, closed_at: dt.datetime | None
) -> HostIssue:
    updated_at, opened_at = issue.moment("updated_at"), issue.moment("created_at")
    if updated_at is None:
        raise UnreadableError(f"{ref} does not say when it was changed")
    if state != "closed" or (opened_at and closed_at and closed_at < opened_at):
        closed_at = None
    return HostIssue(
        node_id=_stable_id(issue, "issue" if kind == "issue" else "pull", ref),
        repository=repository,
        ref=ref,
        url=issue.text("html_url", most=MOST_ADDRESS),
        kind=kind,
        title=issue.text("title", most=MOST_TEXT),
        body=issue.text("body", most=MOST_TEXT),
        state=state,
        state_reason=reason,
        author=issue.login("user"),
        author_association="",
        opened_at=opened_at,
        closed_at=closed_at,
        updated_at=updated_at,
        comment_count=issue.count("comments"),
        reaction_count=0,
        host_labels=issue.label_names("labels"),
    )


def read_comment(data: object) -> HostComment:
    """Read a comment. Raises `UnreadableError`."""
    comment = Payload.read(data)
    created_at = comment.moment("created_at")
    if created_at is None:
        raise UnreadableError("a comment has no date")
    return HostComment(
        node_id=_stable_id(comment, "comment", "a comment"),
        ref=str(comment.get("id")),
        author=comment.login("user"),
        author_association="",
        body=comment.text("body", most=MOST_TEXT),
        created_at=created_at,
        updated_at=comment.moment("updated_at") or created_at,
    )


def read_closing(data: object, size: Size | None) -> HostClosing:
    """Read a linked pull request. Raises `UnreadableError`."""
    pull = Payload.read(data)
    url = pull.text("html_url")
    if not url or len(url) > MOST_ADDRESS:
        raise UnreadableError("a linked pull request has no address")
    state = pull.text("state")
    return HostClosing(
        url=url,
        kind="pull_request",
        state=state if state in PULL_STATES else "closed",
        additions=size.additions if size else None,
        deletions=size.deletions if size else None,
        files_changed=size.files if size else None,
        merged_at=pull.moment("merged_at") if state == "merged" else None,
    )


def read_size(data: object) -> Size | None:
    """Add up a list of changed files; None where the list may be cut short."""
    if not isinstance(data, list) or len(data) >= MOST_FILES:
        return None
    files = objects_in(data)
    additions = _sum_of_lines(file.get("additions") for file in files)
    deletions = _sum_of_lines(file.get("deletions") for file in files)
    return Size(additions, deletions, len(files))


def _sum_of_lines(values: Iterable[object]) -> int:
    texts = [str(value or "") for value in values]
    return sum(int(text) for text in texts if text.isascii() and text.isdigit() and len(text) < 10)


def _repository_of(item: Payload) -> str:
    """`owner/name` of the repository that an item's address names; empty when it has none."""
    parts = item.path_parts("html_url")
    return "/".join(parts[:2]) if len(parts) >= 2 else ""


def _stable_id(item: Payload, kind: str, what: str) -> str:
    """An id that survives renames. Raises `UnreadableError`."""
    number = item.number("id", below=10**18)
    if number is None:
        raise UnreadableError(f"{what} has no id")
    return f"gitee-{kind}-{number}"
