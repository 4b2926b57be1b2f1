"""What a mirror needs of a host, and the values a host answers with. GitHub and Gitee each fill it in their package.

Pure: no Django, no HTTP. Moments are aware and by the host's clock.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class HostIssue:
    """An issue or pull request as its host lists it. `kind` is `issue` or `pull_request`."""

    node_id: str
    repository: str
    ref: str
    url: str
    kind: str
    title: str
    body: str
    state: str
    state_reason: str
    author: str
    author_association: str
    opened_at: dt.datetime | None
    closed_at: dt.datetime | None
    updated_at: dt.datetime
    comment_count: int
    reaction_count: int
    host_labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HostComment:
    """A comment below an issue."""

    node_id: str
    ref: str
    author: str
    author_association: str
    body: str
    created_at: dt.datetime
    updated_at: dt.datetime


@dataclass(frozen=True, slots=True)
class HostClosing:
    """What the host names as closing an issue: a pull request or a commit, `state` merged, open or closed."""

    url: str
    kind: str
    state: str
    additions: int | None
    deletions: int | None
    files_changed: int | None
    merged_at: dt.datetime | None


@dataclass(frozen=True, slots=True)
class Details:
    """What belongs to one issue beyond itself, complete."""

    node_id: str
    comments: tuple[HostComment, ...]
    closings: tuple[HostClosing, ...]


@dataclass(frozen=True, slots=True)
class Batch(Generic[T]):
    """What asking about several issues brought, by node id; each id asked for is in exactly one of the three.

    `failed` says why.
    """

    found: Mapping[str, T] = field(default_factory=dict)
    vanished: frozenset[str] = frozenset()
    failed: Mapping[str, str] = field(default_factory=dict)

    def __or__(self, other: "Batch[T]") -> "Batch[T]":
        return Batch({**self.found, **other.found}, self.vanished | other.vanished, {**self.failed, **other.failed})


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list. `unreadable` says what could not be taken and why; `next_url` is empty on the last page."""

    issues: tuple[HostIssue, ...]
    next_url: str = ""
    etag: str = ""
    unreadable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Renamed:
    """The repository has another name now."""

    full_name: str


@dataclass(frozen=True, slots=True)
class Deleted:
    """The host says that there was an issue and that it is gone for good."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The issue is in another repository now, as it stands there."""

    issue: HostIssue


@dataclass(frozen=True, slots=True)
class Glance:
    """As much of an issue as tells whether the mirror still has it right.

    `comments` maps the node ids of the first comments to when they were changed last, `closings` the addresses of the
    first of what closes it to their states; None when the host does not tell them.
    """

    node_id: str
    repository: str
    ref: str
    state: str
    state_reason: str
    title: str
    updated_at: dt.datetime
    host_labels: tuple[str, ...]
    comment_count: int
    comments: Mapping[str, dt.datetime]
    closings: Mapping[str, str] | None


def glance_at(
    seen: HostIssue, repository: str, comments: Sequence[HostComment], *, closings: Mapping[str, str] | None
) -> Glance:
    """What asking for a single issue and what belongs to it tells; `repository` is where it was asked for."""
    return Glance(
        node_id=seen.node_id,
        repository=seen.repository or repository,
        ref=seen.ref,
        state=seen.state,
        state_reason=seen.state_reason,
        title=seen.title,
        updated_at=seen.updated_at,
        host_labels=seen.host_labels,
        comment_count=seen.comment_count,
        comments={comment.node_id: comment.updated_at for comment in comments},
        closings=closings,
    )


@dataclass(frozen=True, slots=True)
class Census:
    """How many issues and pull requests a repository has on its host."""

    issues: int
    open_issues: int
    pull_requests: int


@dataclass(frozen=True, slots=True)
class Labels:
    """A repository's labels: their names by their ids, which survive renames.

    `marks` maps the addresses that were asked to the marks of their answers; without any the host knows no such thing.
    """

    names: Mapping[str, str]
    marks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RequestCounts:
    """How much a host was asked; `budget_left` is what it said last that we may still ask."""

    requests: int
    not_modified: int
    waited_seconds: float
    budget_left: int | None


class Host(Protocol):
    """What a mirror asks of a host. Every method may raise `ingest.hosts.errors.HostError`."""

    @property
    def at_once(self) -> int:
        """How many issues to ask for together; what came is kept before the next are asked for."""

    @property
    def glanced_at_once(self) -> int:
        """How many issues to look at together."""

    @property
    def looks_an_hour(self) -> int:
        """How many issues may be looked at in an hour and leave enough of what the host allows for everything else."""

    @property
    def reads_pull_comments(self) -> bool:
        """Whether comments on pull requests come without a request for each."""

    def newest(self, *, repository: str, since: dt.datetime | None, etag: str) -> Page | None:
        """What was changed since a moment, newest first, first page only; None when the answer is still `etag`'s."""

    def changes(self, *, repository: str, since: dt.datetime | None) -> Page:
        """What was changed since a moment (inclusive), oldest first."""

    def follow(self, *, url: str) -> Page:
        """The page that another page named as its next."""

    def details(self, *, repository: str, issues: Sequence[tuple[str, str]]) -> Batch[Details]:
        """Comments and closing references of issues, or comments of pull requests, given as (node id, ref)."""

    def look(self, *, repository: str, ref: str) -> HostIssue | Deleted | Moved | None:
        """One issue as it stands now; None when the host knows nothing of it."""

    def glance(self, *, repository: str, issues: Sequence[tuple[str, str]]) -> Batch[Glance]:
        """Look at many issues at once, given as (node id, ref)."""

    def census(self, *, repository: str) -> Census | None:
        """Count what the host has; None when it does not tell."""

    def labels(self, *, repository: str, marks: Mapping[str, str]) -> Labels | None:
        """The repository's labels; None when the answers are still those of `marks`."""

    def present_name(self, *, repository: str) -> str:
        """The repository's name today, which differs from the given one when it was renamed."""

    def counted(self) -> RequestCounts:
        """What was asked so far, by way of this object."""
