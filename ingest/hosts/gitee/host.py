"""Gitee as a host of mirrors: which requests answer which question. Its lists of changes are in `lists.py`."""

import datetime as dt
from collections.abc import Mapping, Sequence
from itertools import chain

from ingest.hosts import (
    Batch,
    Census,
    Deleted,
    Details,
    Glance,
    HostClosing,
    HostComment,
    HostIssue,
    Labels,
    Moved,
    Page,
    RequestCounts,
    glance_at,
)  # fmt: skip
from ingest.hosts.asking.batches import read_each
from ingest.hosts.errors import MissingError, UnwellError
from ingest.hosts.gitee import lists
from ingest.hosts.gitee.client import Client
from ingest.hosts.gitee.payloads import MOST_FILES, Size, read_closing, read_comment, read_issue, read_pull, read_size
from ingest.hosts.payload import Payload, UnreadableError, objects_in

# What comes before a limit is reached is kept; so many issues' answers may be lost.
AT_ONCE = 20
READINGS = 4


class Gitee:
    """Fills in `ingest.hosts.Host`."""

    def __init__(self, client: Client) -> None:
        self.client = client

    @property
    def at_once(self) -> int:
        """Without a token hardly more than one issue's questions are answered before a limit."""
        return AT_ONCE if self.client.asker.has_token else 1

    @property
    def glanced_at_once(self) -> int:
        """A look takes as many requests as reading does."""
        return self.at_once

    @property
    def looks_an_hour(self) -> int:
        """Three requests each; what Gitee allows is not known, so that this is on the safe side."""
        return 100 if self.client.asker.has_token else 10

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
        raise UnwellError(f"Gitee's lists are read by time, not by address ({url[:80]})")

    def details(self, *, repository: str, issues: Sequence[tuple[str, str]]) -> Batch[Details]:
        """Comments and linked pull requests of issues, given as (node id, ref)."""
        return read_each(
            issues,
            lambda node_id, ref: Details(
                node_id, self._comments(repository, ref), self._closings(repository, ref, with_sizes=True)
            ),
        )

    def glance(self, *, repository: str, issues: Sequence[tuple[str, str]]) -> Batch[Glance]:
        """Look at issues, given as (node id, ref), one after the other."""
        return read_each(issues, lambda _node_id, ref: self._glance(repository, ref))

    def look(self, *, repository: str, ref: str) -> HostIssue | Deleted | Moved | None:
        """One issue or pull request as it stands now; `Deleted` when only it is missing, not its repository."""
        kind, read = ("pulls", read_pull) if ref.isdigit() else ("issues", read_issue)
        answer = self.client.find(f"/repos/{repository}/{kind}/{ref}")
        if answer is None:
            self.present_name(repository=repository)
            return Deleted()
        try:
            issue = read(answer)
        except UnreadableError as error:
            raise UnwellError(f"Gitee's response cannot be read: {error}") from error
        name = issue.repository.lower()
        if name in ("", repository.lower()) or name == self.present_name(repository=repository).lower():
            return issue
        return Moved(issue)

    def census(self, *, repository: str) -> Census | None:
        """Count what Gitee has; None when it does not tell."""
        issues = self._total(repository, "issues", "all")
        waiting, progressing = (
            self._total(repository, "issues", "open"),
            self._total(repository, "issues", "progressing"),
        )
        pulls = self._total(repository, "pulls", "all")
        if issues is None or waiting is None or progressing is None or pulls is None:
            return None
        return Census(issues, waiting + progressing, pulls)

    def labels(self, *, repository: str, marks: Mapping[str, str]) -> Labels | None:  # noqa: ARG002 Gitee knows none
        """The repository's labels."""
        labels = objects_in(list(self.client.items(f"/repos/{repository}/labels")))
        return Labels({str(label.get("id")): label.text("name") for label in labels})

    def present_name(self, *, repository: str) -> str:
        """The repository's name today."""
        answer = self.client.find(f"/repos/{repository}")
        if answer is None:
            raise MissingError(f"Gitee has no repository {repository}, or hides it from us")
        return Payload.read(answer).text("full_name") or repository

    def counted(self) -> RequestCounts:
        """What was asked so far."""
        return self.client.asker.counted()

    def _total(self, repository: str, kind: str, state: str) -> int | None:
        return self.client.page(f"/repos/{repository}/{kind}", {"state": state}, number=1, size=1).total

    def _glance(self, repository: str, ref: str) -> Glance:
        issue = self.look(repository=repository, ref=ref)
        if isinstance(issue, Moved):
            issue = issue.issue
        if not isinstance(issue, HostIssue):
            raise MissingError(f"{ref} is gone")
        comments = self._comments(repository, ref) if issue.comment_count else ()
        closings = self._closings(repository, ref, with_sizes=False)
        return glance_at(issue, repository, comments, closings={closing.url: closing.state for closing in closings})

    def _comments(self, repository: str, ref: str) -> tuple[HostComment, ...]:
        """All comments of an issue; several pages of them are read until two readings agree."""
        before: list[HostComment] | None = None
        for _ in range(READINGS):
            pages = list(self.client.pages(f"/repos/{repository}/issues/{ref}/comments"))
            comments = [read_comment(item) for item in chain.from_iterable(page.items for page in pages)]
            if len(pages) == 1 or comments == before:
                return tuple(comments)
            before = comments
        raise UnwellError("its comments changed while they were read")

    def _closings(self, repository: str, ref: str, *, with_sizes: bool) -> tuple[HostClosing, ...]:
        """The pull requests that are linked to an issue."""
        owner, name = repository.split("/", 1)
        closings: list[HostClosing] = []
        for pull in list(self.client.items(f"/repos/{owner}/issues/{ref}/pull_requests", repo=name)):
            size = self._size(pull) if with_sizes else None
            closings.append(read_closing(pull, size))
        return tuple(closings)

    def _size(self, data: object) -> Size | None:
        """How much a merged pull request changed; not asked for others, which may still change."""
        try:
            pull = read_pull(data)
        except UnreadableError:
            return None
        if Payload.read(data).get("state") != "merged" or not pull.repository:
            return None
        files: list[object] = []
        try:
            for file in self.client.items(f"/repos/{pull.repository}/pulls/{pull.ref}/files"):
                files.append(file)
                if len(files) >= MOST_FILES:
                    break
        except MissingError:
            # Its repository may be closed to us, which says nothing about the issue.
            return None
        return read_size(files)
