"""Gitee as a host of mirrors: which requests answer which question. Its lists of changes are in `lists.py`."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ingest.hosts import (
    Asked,
    Batch,
    Census,
    Deleted,
    Details,
    Glance,
    Glances,
    HostClosing,
    HostComment,
    HostIssue,
    Labels,
    Moved,
    Page,
    glance_at,
)  # fmt: skip
from ingest.hosts.asking.fields import UnreadableError, text
from ingest.hosts.errors import MissingError, UnwellError
from ingest.hosts.gitee import lists
from ingest.hosts.gitee.client import Client
from ingest.hosts.gitee.payloads import MOST_FILES, read_closing, read_comment, read_issue, read_pull, read_size

# What comes before a limit is reached is kept; so many issues' answers may be lost.
AT_ONCE = 20
READINGS = 4

T = TypeVar("T")


class Gitee:
    """Fills in `ingest.hosts.Host`."""

    def __init__(self, client: Client) -> None:
        self.client = client

    @property
    def at_once(self) -> int:
        """Without a token hardly more than one issue's questions are answered before a limit."""
        return AT_ONCE if self.client.has_token else 1

    @property
    def glanced_at_once(self) -> int:
        """A look takes as many requests as reading does."""
        return self.at_once

    @property
    def looks_an_hour(self) -> int:
        """Three requests each; what Gitee allows is not known, so that this is on the safe side."""
        return 100 if self.client.has_token else 10

    @property
    def reads_pull_comments(self) -> bool:
        """Each pull request would be a request of its own."""
        return False

    def newest(self, *, repository: str, since: dt.datetime | None, etag: str) -> Page | None:
        """What was changed since a moment, newest first, first page only; None when it still is what `etag` marks."""
        page = lists.newest(self.client, repository=repository, since=since)
        return None if page.etag == etag else page

    def changes(self, *, repository: str, since: dt.datetime | None) -> Page:
        """What was changed since a moment (inclusive), oldest first."""
        return lists.changes(self.client, repository=repository, since=since)

    def follow(self, *, url: str) -> Page:
        """Raise `UnwellError`: each page of changes goes beyond the one before, so that none is ever followed."""
        raise UnwellError(f"Gitee's lists are read by moment, not by address ({url[:80]})")

    def details(self, *, repository: str, issues: Sequence[tuple[str, str]]) -> Batch:
        """Comments and linked pull requests of issues, given as (node id, ref)."""
        found, vanished, failed = self._each(
            issues,
            lambda node_id, ref: Details(
                node_id, self._comments(repository, ref), self._closings(repository, ref, with_sizes=True)
            ),
        )
        return Batch(found, vanished, failed)

    def glance(self, *, repository: str, issues: Sequence[tuple[str, str]]) -> Glances:
        """Look at issues, given as (node id, ref), one after the other."""
        return Glances(*self._each(issues, lambda _node_id, ref: self._glance(repository, ref)))

    def look(self, *, repository: str, ref: str) -> HostIssue | Deleted | Moved | None:
        """One issue or pull request as it stands now; `Deleted` when only it is missing, not its repository."""
        is_pull = ref.isdigit()
        found = self.client.find(f"/repos/{repository}/{'pulls' if is_pull else 'issues'}/{ref}")
        if found is None:
            self.present_name(repository=repository)
            return Deleted()
        try:
            issue = read_pull(found) if is_pull else read_issue(found)
        except UnreadableError as error:
            raise UnwellError(f"Gitee's answer makes no sense: {error}") from error
        return issue if self._is_same(repository, issue.repository) else Moved(issue)

    def census(self, *, repository: str) -> Census | None:
        """Count what Gitee has; None when it does not tell."""
        counts = [
            self.client.page(f"/repos/{repository}/{kind}", asked={"state": state}, number=1, size=1).total
            for kind, state in (("issues", "all"), ("issues", "open"), ("issues", "progressing"), ("pulls", "all"))
        ]
        if any(number is None for number in counts):
            return None
        issues, waiting, progressing, pulls = (number or 0 for number in counts)
        return Census(issues, waiting + progressing, pulls)

    def labels(self, *, repository: str, marks: Mapping[str, str]) -> Labels | None:  # noqa: ARG002 Gitee knows none
        """The repository's labels."""
        pages = self.client.pages(f"/repos/{repository}/labels", asked={})
        labels = [label for page in pages for label in page.items if isinstance(label, dict)]
        return Labels({str(label.get("id")): text(label.get("name")) for label in labels})

    def present_name(self, *, repository: str) -> str:
        """The repository's name today."""
        found = self.client.find(f"/repos/{repository}")
        if found is None:
            raise MissingError(f"Gitee knows no repository {repository}, or hides it from us")
        return text(found.get("full_name")) or repository

    def counted(self) -> Asked:
        """What was asked so far."""
        counts = self.client.counts
        return Asked(counts.requests, counts.not_modified, counts.waited_seconds, counts.budget_left)

    def _each(
        self, issues: Sequence[tuple[str, str]], read: Callable[[str, str], T]
    ) -> tuple[dict[str, T], frozenset[str], dict[str, str]]:
        """Read each issue: what was found by node id, which are not there, and why others could not be read."""
        found: dict[str, T] = {}
        vanished: set[str] = set()
        failed: dict[str, str] = {}
        for node_id, ref in issues:
            try:
                found[node_id] = read(node_id, ref)
            except MissingError:
                vanished.add(node_id)
            except (UnwellError, UnreadableError) as error:
                failed[node_id] = str(error)
        return found, frozenset(vanished), failed

    def _glance(self, repository: str, ref: str) -> Glance:
        seen = self.look(repository=repository, ref=ref)
        if isinstance(seen, Moved):
            seen = seen.issue
        if not isinstance(seen, HostIssue):
            raise MissingError(f"{ref} is gone")
        return glance_at(
            seen,
            repository,
            self._comments(repository, ref) if seen.comment_count else (),
            closings={one.url: one.state for one in self._closings(repository, ref, with_sizes=False)},
        )

    def _comments(self, repository: str, ref: str) -> tuple[HostComment, ...]:
        """All comments of an issue; several pages of them are read until two readings agree."""
        before: list[HostComment] | None = None
        for _ in range(READINGS):
            pages = list(self.client.pages(f"/repos/{repository}/issues/{ref}/comments", asked={}))
            comments = [read_comment(item) for page in pages for item in page.items]
            if len(pages) == 1 or comments == before:
                return tuple(comments)
            before = comments
        raise UnwellError("its comments changed while they were read")

    def _closings(self, repository: str, ref: str, *, with_sizes: bool) -> tuple[HostClosing, ...]:
        """The pull requests that are linked to an issue."""
        owner, name = repository.split("/", 1)
        path = f"/repos/{owner}/issues/{ref}/pull_requests"
        pulls = [pull for page in self.client.pages(path, asked={"repo": name}) for pull in page.items]
        return tuple(read_closing(pull, self._size(pull) if with_sizes else None) for pull in pulls)

    def _size(self, data: object) -> tuple[int, int, int] | None:
        """How much a merged pull request changed; not asked for others, which may still change."""
        try:
            pull = read_pull(data)
        except UnreadableError:
            return None
        if not isinstance(data, dict) or data.get("state") != "merged" or not pull.repository:
            return None
        files: list[object] = []
        try:
            for page in self.client.pages(f"/repos/{pull.repository}/pulls/{pull.ref}/files", asked={}):
                files += page.items
                if len(files) >= MOST_FILES:
                    break
        except MissingError:
            # Its repository may be closed to us, which says nothing about the issue.
            return None
        return read_size(files)

    def _is_same(self, repository: str, name: str) -> bool:
        """Is this name our repository's, today's if not the one we know?"""
        same = {repository.lower(), ""}
        return name.lower() in same or name.lower() == self.present_name(repository=repository).lower()
