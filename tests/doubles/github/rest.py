"""The REST interface: which address is answered with what. The forms are in `shapes`, paging in `lists`.

Only reading; every answer is made from the world as it is, under its lock. Budgets, faults and headers that every
answer has are put on elsewhere.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, TypeVar

from tests.doubles.github import shapes
from tests.doubles.github.lists import (
    COMMENT_KEYS,
    ITEM_KEYS,
    Ordered,
    cursor_page,
    numbered_page,
    sorted_comments,
    sorted_items,
)  # fmt: skip
from tests.doubles.github.requests import Answer, Request, refusal
from tests.doubles.github.store import Store
from tests.doubles.github.values import Comment, Event, Item, PullRequest, Repository

T = TypeVar("T")
ISSUES = "/issues/issues#list-repository-issues"
LARGE = "Pagination with the page parameter is not supported for large datasets, please use cursor based pagination (after/before)"  # noqa: E501

_ROOT = re.compile(r"/(?:repos/([^/]+/[^/]+)|repositories/(\d+))(/.*)?")
_NUMBERED = re.compile(r"/(issues|pulls)/(\d+)(?:/(\w+))?")


@dataclass
class Rest:
    """The interface over a world. `cursors`: issue lists are linked by cursor; `page_limit`: the last page number."""

    world: Store
    cursors: bool = False
    page_limit: int | None = None

    def answer(self, request: Request) -> Answer:
        """Answer a request for a repository or a user. Never raises."""
        found = _ROOT.fullmatch(request.path)
        if request.method != "GET" or not found:
            return self._user(request) if request.method == "GET" else not_found()
        name, number, rest = found[1], found[2], found[3] or ""
        repository = self.world.find(name) if name else self.world.repositories.get(int(number))
        if repository is None:
            return not_found()
        if name and name.lower() != repository.full_name.lower():
            return moved(f"{_by_id(repository, request)}{rest}", request)
        return self._below(repository, rest.rstrip("/"), request)

    def _below(self, repository: Repository, rest: str, request: Request) -> Answer:
        lists = LISTS.get(rest)
        if lists:
            return lists(self, repository, request)
        if re.fullmatch(r"/issues/comments/\d+", rest):
            return self._comment(repository, int(rest.rsplit("/", 1)[1]), request)
        found = _NUMBERED.fullmatch(rest)
        if not found:
            return not_found()
        kind, number, part = found[1], int(found[2]), found[3] or ""
        item = repository.items.get(number)
        if item is None:
            return self._gone(repository, number, part or kind.removeprefix("issues"), request)
        return self._of_item(item, kind, part, request)

    def _gone(self, repository: Repository, number: int, part: str, request: Request) -> Answer:
        """A number without an issue: deleted, moved, or never given. Only the issue itself leads on when moved."""
        tombstone = repository.tombstones.get(number)
        if tombstone is None or (tombstone.target and part):
            return not_found("/issues/issues#get-an-issue")
        if tombstone.target is None:
            return refusal(410, "This issue was deleted", "/issues/issues#get-an-issue")
        target = tombstone.target
        return moved(f"{_by_id(target.repository, request)}/issues/{target.number}", request)

    def _of_item(self, item: Item, kind: str, part: str, request: Request) -> Answer:
        if kind == "pulls":
            return self._of_pull(item, part, request) if isinstance(item, PullRequest) else not_found()
        base = request.base
        if not part:
            return _found(shapes.item_json(item, base))
        if part == "comments":
            since = _since(request)
            comments = [comment for comment in item.comments if since is None or comment.updated_at >= since]
            listed = Ordered(comments, COMMENT_KEYS["id"])
            return self._page(listed, f"{_by_id(item.repository, request)}{_tail(request)}", request,
                              lambda comment: shapes.comment_json(comment, base))  # fmt: skip
        if part in ("timeline", "events"):
            happened = [*item.events, *(item.comments if part == "timeline" else ())]
            listed_events = Ordered(happened, attrgetter("created_at", "id"))
            return self._page(listed_events, f"{_by_id(item.repository, request)}{_tail(request)}", request,
                              lambda some: _happening(some, base))  # fmt: skip
        if part == "labels":
            repo = shapes.repository_url(item.repository, base)
            return _found([shapes.label_json(label, repo) for label in item.labels])
        return _found([]) if part == "reactions" else not_found()

    def _of_pull(self, pull: PullRequest, part: str, request: Request) -> Answer:
        """A pull request in its own form; nobody has reviewed any."""
        if not part:
            return _found(shapes.pull_json(pull, request.base))
        if part == "requested_reviewers":
            return _found({"users": [], "teams": []})
        return _found([]) if part in ("comments", "reviews", "commits", "files") else not_found()

    def _comment(self, repository: Repository, number: int, request: Request) -> Answer:
        for comment in sorted_comments(repository, "id"):
            if comment.id == number:
                return _found(shapes.comment_json(comment, request.base))
        return not_found("/issues/comments#get-an-issue-comment")

    def _user(self, request: Request) -> Answer:
        """A user, for clients that ask about everybody they meet."""
        parts = request.path.strip("/").split("/")
        user = self.world.users.get(parts[1]) if parts[0] == "users" and len(parts) > 1 else None
        if user is None:
            return not_found()
        if parts[2:] == ["orgs"]:
            return _found([])
        return _found((shapes.user_json(user, request.base) or {}) | {"name": None, "email": None, "company": None})

    # Lists of a repository.

    def repository(self, repository: Repository, request: Request) -> Answer:
        """The repository itself."""
        return _found(shapes.repository_json(repository, request.base))

    def issues(self, repository: Repository, request: Request) -> Answer:
        """Issues and pull requests."""
        if not repository.has_issues:
            return refusal(410, "Issues are disabled for this repo", ISSUES)
        query = request.query
        state, sort = query.get("state", "open"), query.get("sort", "created")
        if state not in ("open", "closed", "all") or sort not in ITEM_KEYS:
            return refusal(422, "Validation Failed", ISSUES)
        listed = Ordered(sorted_items(repository, state, sort), ITEM_KEYS[sort], query.get("direction") != "asc")
        since = _since(request)
        if since is not None:
            listed = listed.since(since, attrgetter("updated_at"), is_sorted_by_it=sort == "updated")
        if since is not None and since <= 0:
            listed = Ordered([], ITEM_KEYS[sort])  # GitHub finds nothing since 1970
        address = f"{_by_id(repository, request)}/issues"
        return self._page(listed, address, request, lambda item: shapes.item_json(item, request.base), cursors=True)

    def comments(self, repository: Repository, request: Request) -> Answer:
        """The comments of all issues and pull requests; a direction counts only with a sort."""
        query = request.query
        sort = query.get("sort", "id")
        if sort not in COMMENT_KEYS:
            return refusal(422, "Validation Failed", "/issues/comments#list-issue-comments-for-a-repository")
        descending = sort != "id" and query.get("direction") != "asc"
        listed = Ordered(sorted_comments(repository, sort), COMMENT_KEYS[sort], descending)
        since = _since(request)
        if since is not None:
            listed = listed.since(since, attrgetter("updated_at"), is_sorted_by_it=sort == "updated")
        address = f"{_by_id(repository, request)}/issues/comments"
        return self._page(listed, address, request, lambda comment: shapes.comment_json(comment, request.base))

    def labels(self, repository: Repository, request: Request) -> Answer:
        """The repository's labels by name."""
        repo = shapes.repository_url(repository, request.base)
        labels = sorted(repository.labels.values(), key=attrgetter("name"))
        listed = Ordered(labels, attrgetter("id", "id"))
        address = f"{_by_id(repository, request)}/labels"
        return self._page(listed, address, request, lambda label: shapes.label_json(label, repo))

    def pulls(self, repository: Repository, request: Request) -> Answer:
        """Pull requests only, in their own form; lists do not tell sizes."""
        state = request.query.get("state", "open")
        pulls = [item for item in sorted_items(repository, state, "created") if isinstance(item, PullRequest)]
        listed = Ordered(pulls, ITEM_KEYS["created"], request.query.get("direction") != "asc")
        address = f"{_by_id(repository, request)}/pulls"
        return self._page(listed, address, request, lambda pull: shapes.pull_json(pull, request.base))

    def _page(
        self,
        listed: Ordered[T],
        address: str,
        request: Request,
        shape: Callable[[T], dict[str, Any]],
        *,
        cursors: bool = False,
    ) -> Answer:
        query = request.query
        number, size = _whole(query.get("page"), 1), min(100, _whole(query.get("per_page"), 30))
        has_cursor = bool(query.get("after") or query.get("before"))
        if cursors and self.page_limit is not None and number > self.page_limit and not has_cursor:
            return refusal(422, LARGE, ISSUES)
        by_cursor = cursors and (self.cursors or self.page_limit is not None or has_cursor)
        try:
            page = (cursor_page if by_cursor else numbered_page)(listed, address, query, number, size)
        except ValueError:
            return refusal(422, "The cursor is invalid", ISSUES)
        return _found([shape(value) for value in page.values], {"Link": page.link} if page.link else {})


