"""Which address is answered with what. Only reading; every answer is made from the world as it is, under its lock."""

import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from tests.doubles.gitee import shapes
from tests.doubles.github.requests import Answer, Request
from tests.doubles.github.store import Store
from tests.doubles.github.truth import fixing_pulls
from tests.doubles.github.values import Issue, PullRequest, Repository

ROOT = "/api/v5"
_LINKED = re.compile(rf"{ROOT}/repos/([^/]+)/issues/(I\w+)/pull_requests")
_BELOW = re.compile(rf"{ROOT}/repos/([^/]+/[^/]+)(?:/(issues|pulls|labels)(?:/(\w+)(?:/(comments|files))?)?)?")
STATES: dict[str, Callable[[Any], str]] = {"issues": shapes.state, "pulls": shapes.pull_state}


@dataclass
class Rest:
    """The interface over a world. `page_limit` is there for the faults of the double of GitHub and not heeded."""

    world: Store
    page_limit: int | None = None

    def answer(self, request: Request) -> Answer:
        """Answer a request. Never raises."""
        if linked := _LINKED.fullmatch(request.path):
            repository = self.world.find(f"{linked[1]}/{request.query.get('repo', '')}")
            issue = _issue(repository, linked[2])
            return _page([shapes.pull_json(pull) for pull in fixing_pulls(issue)], request) if issue else not_found()
        found = _BELOW.fullmatch(request.path)
        repository = self.world.find(found[1]) if found else None
        if not found or repository is None:
            return not_found()
        kind, ref, part = found[2], found[3], found[4]
        if ref:
            return _of_one(repository, kind, ref, part, request)
        if kind == "labels":
            return _page([shapes.label_json(label) for label in repository.labels.values()], request)
        return _list(repository, kind, request) if kind else Answer(value=shapes.repository_json(repository))


def _of_one(repository: Repository, kind: str, ref: str, part: str | None, request: Request) -> Answer:
    if kind == "issues":
        issue = _issue(repository, ref)
        if issue is None or (part and issue.repository is not repository):
            return not_found()
        if part == "comments":
            return _page([shapes.comment_json(comment) for comment in issue.comments], request)
        return Answer(value=shapes.issue_json(issue))
    pull = repository.items.get(int(ref)) if ref.isdigit() else None
    if not isinstance(pull, PullRequest):
        return not_found()
    return _page(shapes.files_json(pull), request) if part == "files" else Answer(value=shapes.pull_json(pull))


def _issue(repository: Repository | None, ref: str) -> Issue | None:
    """The issue with a code; one that was moved elsewhere is shown under its old address as it is there."""
    if repository is None:
        return None
    for item in repository.items.values():
        if isinstance(item, Issue) and shapes.code(item) == ref:
            return item
    stones = (stone for stone in repository.tombstones.values() if shapes.code(stone.item) == ref)
    return next((stone.target for stone in stones), None)


def _list(repository: Repository, kind: str, request: Request) -> Answer:
    """Issues or pull requests; whatever a parameter says that is not known, as Gitee seems to, is passed over."""
    query = request.query
    wanted = Issue if kind == "issues" else PullRequest
    items: list[Any] = [item for item in repository.items.values() if isinstance(item, wanted)]
    state = query.get("state", "open")
    since = dt.datetime.fromisoformat(query["since"]).timestamp() if "since" in query else 0
    items = [item for item in items if item.updated_at >= since and state in ("all", STATES[kind](item))]
    key = attrgetter("updated_at" if query.get("sort") == "updated" else "created_at", "id")
    items.sort(key=key, reverse=query.get("direction", "desc") == "desc")
    shape = shapes.issue_json if kind == "issues" else shapes.pull_json
    return _page(items, request, shape)


def _page(values: Sequence[Any], request: Request, shape: Any = None) -> Answer:
    """A page by its number, and in the headers how many there are."""
    number, size = int(request.query.get("page", 1)), min(100, int(request.query.get("per_page", 20)))
    cut = values[(number - 1) * size : number * size]
    headers = {"total_count": str(len(values)), "total_page": str(-(-len(values) // size))}
    return Answer(value=[shape(value) for value in cut] if shape else list(cut), headers=headers)


def not_found() -> Answer:
    """What is not there, or not for everybody's eyes."""
    return Answer(404, {"message": "404 Not Found"})
