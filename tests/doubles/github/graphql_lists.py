"""The paged lists of the GraphQL schema: what each holds, in which order, after its filters."""

from collections.abc import Callable, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any

from tests.doubles.github.graphql_fields import Arguments, pull_state
from tests.doubles.github.lists import COMMENT_KEYS, ITEM_KEYS, Kept, Ordered, sorted_items
from tests.doubles.github.values import (
    ClosedEvent,
    Comment,
    ConnectedEvent,
    CrossReferencedEvent,
    Issue,
    Item,
    Label,
    PullRequest,
    ReopenedEvent,
    Repository,
)  # fmt: skip

EVENT_TYPES: dict[str, type] = {
    "CLOSED_EVENT": ClosedEvent,
    "REOPENED_EVENT": ReopenedEvent,
    "CROSS_REFERENCED_EVENT": CrossReferencedEvent,
    "CONNECTED_EVENT": ConnectedEvent,
}


def _comments(item: Item, arguments: Arguments) -> Ordered[Comment]:
    order = arguments.get("orderBy")
    if not order:
        return Ordered(item.comments, COMMENT_KEYS["id"])
    key = COMMENT_KEYS["updated"]
    return Ordered(sorted(item.comments, key=key), key, order["direction"] == "DESC")


def _closing_pulls(issue: Issue, arguments: Arguments) -> Kept[PullRequest]:
    """Linked pull requests; given up ones only when asked for, merged ones always, as GitHub does."""
    pulls = list(issue.links)
    if not arguments.get("includeClosedPrs"):
        pulls = [pull for pull in pulls if pull.merged_at or pull.state == "open"]
    if arguments.get("userLinkedOnly"):
        by_hand = {event.source for event in issue.events if isinstance(event, ConnectedEvent)}
        pulls = [pull for pull in pulls if pull in by_hand]
    if arguments.get("orderByState"):
        pulls.sort(key=lambda pull: ("OPEN", "MERGED", "CLOSED").index(pull_state(pull)))
    return Kept(pulls)


def _timeline(item: Item, arguments: Arguments) -> Kept[Any]:
    events: Sequence[Any] = item.events
    if arguments.get("itemTypes"):
        kinds = tuple(EVENT_TYPES[name] for name in arguments["itemTypes"] if name in EVENT_TYPES)
        events = [event for event in events if isinstance(event, kinds)]
    if arguments.get("since"):
        moment = int(datetime.fromisoformat(arguments["since"]).timestamp())
        events = [event for event in events if event.created_at >= moment]
    return Kept(events)


def _items(kind: type[Item]) -> Callable[[Repository, Arguments], Ordered[Item]]:
    def listed(repository: Repository, arguments: Arguments) -> Ordered[Item]:
        order = arguments.get("orderBy") or {"field": "CREATED_AT", "direction": "ASC"}
        sort = {"CREATED_AT": "created", "UPDATED_AT": "updated", "COMMENTS": "comments"}[order["field"]]
        filters = arguments.get("filterBy") or {}
        states = arguments.get("states") or filters.get("states")
        names, since = set(arguments.get("labels") or ()), filters.get("since")
        oldest = int(datetime.fromisoformat(since).timestamp()) if since else 0
        items = [
            item
            for item in sorted_items(repository, "all", sort)
            if isinstance(item, kind)
            and item.updated_at >= oldest
            and (not states or _state(item) in states)
            and (not names or any(label.name in names for label in item.labels))
        ]
        return Ordered(items, ITEM_KEYS[sort], order["direction"] == "DESC")

    return listed


def _state(item: Item) -> str:
    return pull_state(item) if isinstance(item, PullRequest) else item.state.upper()


def _repository_labels(repository: Repository, _: Arguments) -> Kept[Label]:
    return Kept(sorted(repository.labels.values(), key=attrgetter("name")))


Connections = dict[str, Callable[[Any, Arguments], Ordered[Any]]]

_THREAD: Connections = {
    "labels": lambda item, _: Kept(item.labels),
    "comments": _comments,
    "reactions": lambda item, _: Kept(range(item.reactions)),
    "timelineItems": _timeline,
}

CONNECTIONS: dict[str, Connections] = {
    "Repository": {"issues": _items(Issue), "pullRequests": _items(PullRequest), "labels": _repository_labels},
    "Issue": _THREAD | {"closedByPullRequestsReferences": _closing_pulls},
    "PullRequest": _THREAD | {"closingIssuesReferences": lambda pull, _: Kept(pull.closes)},
}
