"""Reading what Gitee's API sends, as values. Pure; a host's carelessness never raises more than `UnreadableError`."""

from collections.abc import Mapping
from typing import Any

from ingest.hosts import HostClosing, HostComment, HostIssue
from ingest.hosts.asking.fields import (
    MOST_ADDRESS,
    MOST_TEXT,
    UnreadableError,
    count,
    label_names,
    login,
    moment,
    path_parts,
    text,
)  # fmt: skip
from kb.core.addresses import GITEE_CODE

Json = Mapping[str, Any]
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


def read_issue(data: object) -> HostIssue:
    """Read an issue. Raises `UnreadableError`."""
    found = _object(data)
    code = text(found.get("number")).upper()
    if not GITEE_CODE.fullmatch(code):
        raise UnreadableError(f"no issue's code: {str(found.get('number'))[:40]}")
    state, reason = ISSUE_STATES.get(text(found.get("state")), ("unknown", ""))
    repository = found.get("repository")
    name = text(repository.get("full_name")) if isinstance(repository, dict) else ""
    return _issue(
        found, kind="issue", ref=code, state=state, reason=reason, closed="finished_at",
        repository=name or repository_of(found),
    )  # fmt: skip


def read_pull(data: object) -> HostIssue:
    """Read a pull request. Raises `UnreadableError`."""
    found = _object(data)
    number = found.get("number")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < 10**10:
        raise UnreadableError(f"no pull request's number: {str(number)[:40]}")
    state = PULL_STATES.get(text(found.get("state")), "unknown")
    return _issue(
        found, kind="pull_request", ref=str(number), state=state, reason="", closed="closed_at",
        repository=repository_of(found),
    )  # fmt: skip


def _issue(found: Json, *, kind: str, ref: str, state: str, reason: str, closed: str, repository: str) -> HostIssue:
    updated, opened = moment(found.get("updated_at")), moment(found.get("created_at"))
    if updated is None:
        raise UnreadableError(f"{ref} does not say when it was changed")
    closed_at = (moment(found.get(closed)) or moment(found.get("merged_at"))) if state == "closed" else None
    if opened and closed_at and closed_at < opened:
        closed_at = None
    return HostIssue(
        node_id=stable_id("issue" if kind == "issue" else "pull", found, ref),
        repository=repository,
        ref=ref,
        url=text(found.get("html_url"))[:MOST_ADDRESS],
        kind=kind,
        title=text(found.get("title"))[:MOST_TEXT],
        body=text(found.get("body"))[:MOST_TEXT],
        state=state,
        state_reason=reason,
        author=login(found.get("user")),
        author_association="",
        opened_at=opened,
        closed_at=closed_at,
        updated_at=updated,
        comment_count=count(found.get("comments")),
        reaction_count=0,
        host_labels=tuple(label_names(found.get("labels"))),
    )


def read_comment(data: object) -> HostComment:
    """Read a comment. Raises `UnreadableError`."""
    found = _object(data)
    created = moment(found.get("created_at"))
    if created is None:
        raise UnreadableError("a comment has no date")
    return HostComment(
        node_id=stable_id("comment", found, "a comment"),
        ref=str(found["id"]),
        author=login(found.get("user")),
        author_association="",
        body=text(found.get("body"))[:MOST_TEXT],
        created_at=created,
        updated_at=moment(found.get("updated_at")) or created,
    )


def read_closing(data: object, size: tuple[int, int, int] | None) -> HostClosing:
    """Read a linked pull request; `size` is lines added, lines deleted, files. Raises `UnreadableError`."""
    found = _object(data)
    url = text(found.get("html_url"))
    if not url or len(url) > MOST_ADDRESS:
        raise UnreadableError("a linked pull request has no address")
    state = text(found.get("state"))
    additions, deletions, files = size or (None, None, None)
    return HostClosing(
        url=url,
        kind="pull_request",
        state=state if state in PULL_STATES else "closed",
        additions=additions,
        deletions=deletions,
        files_changed=files,
        merged_at=moment(found.get("merged_at")) if state == "merged" else None,
    )


def read_size(files: object) -> tuple[int, int, int] | None:
    """Lines added, lines deleted, files, from a list of changed files; None where the list may be cut short."""
    if not isinstance(files, list) or len(files) >= MOST_FILES:
        return None
    changed = [file for file in files if isinstance(file, dict)]
    return _lines(changed, "additions"), _lines(changed, "deletions"), len(changed)


def _lines(files: list[dict[str, Any]], key: str) -> int:
    told = [str(file.get(key) or "") for file in files]
    return sum(int(lines) for lines in told if lines.isascii() and lines.isdigit() and len(lines) < 10)


def repository_of(found: Json) -> str:
    """`owner/name` of the repository, by the address that something has; empty when it has none."""
    parts = path_parts(found.get("html_url"))
    return "/".join(parts[:2]) if len(parts) >= 2 else ""


def stable_id(kind: str, found: Json, what: str) -> str:
    """An id that survives renames. Raises `UnreadableError`."""
    number = found.get("id")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < 10**18:
        raise UnreadableError(f"{what} has no id")
    return f"gitee-{kind}-{number}"


def _object(data: object) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise UnreadableError("not an object")
    return data
