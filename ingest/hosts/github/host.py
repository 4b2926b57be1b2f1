"""GitHub as a host of mirrors: which requests answer which question. Comments and fixes are in `details.py`."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from ingest.hosts import Asked, Batch, Census, Deleted, Glance, Glances, HostIssue, Labels, Moved, Page, glance_at
from ingest.hosts.asking.fields import UnreadableError, count, text
from ingest.hosts.asking.http import Answer
from ingest.hosts.errors import HostError, MissingError, NoIssuesError, RefusedError, TooMuchError, UnwellError
from ingest.hosts.github.client import Client
from ingest.hosts.github.details import DetailsReader
from ingest.hosts.github.nodes import glance_of, nodes_by_id
from ingest.hosts.github.payloads import read_issue, repository_of
from ingest.hosts.github.queries import CENSUS, glances
from ingest.hosts.github.timeline import read_timeline

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
            raise UnwellError("GitHub names a page that is not its own")
        page = self._page(url)
        assert page is not None  # noqa: S101 only a conditional request is answered "not modified"
        return page

    def details(self, *, repository: str, issues: Sequence[tuple[str, str]]) -> Batch:
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
            raise UnwellError(f"GitHub's answer makes no sense: {error}") from error
        return issue if issue.ref == ref and self._is_same(repository, issue.repository) else Moved(issue)

    @property
    def looks_an_hour(self) -> int:
        """At half of what GitHub allows: 5,000 points, 12 for 200 issues; without a token 60 requests, two an issue."""
        return 40_000 if self.client.may_query else 15

    def glance(self, *, repository: str, issues: Sequence[tuple[str, str]]) -> Glances:
        """Look at many issues at once, given as (node id, ref); with a token their ids suffice, wherever they are."""
        if not self.client.may_query:
            return self._look_at_each(repository, issues)
        return self._glance([node_id for node_id, _ in issues])

    def _look_at_each(self, repository: str, issues: Sequence[tuple[str, str]]) -> Glances:
        found: dict[str, Glance] = {}
        vanished: set[str] = set()
        failed: dict[str, str] = {}
        for node_id, ref in issues:
            try:
                seen = self.look(repository=repository, ref=ref)
                details = read_timeline(self.client, repository=repository, ref=ref, node_id=node_id)
            except UnwellError as error:
                failed[node_id] = str(error)
                continue
            if isinstance(seen, HostIssue) and details is not None:
                found[node_id] = glance_at(seen, repository, details.comments, closings=None)
            else:
                vanished.add(node_id)
        return Glances(found, frozenset(vanished), failed)

    def _glance(self, node_ids: Sequence[str]) -> Glances:
        """Look at issues; in halves if that is too much for GitHub."""
        lists = [list(node_ids[start : start + AT_ONCE]) for start in range(0, len(node_ids), AT_ONCE)]
        asked = {f"ids{k}": some for k, some in enumerate(lists)}
        try:
            data = self.client.query(glances(len(lists)), asked, is_divisible=len(node_ids) > 1)
        except TooMuchError:
            half = len(node_ids) // 2
            first, rest = self._glance(node_ids[:half]), self._glance(node_ids[half:])
            return Glances(
                {**first.found, **rest.found}, first.vanished | rest.vanished, {**first.failed, **rest.failed}
            )
        nodes: dict[str, dict[str, Any]] = {}
        reasons: dict[str, str] = {}
        for k, some in enumerate(lists):
            shown, why = nodes_by_id(some, data, name=f"nodes{k}")
            nodes |= shown
            reasons |= why
        found: dict[str, Glance] = {}
        failed = {key: why for key, why in reasons.items() if why != "NOT_FOUND"}
        for node_id, node in nodes.items():
            try:
                found[node_id] = glance_of(node)
            except UnreadableError as error:
                failed[node_id] = str(error)
        vanished = frozenset(key for key, why in reasons.items() if why == "NOT_FOUND")
        return Glances(found, vanished, failed)

    def census(self, *, repository: str) -> Census | None:
        """Count what GitHub has; None without a token, since only GraphQL tells."""
        if not self.client.may_query:
            return None
        owner, name = repository.split("/", 1)
        data = self.client.query(CENSUS, {"owner": owner, "name": name})
        found = (data.get("data") or {}).get("repository")
        if not isinstance(found, dict):
            return None
        return Census(*(count((found.get(key) or {}).get("totalCount")) for key in ("issues", "open", "pullRequests")))

    def labels(self, *, repository: str, marks: Mapping[str, str]) -> Labels | None:
        """The repository's labels; None when the answers are still those of `marks`, which GitHub does not charge."""
        is_ours = bool(marks) and all(url.startswith(f"{self.client.api_url}/") for url in marks)
        if is_ours and all(self.client.get(url, etag=mark).status == 304 for url, mark in marks.items()):
            return None
        found: dict[str, str] = {}
        seen: dict[str, str] = {}
        url = f"{self._repository(repository)}/labels?per_page={PAGE}"
        while url:
            answer = self.client.get(url)
            if answer.status != 200 or not isinstance(answer.data, list):
                raise _missing(answer, url)
            labels = [label for label in answer.data if isinstance(label, dict)]
            found |= {text(label.get("node_id")): text(label.get("name")) for label in labels}
            seen[url], url = answer.headers.get("etag", ""), answer.next_url
        # Behind a full last page another may begin, of which that page's mark tells nothing.
        return Labels(found, seen if all(seen.values()) and len(labels) < PAGE else {})

    def present_name(self, *, repository: str) -> str:
        """The repository's name today."""
        answer = self.client.get(self._repository(repository))
        if answer.status != 200 or not isinstance(answer.data, dict):
            raise _missing(answer, repository)
        return text(answer.data.get("full_name")) or repository

    def counted(self) -> Asked:
        """What was asked so far."""
        counts = self.client.counts
        return Asked(counts.requests, counts.not_modified, counts.waited_seconds, counts.budget_left)

    def _is_same(self, repository: str, name: str) -> bool:
        """Is this name our repository's, today's if not the one we know?"""
        return name.lower() == repository.lower() or (name.lower() == self.present_name(repository=repository).lower())

    def _repository(self, repository: str) -> str:
        return f"{self.client.api_url}/repos/{repository}"

    def _list(self, repository: str, since: dt.datetime | None, direction: str) -> str:
        asked = {"state": "all", "sort": "updated", "direction": direction, "per_page": str(PAGE)}
        if since is not None:
            asked["since"] = since.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return f"{self._repository(repository)}/issues?{urlencode(asked)}"

    def _page(self, url: str, *, etag: str = "") -> Page | None:
        answer = self.client.get(url, etag=etag)
        if answer.status == 304:
            return None
        if answer.status != 200 or not isinstance(answer.data, list):
            raise _missing(answer, url)
        issues: list[HostIssue] = []
        unreadable: list[str] = []
        for item in answer.data:
            try:
                issues.append(read_issue(item))
            except UnreadableError as error:
                unreadable.append(str(error))
        return Page(tuple(issues), answer.next_url, answer.headers.get("etag", ""), tuple(unreadable))


def _missing(answer: Answer, what: str) -> HostError:
    said = answer.data.get("message", "") if isinstance(answer.data, dict) else ""
    name = repository_of({"html_url": what}) or what
    match answer.status:
        case 404 | 451:
            return MissingError(f"GitHub knows no repository {name}, or hides it from us")
        case 410:
            return NoIssuesError(f"{name} keeps no issues on GitHub")
        case 422:
            return RefusedError(f"GitHub did not accept the question: {text(said)[:200]}")
        case status:
            return UnwellError(f"GitHub answered with status {status}: {text(said)[:200]}")
