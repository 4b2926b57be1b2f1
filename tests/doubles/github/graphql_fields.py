"""What each field of the GraphQL schema is taken from: plain values and single objects; paged lists are apart.

How a query is put together from them is `graphql_plan`'s. A value's GraphQL type follows from its Python type.
"""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from tests.doubles.github import shapes
from tests.doubles.github.store import Store
from tests.doubles.github.values import (
    ClosedEvent,
    Comment,
    Commit,
    ConnectedEvent,
    CrossReferencedEvent,
    Issue,
    Item,
    Label,
    PullRequest,
    ReopenedEvent,
    Repository,
    User,
    iso,
)  # fmt: skip

Arguments = dict[str, Any]


@dataclass(slots=True)
class RateLimit:
    """What a query learns about its own budget."""

    cost: int
    limit: int
    node_count: int
    remaining: int
    reset_at: int
    used: int


@dataclass(slots=True)
class Root:
    """Where a query starts."""

    world: Store
    rate: RateLimit


@dataclass(slots=True)
class Missing:
    """Something that was asked for and is not there: null, and an error."""

    message: str


TYPE_NAMES: dict[type, str] = {
    Root: "Query", RateLimit: "RateLimit", Repository: "Repository", Issue: "Issue", PullRequest: "PullRequest",
    Comment: "IssueComment", Label: "Label", User: "User", Commit: "Commit", ClosedEvent: "ClosedEvent",
    ReopenedEvent: "ReopenedEvent", CrossReferencedEvent: "CrossReferencedEvent", ConnectedEvent: "ConnectedEvent",
}  # fmt: skip


def _moment(name: str) -> Callable[[Any], str | None]:
    get = attrgetter(name)

    def moment(value: Any) -> str | None:
        found = get(value)
        return iso(found) if found is not None else None

    return moment


def _at(name: str) -> Callable[[Any], str]:
    get = attrgetter(name)
    return lambda value: iso(get(value))


def pull_state(pull: PullRequest) -> str:
    """Open, closed or merged."""
    return "MERGED" if pull.merged_at else pull.state.upper()


def _commit_url(commit: Commit) -> str:
    return f"{shapes.HTML}/{commit.repository.full_name}/commit/{commit.oid}"


def _is_elsewhere(event: Any) -> bool:
    return event.source.repository is not event.item.repository


Getters = dict[str, Callable[[Any], Any]]

_ITEM: Getters = {
    "id": attrgetter("node_id"),
    "databaseId": attrgetter("id"),
    "fullDatabaseId": lambda item: str(item.id),
    "number": attrgetter("number"),
    "title": attrgetter("title"),
    "body": lambda item: item.body or "",
    "url": shapes.html_url,
    "state": lambda item: item.state.upper(),
    "createdAt": _at("created_at"),
    "updatedAt": _at("updated_at"),
    "closed": lambda item: item.state == "closed",
    "closedAt": _moment("closed_at"),
    "locked": attrgetter("locked"),
    "authorAssociation": attrgetter("association"),
}
_EVENT: Getters = {"id": attrgetter("node_id"), "createdAt": _at("created_at")}

