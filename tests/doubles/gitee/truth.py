"""What a mirror of Gitee must say: the other double's truth with Gitee's codes, ids, states and gaps."""

from typing import Any

from ingest.hosts.values import clean_text
from tests.doubles.gitee.shapes import code, pull_body
from tests.doubles.github import World
from tests.doubles.github import comment_truth as shared_comments
from tests.doubles.github import truth as shared_truth
from tests.doubles.github.values import Item, PullRequest

Row = dict[str, Any]


def truth(world: World) -> dict[Any, Row]:
    """One row for each code (a text) and number of the first repository, gone ones included."""
    with world.lock:
        stones = world.repository.tombstones
        rows: dict[Any, Row] = {}
        for number, row in shared_truth(world).items():
            item = world.repository.items.get(number) or stones[number].item
            ref = item.number if isinstance(item, PullRequest) else code(item)
            rows[ref] = row | {"number": ref} | (_pull(item) if isinstance(item, PullRequest) else _issue(item, row))
            target = stones[number].target if number in stones else None
            if target:
                rows[ref]["transferred_to"] = f"{target.repository.full_name}#{code(target)}"
        return rows


def _issue(item: Item, row: Row) -> Row:
    reason = "not_planned" if item.state_reason == "not_planned" else "completed"
    fixes = [fix if fix["merged_at"] else fix | {"additions": None, "deletions": None} for fix in row["fix_prs"]]
    return {
        "node_id": f"gitee-issue-{item.id}",
        "state_reason": reason if item.state == "closed" else None,
        "fix_prs": fixes,
    }


def _pull(pull: PullRequest) -> Row:
    body = clean_text(pull_body(pull) or "")
    return {"node_id": f"gitee-pull-{pull.pull_id}", "state_reason": None, "comments": 0, "body": body}


def comment_truth(world: World) -> dict[str, list[tuple[str, str, str]]]:
    """The comments of each issue that has any, as (id, text, author), by code."""
    with world.lock:
        items = world.repository.items
        return {
            code(items[number]): [(f"gitee-comment-{row['id']}", row["body"], row["user"] or "") for row in rows]
            for number, rows in shared_comments(world).items()
            if not isinstance(items[number], PullRequest)
        }