LISTS: dict[str, Callable[[Rest, Repository, Request], Answer]] = {
    "": Rest.repository,
    "/issues": Rest.issues,
    "/issues/comments": Rest.comments,
    "/labels": Rest.labels,
    "/pulls": Rest.pulls,
}


def not_found(path: str = "") -> Answer:
    """What is not there, or not for everybody's eyes."""
    return refusal(404, "Not Found", path)


def moved(address: str, request: Request) -> Answer:
    """It is elsewhere now; the question goes along."""
    query = request.target.partition("?")[2]
    where = f"{address}?{query}" if query else address
    answer = refusal(301, "Moved Permanently", "/guides/best-practices-for-using-the-rest-api#follow-redirects")
    answer.value["url"] = where
    answer.headers["Location"] = where
    return answer


def _found(value: Any, headers: dict[str, str] | None = None) -> Answer:
    return Answer(value=value, headers=headers or {}, has_etag=True)


def _by_id(repository: Repository, request: Request) -> str:
    """The address of a repository that no renaming changes, as it stands in links."""
    return f"{request.base}/repositories/{repository.id}"


def _tail(request: Request) -> str:
    """What follows the repository in the path."""
    found = _ROOT.fullmatch(request.path)
    return (found[3] or "") if found else ""


def _since(request: Request) -> int | None:
    """The `since` parameter in seconds; None when it is missing or no moment, as GitHub then ignores it."""
    try:
        moment = datetime.fromisoformat(request.query["since"])
    except (KeyError, ValueError):
        return None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def _happening(some: Event | Comment, base: str) -> dict[str, Any]:
    """An entry of a timeline; a comment is one too."""
    if isinstance(some, Comment):
        comment = shapes.comment_json(some, base)
        return comment | {"event": "commented", "actor": comment["user"]}
    return shapes.event_json(some, base)


def _whole(text: str | None, default: int) -> int:
    """A count of at least one; anything else is the default."""
    return int(text) if text and text.isdecimal() and int(text) > 0 else default
