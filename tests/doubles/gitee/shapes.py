"""What the world's values look like in Gitee's JSON."""

import datetime as dt
import re
from typing import Any

from tests.doubles.github.values import Comment, Issue, Item, Label, PullRequest, Repository, User

HTML = "https://gitee.com"
BEIJING = dt.timezone(dt.timedelta(hours=8))
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
Json = dict[str, Any]


def code(item: Item) -> str:
    """An issue's code: its id in base 36 behind an I."""
    number, digits = item.id, ""
    while number:
        number, digit = divmod(number, 36)
        digits = DIGITS[digit] + digits
    return f"I{digits}"


def pull_body(pull: PullRequest) -> str | None:
    """What a pull request says, with codes where the world's people write numbers of issues."""

    def told(found: re.Match[str]) -> str:
        item = pull.repository.items.get(int(found[1]))
        return f"#{code(item)}" if isinstance(item, Issue) else found[0]

    return None if pull.body is None else re.sub(r"#([0-9]+)\b", told, pull.body)


def state(issue: Issue) -> str:
    """One of Gitee's four; some open issues are in progress."""
    if issue.state == "open":
        return "progressing" if issue.id % 3 == 0 else "open"
    return "rejected" if issue.state_reason == "not_planned" else "closed"


def pull_state(pull: PullRequest) -> str:
    """One of the three."""
    return "merged" if pull.merged_at else pull.state


def moment(seconds: int | None) -> str | None:
    """A moment as Gitee writes it, by Beijing's clock."""
    return dt.datetime.fromtimestamp(seconds, BEIJING).isoformat() if seconds else None


def user_json(user: User | None) -> Json | None:
    """An account, or null for one that is gone."""
    return {"id": user.id, "login": user.login, "name": user.login, "type": "User"} if user else None


def label_json(label: Label) -> Json:
    """A label."""
    return {"id": label.id, "name": label.name, "color": label.color}


def repository_json(repository: Repository) -> Json:
    """A repository."""
    return {
        "id": repository.id,
        "full_name": repository.full_name,
        "path": repository.full_name.split("/")[1],
        "html_url": f"{HTML}/{repository.full_name}.git",
        # It changes with every visitor, and says nothing about issues.
        "watchers_count": repository.version,
        "has_issues": repository.has_issues,
    }


def issue_json(issue: Issue) -> Json:
    """An issue of a repository that belongs to an enterprise."""
    ref = code(issue)
    return {
        "id": issue.id,
        "url": f"{HTML}/api/v5/enterprises/house/issues/{ref}",
        "repository_url": f"{HTML}/api/v5/enterprises/house",
        "html_url": f"{HTML}/{issue.repository.full_name}/issues/{ref}",
        "number": ref,
        "state": state(issue),
        "title": issue.title,
        "body": issue.body,
        "user": user_json(issue.user),
        "labels": [label_json(label) for label in issue.labels],
        "repository": repository_json(issue.repository),
        "created_at": moment(issue.created_at),
        "updated_at": moment(issue.updated_at),
        "finished_at": moment(issue.closed_at),
        "comments": len(issue.comments),
        "security_hole": False,
    }


def pull_json(pull: PullRequest) -> Json:
    """A pull request; how many comments it has is not told."""
    return {
        "id": pull.pull_id,
        "html_url": f"{HTML}/{pull.repository.full_name}/pulls/{pull.number}",
        "number": pull.number,
        "state": pull_state(pull),
        "title": pull.title,
        "body": pull_body(pull),
        "user": user_json(pull.user),
        "labels": [label_json(label) for label in pull.labels],
        "created_at": moment(pull.created_at),
        "updated_at": moment(pull.updated_at),
        "closed_at": moment(pull.closed_at),
        "merged_at": moment(pull.merged_at),
        "base": {"repo": repository_json(pull.repository)},
    }


def files_json(pull: PullRequest) -> list[Json]:
    """The files that a pull request changes, the first of them all its lines."""
    count = max(1, pull.changed_files)
    sizes = [(pull.additions, pull.deletions), *[(0, 0)] * (count - 1)]
    return [
        {"sha": f"{number:040x}", "filename": f"file-{number}", "additions": str(added), "deletions": str(deleted)}
        for number, (added, deleted) in enumerate(sizes[:300])
    ]


def comment_json(comment: Comment) -> Json:
    """A comment on an issue."""
    item = comment.item
    return {
        "id": comment.id,
        "body": comment.body,
        "user": user_json(comment.user),
        "target": {"issue": {"id": item.id, "title": item.title, "number": code(item)}, "pull_request": None},
        "created_at": moment(comment.created_at),
        "updated_at": moment(comment.updated_at),
    }
