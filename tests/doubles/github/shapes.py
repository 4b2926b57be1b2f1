"""The forms of REST: what the world's values look like in JSON. Which ones are answered is `rest`'s."""

from typing import Any

from tests.doubles.github.values import (
    ClosedEvent,
    Comment,
    Commit,
    CrossReferencedEvent,
    Event,
    Item,
    Label,
    PullRequest,
    ReopenedEvent,
    Repository,
    User,
    iso,
)  # fmt: skip

HTML = "https://github.com"
Json = dict[str, Any]


def html_url(item: Item) -> str:
    """The page of an issue or a pull request."""
    return f"{HTML}/{item.repository.full_name}/{'pull' if isinstance(item, PullRequest) else 'issues'}/{item.number}"


def comment_url(comment: Comment) -> str:
    """The place of a comment on its page."""
    return f"{html_url(comment.item)}#issuecomment-{comment.id}"


def user_json(user: User | None, base: str) -> Json | None:
    """An account, or null for a deleted one."""
    if user is None:
        return None
    return {
        "login": user.login,
        "id": user.id,
        "node_id": user.node_id,
        "url": f"{base}/users/{user.login}",
        "html_url": f"{HTML}/{user.login}",
        "type": "User",
        "site_admin": False,
    }


def label_json(label: Label, repository_url: str) -> Json:
    """A label."""
    return {
        "id": label.id,
        "node_id": label.node_id,
        "url": f"{repository_url}/labels/{label.name}",
        "name": label.name,
        "color": label.color,
        "default": False,
        "description": None,
    }


def repository_url(repository: Repository, base: str) -> str:
    """The repository's address in the interface."""
    return f"{base}/repos/{repository.full_name}"


def item_json(item: Item, base: str) -> Json:
    """An issue, or a pull request in the form of one."""
    repo = repository_url(item.repository, base)
    url = f"{repo}/issues/{item.number}"
    found: Json = {
        "url": url,
        "repository_url": repo,
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": html_url(item),
        "id": item.id,
        "node_id": item.node_id,
        "number": item.number,
        "title": item.title,
        "user": user_json(item.user, base),
        "labels": [label_json(label, repo) for label in item.labels],
        "state": item.state,
        "locked": item.locked,
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "comments": len(item.comments),
        "created_at": iso(item.created_at),
        "updated_at": iso(item.updated_at),
        "closed_at": iso(item.closed_at) if item.closed_at else None,
        "author_association": item.association,
        "active_lock_reason": None,
        "body": item.body,
        "reactions": {"url": f"{url}/reactions", "total_count": item.reactions, "+1": item.reactions, "-1": 0},
        "timeline_url": f"{url}/timeline",
        "performed_via_github_app": None,
        "state_reason": item.state_reason,
    }
    if isinstance(item, PullRequest):
        found["draft"] = False
        found["pull_request"] = {
            "url": f"{repo}/pulls/{item.number}",
            "html_url": html_url(item),
            "merged_at": iso(item.merged_at) if item.merged_at else None,
        }
    return found


def pull_json(pull: PullRequest, base: str) -> Json:
    """A pull request in its own form, with its size."""
    found = item_json(pull, base)
    for name in ("pull_request", "reactions", "timeline_url", "repository_url", "events_url", "state_reason"):
        del found[name]
    merged_at = iso(pull.merged_at) if pull.merged_at else None
    return found | {
        "id": pull.pull_id,
        "url": f"{repository_url(pull.repository, base)}/pulls/{pull.number}",
        "issue_url": f"{repository_url(pull.repository, base)}/issues/{pull.number}",
        "merged": pull.merged_at is not None,
        "merged_at": merged_at,
        "merged_by": None,
        "review_comments": 0,
        "commits": 1,
        "requested_reviewers": [],
        "additions": pull.additions,
        "deletions": pull.deletions,
        "changed_files": pull.changed_files,
    }


def comment_json(comment: Comment, base: str) -> Json:
    """A comment."""
    repo = repository_url(comment.item.repository, base)
    return {
        "url": f"{repo}/issues/comments/{comment.id}",
        "html_url": comment_url(comment),
        "issue_url": f"{repo}/issues/{comment.item.number}",
        "id": comment.id,
        "node_id": comment.node_id,
        "user": user_json(comment.user, base),
        "created_at": iso(comment.created_at),
        "updated_at": iso(comment.updated_at),
        "body": comment.body,
        "author_association": comment.association,
        "reactions": {"url": f"{repo}/issues/comments/{comment.id}/reactions", "total_count": 0},
        "performed_via_github_app": None,
    }


def repository_json(repository: Repository, base: str) -> Json:
    """A repository; issues and pull requests are counted together as open issues, as GitHub does."""
    opened = sum(item.state == "open" for item in repository.items.values())
    url = repository_url(repository, base)
    return {
        "id": repository.id,
        "node_id": repository.node_id,
        "name": repository.full_name.split("/")[1],
        "full_name": repository.full_name,
        "private": False,
        "owner": user_json(repository.owner, base),
        "html_url": f"{HTML}/{repository.full_name}",
        "description": None,
        "fork": False,
        "url": url,
        "issues_url": f"{url}/issues{{/number}}",
        "created_at": iso(repository.created_at),
        "updated_at": iso(repository.updated_at),
        "pushed_at": iso(repository.updated_at),
        "homepage": None,
        "size": 1,
        "stargazers_count": 0,
        "watchers_count": 0,
        "language": None,
        "has_issues": repository.has_issues,
        "has_pull_requests": True,
        "forks_count": 0,
        "archived": repository.archived,
        "disabled": False,
        "open_issues_count": opened,
        "license": None,
        "topics": [],
        "visibility": "public",
        "open_issues": opened,
        "default_branch": "main",
    }


def event_json(event: Event, base: str) -> Json:
    """An event of a timeline, or one that tells only who and when."""
    shared: Json = {"actor": user_json(event.user, base), "created_at": iso(event.created_at)}
    if isinstance(event, CrossReferencedEvent):
        source = item_json(event.source, base) | {"repository": repository_json_short(event.source.repository, base)}
        return shared | {"event": "cross-referenced", "updated_at": iso(event.created_at),
                         "source": {"type": "issue", "issue": source}}  # fmt: skip
    named = {"id": event.id, "node_id": event.node_id}
    if isinstance(event, ClosedEvent):
        commit = event.closer if isinstance(event.closer, Commit) else None
        where = f"{repository_url(commit.repository, base)}/commits/{commit.oid}" if commit else None
        return named | shared | {"event": "closed", "commit_id": commit.oid if commit else None, "commit_url": where}
    kind = "reopened" if isinstance(event, ReopenedEvent) else "connected"
    return named | shared | {"event": kind, "commit_id": None, "commit_url": None}


def repository_json_short(repository: Repository, base: str) -> Json:
    """A repository where another value names it."""
    return {"id": repository.id, "node_id": repository.node_id, "full_name": repository.full_name,
            "url": repository_url(repository, base), "html_url": f"{HTML}/{repository.full_name}"}  # fmt: skip