SCALARS: dict[str, Getters] = {
    "Issue": _ITEM | {"stateReason": lambda item: item.state_reason and item.state_reason.upper()},
    "PullRequest": _ITEM
    | {
        "databaseId": attrgetter("pull_id"),
        "fullDatabaseId": lambda pull: str(pull.pull_id),
        "state": pull_state,
        "merged": lambda pull: pull.merged_at is not None,
        "mergedAt": _moment("merged_at"),
        "additions": attrgetter("additions"),
        "deletions": attrgetter("deletions"),
        "changedFiles": attrgetter("changed_files"),
    },
    "IssueComment": {
        "id": attrgetter("node_id"),
        "databaseId": attrgetter("id"),
        "fullDatabaseId": lambda comment: str(comment.id),
        "url": shapes.comment_url,
        "body": attrgetter("body"),
        "authorAssociation": attrgetter("association"),
        "createdAt": _at("created_at"),
        "updatedAt": _at("updated_at"),
        "lastEditedAt": _moment("last_edited_at"),
        "isMinimized": attrgetter("is_minimized"),
    },
    "Label": {"id": attrgetter("node_id"), "name": attrgetter("name"), "color": attrgetter("color")},
    "User": {
        "id": attrgetter("node_id"),
        "databaseId": attrgetter("id"),
        "login": attrgetter("login"),
        "url": lambda user: f"{shapes.HTML}/{user.login}",
    },
    "Commit": {
        "id": attrgetter("node_id"),
        "oid": attrgetter("oid"),
        "url": _commit_url,
        "additions": attrgetter("additions"),
        "deletions": attrgetter("deletions"),
        "changedFiles": attrgetter("changed_files"),
        "changedFilesIfAvailable": attrgetter("changed_files"),
        "committedDate": _at("committed_at"),
    },
    "Repository": {
        "id": attrgetter("node_id"),
        "databaseId": attrgetter("id"),
        "name": lambda repository: repository.full_name.split("/")[1],
        "nameWithOwner": attrgetter("full_name"),
        "url": lambda repository: f"{shapes.HTML}/{repository.full_name}",
        "createdAt": _at("created_at"),
        "updatedAt": _at("updated_at"),
        "hasIssuesEnabled": attrgetter("has_issues"),
        "isArchived": attrgetter("archived"),
    },
    "ClosedEvent": _EVENT,
    "ReopenedEvent": _EVENT,
    "ConnectedEvent": _EVENT | {"isCrossRepository": _is_elsewhere},
    "CrossReferencedEvent": _EVENT
    | {
        "isCrossRepository": _is_elsewhere,
        "referencedAt": _at("created_at"),
        "willCloseTarget": attrgetter("will_close"),
    },
    "RateLimit": {
        "cost": attrgetter("cost"),
        "limit": attrgetter("limit"),
        "nodeCount": attrgetter("node_count"),
        "remaining": attrgetter("remaining"),
        "resetAt": _at("reset_at"),
        "used": attrgetter("used"),
    },
    "Query": {},
}


def _node(root: Root, node_id: str) -> Any:
    """What has this node id; an issue that was deleted or moved has it no longer."""
    return root.world.nodes.get(node_id) or Missing(f"Could not resolve to a node with the global id of '{node_id}'")


def _repository(root: Root, arguments: Arguments) -> Repository | Missing:
    name = f"{arguments['owner']}/{arguments['name']}"
    return root.world.find(name) or Missing(f"Could not resolve to a Repository with the name '{name}'.")


def _numbered(kind: type[Item], words: str) -> Callable[[Repository, Arguments], Item | Missing]:
    def find(repository: Repository, arguments: Arguments) -> Item | Missing:
        item = repository.items.get(arguments["number"])
        found = item if isinstance(item, kind) else None
        return found or Missing(f"Could not resolve to {words} with the number of {arguments['number']}.")

    return find


Finders = dict[str, Callable[[Any, Arguments], Any]]

_AUTHORED: Finders = {
    "author": lambda item, _: item.user,
    "repository": lambda item, _: item.repository,
}
_ACTED: Finders = {
    "actor": lambda event, _: event.user,
    "source": lambda event, _: event.source,
    "target": lambda event, _: event.item,
    "subject": lambda event, _: event.source,
    "closer": lambda event, _: event.closer,
}

OBJECTS: dict[str, Finders] = {
    "Query": {
        "node": lambda root, arguments: _node(root, arguments["id"]),
        "nodes": lambda root, arguments: [_node(root, node_id) for node_id in arguments["ids"]],
        "repository": _repository,
        "rateLimit": lambda root, _: root.rate,
        "viewer": lambda root, _: root.world.user("viewer"),
    },
    "Repository": {
        "issue": _numbered(Issue, "an Issue"),
        "pullRequest": _numbered(PullRequest, "a PullRequest"),
        "issueOrPullRequest": _numbered(Item, "an issue or pull request"),
    },
    "Issue": _AUTHORED,
    "PullRequest": _AUTHORED,
    "IssueComment": {"author": lambda comment, _: comment.user, "issue": lambda comment, _: comment.item},
    "Commit": {"repository": lambda commit, _: commit.repository},
    "ClosedEvent": _ACTED,
    "ReopenedEvent": _ACTED,
    "CrossReferencedEvent": _ACTED,
    "ConnectedEvent": _ACTED,
}
