"""GitHub as a host of mirrors: which requests answer which question. Comments and fixes are in `details.py`."""

import datetime as dt
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from ingest.hosts import (
    Batch,
    Census,
    Deleted,
    Details,
    Glance,
    HostIssue,
    Labels,
    Moved,
    Page,
    RequestCounts,
    glance_at,
)
from ingest.hosts.asking.batches import read_each
from ingest.hosts.asking.http import Answer
from ingest.hosts.asking.retries import message_of
from ingest.hosts.errors import HostError, MissingError, RefusedError, TooMuchError, UnwellError
from ingest.hosts.github.client import Client
from ingest.hosts.github.details import DetailsReader
from ingest.hosts.github.nodes import glance_of, nodes_by_id
from ingest.hosts.github.payloads import read_issue, repository_of
from ingest.hosts.github.queries import CENSUS, glances
from ingest.hosts.github.timeline import read_timeline
from ingest.hosts.payload import Payload, UnreadableError, objects_in, read_all

PAGE = 100
# As many as one list of a GraphQL question may be about, and of how many such lists one for a mere look is made.
AT_ONCE, LISTS = 100, 2


class GitHub:
    """Fills in `ingest.hosts.Host`."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._details = DetailsReader(client)

    @property
    def at_once(self) -> int:
        """Without a token each issue is a question of its own, and sixty are answered in an hour."""
        return AT_ONCE if self.client.may_query else 1

    @property
    def glanced_at_once(self) -> int:
        """Looks bring no texts, so that one question may be about more."""
        return AT_ONCE * LISTS if self.client.may_query else 1

    @property
    def reads_pull_comments(self) -> bool:
        """Without a token they would cost a request for each pull request, of sixty an hour; issues need those."""
        return self.client.may_query

    def newest(self, *, repository: str, since: dt.datetime | None, etag: str) -> Page | None:
        """What was changed since a moment, newest first, first page only; None when the answer is still `etag`'s.

        Newest first, because a full page of the oldest would look the same whatever is new behind it.
        """
        return self._page(self._list(repository, since, "desc"), etag=etag)

    def changes(self, *, repository: str, since: dt.datetime | None) -> Page:
        """What was changed since a moment (inclusive), oldest first."""
        return self.follow(url=self._list(repository, since, "asc"))

    def follow(self, *, url: str) -> Page:
        """The page at an address that another page named. Raises `UnwellError` for an address of another host."""
        if not url.startswith(f"{self.client.api_url}/"):
            raise UnwellError("GitHub names a page on another host")
        page = self._page(url)
        assert page is not None  # noqa: S101 only a conditional request is answered "not modified"
        return page

    def details(self, *, repository: str, issues: Sequence[tuple[str, str]]) -> Batch[Details]:
        """Comments and closing references of issues, given as (node id, ref)."""
        return self._details.read(repository=repository, issues=issues)

    def look(self, *, repository: str, ref: str) -> HostIssue | Deleted | Moved | None:
        """One issue as it stands now; None when GitHub knows nothing of it."""
        answer = self.client.get(f"{self._repository(repository)}/issues/{ref}")
        if answer.status == 410:
            return Deleted()
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise UnwellError(f"GitHub answered with status {answer.status}")
        try:
            issue = read_issue(answer.data)
        except UnreadableError as error:
            raise UnwellError(f"GitHub's response cannot be read: {error}") from error
        return issue if issue.ref == ref and self._is_same(repository, issue.repository) else Moved(issue)

    @property
    def looks_an_hour(self) -> int:
        """At half of what GitHub allows: 5,000 points, 12 for 200 issues; without a token 60 requests, two an issue."""
        return 40_000 if self.client.may_query else 15

    def glance(self, *, repository: str, issues: Sequence[tuple[str, str]]) -> Batch[Glance]:
        """Look at many issues at once, given as (node id, ref); with a token their ids suffice, wherever they are."""
        if not self.client.may_query:
            return read_each(issues, lambda node_id, ref: self._glance_by_rest(repository, ref, node_id))
        return self._glance_by_query([node_id for node_id, _ in issues])

    def _glance_by_rest(self, repository: str, ref: str, node_id: str) -> Glance:
        issue = self.look(repository=repository, ref=ref)
        if not isinstance(issue, HostIssue):
            raise MissingError(f"{ref} is gone")
        details = read_timeline(self.client, repository=repository, ref=ref, node_id=node_id)
        return glance_at(issue, repository, details.comments, closings=None)

    def _glance_by_query(self, node_ids: Sequence[str]) -> Batch[Glance]:
        """Look at issues; in halves if that is too large for GitHub."""
        lists = [list(node_ids[start : start + AT_ONCE]) for start in range(0, len(node_ids), AT_ONCE)]
        variables: dict[str, str | list[str]] = {f"ids{k}": ids for k, ids in enumerate(lists)}
        try:
            answer = self.client.query(glances(len(lists)), variables, is_divisible=len(node_ids) > 1)
        except TooMuchError:
            half = len(node_ids) // 2
            return self._glance_by_query(node_ids[:half]) | self._glance_by_query(node_ids[half:])
        seen: dict[str, Glance] = {}
        vanished: set[str] = set()
        failed: dict[str, str] = {}
        for k, ids in enumerate(lists):
            nodes, reasons = nodes_by_id(ids, answer, name=f"nodes{k}")
            for node_id, reason in reasons.items():
                if reason == "NOT_FOUND":
                    vanished.add(node_id)
                else:
                    failed[node_id] = reason
            for node_id, node in nodes.items():
                try:
                    seen[node_id] = glance_of(node)
                except UnreadableError as error:
                    failed[node_id] = str(error)
        return Batch(seen, frozenset(vanished), failed)

    def census(self, *, repository: str) -> Census | None:
        """Count what GitHub has; None without a token, since only GraphQL tells."""
        if not self.client.may_query:
            return None
        owner, name = repository.split("/", 1)
        answer = self.client.query(CENSUS, {"owner": owner, "name": name})
        counts = answer.part("data").part("repository")
        if not counts:
            return None
        return Census(
            issues=counts.part("issues").count("totalCount"),
            open_issues=counts.part("open").count("totalCount"),
            pull_requests=counts.part("pullRequests").count("totalCount"),
        )

    def labels(self, *, repository: str, marks: Mapping[str, str]) -> Labels | None:
        """The repository's labels; None when the answers are still those of `marks`, which GitHub does not charge."""
        is_ours = bool(marks) and all(url.startswith(f"{self.client.api_url}/") for url in marks)
        if is_ours and all(self.client.get(url, etag=mark).status == 304 for url, mark in marks.items()):
            return None
        names: dict[str, str] = {}
        new_marks: dict[str, str] = {}
        url = f"{self._repository(repository)}/labels?per_page={PAGE}"
        while url:
            answer = self.client.get(url)
            if answer.status != 200 or not isinstance(answer.data, list):
                raise self._problem(answer, url)
            labels = objects_in(answer.data)
            for label in labels:
                names[label.text("node_id")] = label.text("name")
            new_marks[url], url = answer.headers.get("etag", ""), answer.next_url
        # Behind a full last page another may begin, of which that page's mark tells nothing.
        if len(labels) >= PAGE or not all(new_marks.values()):
            return Labels(names)
        return Labels(names, new_marks)

    def present_name(self, *, repository: str) -> str:
        """The repository's name today."""
        answer = self.client.get(self._repository(repository))
        if answer.status != 200 or not isinstance(answer.data, dict):
            raise self._problem(answer, repository)
        return Payload(answer.data).text("full_name") or repository

    def counted(self) -> RequestCounts:
        """What was asked so far."""
        return self.client.asker.counted()

    def _is_same(self, repository: str, name: str) -> bool:
        """Return whether a name is our repository's: the one we know, or today's."""
        return name.lower() == repository.lower() or name.lower() == self.present_name(repository=repository).lower()

    def _repository(self, repository: str) -> str:
        return f"{self.client.api_url}/repos/{repository}"

    def _list(self, repository: str, since: dt.datetime | None, direction: str) -> str:
        parameters = {"state": "all", "sort": "updated", "direction": direction, "per_page": str(PAGE)}
        if since is not None:
            parameters["since"] = since.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return f"{self._repository(repository)}/issues?{urlencode(parameters)}"

    def _page(self, url: str, *, etag: str = "") -> Page | None:
        answer = self.client.get(url, etag=etag)
        if answer.status == 304:
            return None
        if answer.status != 200 or not isinstance(answer.data, list):
            raise self._problem(answer, url)
        issues, unreadable = read_all(answer.data, read_issue)
        return Page(issues, answer.next_url, answer.headers.get("etag", ""), unreadable)

    def _problem(self, answer: Answer, url: str) -> HostError:
        if answer.status == 422:
            return RefusedError(f"GitHub rejected the query: {message_of(answer)}")
        return self.client.asker.problem(answer, repository=repository_of(Payload({"html_url": url})) or url)
