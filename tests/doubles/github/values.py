"""What the double's world is made of: users, labels, comments, issues, pull requests, commits, events, repositories.

Plain values that know no rule: `world` changes them, `shapes` and `graphql_fields` show them. Moments are whole
seconds since 1970, as GitHub's are.
"""

import functools
import time
from dataclasses import dataclass, field
from typing import Any

GHOST_LOGIN = "ghost"


@functools.lru_cache(maxsize=1 << 19)
def iso(moment: int) -> str:
    """A moment in GitHub's form: 2026-01-31T12:00:00Z."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


@dataclass(slots=True, eq=False)
class User:
    """An account; a deleted one is no value at all but None where a user would be."""

    id: int
    login: str
    node_id: str


@dataclass(slots=True, eq=False)
class Label:
    """A repository's label; issues hold the label itself, so that renaming it changes them all."""

    id: int
    node_id: str
    name: str
    color: str


@dataclass(slots=True, eq=False, kw_only=True)
class Comment:
    """A comment on an issue or a pull request."""

    id: int
    node_id: str
    item: "Item"
    body: str
    user: User | None
    association: str
    created_at: int
    updated_at: int
    last_edited_at: int | None = None
    is_minimized: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class Item:
    """What issues and pull requests share; they share their numbers too."""

    id: int
    node_id: str
    repository: "Repository"
    number: int
    title: str
    body: str | None
    user: User | None
    association: str
    created_at: int
    updated_at: int
    closed_at: int | None = None
    state: str = "open"
    state_reason: str | None = None
    labels: list[Label] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    events: list["Event"] = field(default_factory=list)
    reactions: int = 0
    locked: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class Issue(Item):
    """An issue. `links` are the pull requests that close it when merged, or that did."""

    links: list["PullRequest"] = field(default_factory=list)


@dataclass(slots=True, eq=False, kw_only=True)
class PullRequest(Item):
    """A pull request. `id` is its id among the issues, `pull_id` its own; the node id is the same in both forms."""

    pull_id: int
    additions: int
    deletions: int
    changed_files: int
    merged_at: int | None = None
    closes: list[Issue] = field(default_factory=list)


@dataclass(slots=True, eq=False, kw_only=True)
class Commit:
    """A commit that closed an issue by its message."""

    oid: str
    node_id: str
    repository: "Repository"
    additions: int
    deletions: int
    changed_files: int
    committed_at: int


@dataclass(slots=True, eq=False, kw_only=True)
class Event:
    """Something on an issue's timeline; its class says what. `item` is what it happened to."""

    id: int
    node_id: str
    item: Item
    created_at: int
    user: User | None


@dataclass(slots=True, eq=False, kw_only=True)
class ClosedEvent(Event):
    """Closed: by a pull request, by a commit, or by hand."""

    closer: PullRequest | Commit | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class ReopenedEvent(Event):
    """Opened again."""


@dataclass(slots=True, eq=False, kw_only=True)
class CrossReferencedEvent(Event):
    """Named in the text of `source`; `will_close` when with a closing word."""

    source: PullRequest
    will_close: bool


@dataclass(slots=True, eq=False, kw_only=True)
class ConnectedEvent(Event):
    """Linked to `source` by hand in the side bar; no text says so."""

    source: PullRequest


@dataclass(slots=True, eq=False)
class Tombstone:
    """What is left where an issue was: its last form, and where it went unless it was deleted."""

    item: Item
    target: Issue | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class Repository:
    """A repository; `version` counts its changes, so that the sorted lists in `views` are known
    to be old."""

    id: int
    node_id: str
    full_name: str
    owner: User
    created_at: int
    updated_at: int
    has_issues: bool = True
    archived: bool = False
    items: dict[int, Item] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    tombstones: dict[int, Tombstone] = field(default_factory=dict)
    last_number: int = 0
    version: int = 0
    views: dict[tuple[str, ...], tuple[int, list[Any]]] = field(default_factory=dict)


Node = Issue | PullRequest | Comment | Label | Repository | User | Commit | Event
