"""What a mirror must say of a repository: rows as `export_issues` writes them, comments, and how a mirror differs.

NULs are left out and lone surrogates replaced, as in everything that is stored; a null body is a blank one.
`updated_at` is told as GitHub tells it, so it does not move where GitHub does not move it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ingest.hosts.values import clean_text
from tests.doubles.github.store import Store
from tests.doubles.github.values import ClosedEvent, Commit, Issue, Item, PullRequest, Repository, iso

Row = dict[str, Any]
# Of an issue that is gone, a mirror has the text that it saw last; only this can be held against the truth.
LASTING = ("number", "deleted", "transferred_to")


def truth(world: Store, repository: Repository | None = None, *, merged_only: bool = False) -> dict[int, Row]:
    """One row for each number of the repository, gone ones included.

    `fix_prs` are the pull requests linked to the issue and those that closed it, in the order of their repositories
    and numbers; one that was given up or is open has no `merged_at`, and is left out with `merged_only`.
    """
    with world.lock:
        chosen = repository or world.repository
        rows = {number: _row(item, merged_only) for number, item in chosen.items.items()}
        for number, tombstone in chosen.tombstones.items():
            to = tombstone.target
            rows[number] = _row(tombstone.item, merged_only) | {
                "deleted": to is None,
                "transferred_to": f"{to.repository.full_name}#{to.number}" if to else None,
            }
    return dict(sorted(rows.items()))


def _row(item: Item, merged_only: bool) -> Row:
    is_pull = isinstance(item, PullRequest)
    return {
        "repo": item.repository.full_name,
        "number": item.number,
        "node_id": item.node_id,
        "kind": "pull_request" if is_pull else "issue",
        "state": item.state,
        "state_reason": item.state_reason,
        "title": clean_text(item.title),
        "body": clean_text(item.body or ""),
        "labels": sorted(clean_text(label.name) for label in item.labels),
        "comments": len(item.comments),
        "user": item.user.login if item.user else None,
        "created_at": iso(item.created_at),
        "updated_at": iso(item.updated_at),
        "closed_at": iso(item.closed_at) if item.closed_at else None,
        "fix_prs": [_fix(pull) for pull in fixing_pulls(item) if pull.merged_at or not merged_only],
        "deleted": False,
        "transferred_to": None,
    }


def fixing_pulls(item: Item) -> list[PullRequest]:
    """The pull requests that are linked to an issue or closed it; a pull request has none."""
    if not isinstance(item, Issue):
        return []
    closers = [event.closer for event in item.events if isinstance(event, ClosedEvent)]
    found = {pull.node_id: pull for pull in [*item.links, *closers] if isinstance(pull, PullRequest)}
    return sorted(found.values(), key=lambda pull: (pull.repository.full_name, pull.number))


def _fix(pull: PullRequest) -> Row:
    return {
        "repo": pull.repository.full_name,
        "number": pull.number,
        "additions": pull.additions,
        "deletions": pull.deletions,
        "merged_at": iso(pull.merged_at) if pull.merged_at else None,
    }


def comment_truth(world: Store, repository: Repository | None = None) -> dict[int, list[Row]]:
    """The comments of each number that has any, oldest first."""
    with world.lock:
        return {
            number: [
                {
                    "id": comment.id,
                    "node_id": comment.node_id,
                    "body": clean_text(comment.body),
                    "user": comment.user.login if comment.user else None,
                    "author_association": comment.association,
                    "created_at": iso(comment.created_at),
                    "updated_at": iso(comment.updated_at),
                }
                for comment in item.comments
            ]
            for number, item in (repository or world.repository).items.items()
            if item.comments
        }


def commit_truth(world: Store, repository: Repository | None = None) -> dict[int, list[str]]:
    """The commits that closed each issue, by number; issues that none closed are left out."""
    with world.lock:
        found = {}
        for number, item in (repository or world.repository).items.items():
            closers = [event.closer for event in item.events if isinstance(event, ClosedEvent)]
            oids = [closer.oid for closer in closers if isinstance(closer, Commit)]
            if oids and isinstance(item, Issue):
                found[number] = oids
        return found


def differences(
    expected: Mapping[int, Row], told: Sequence[Mapping[str, Any]], *, ignore: Sequence[str] = ()
) -> list[str]:
    """How a mirror's rows of one repository differ from the truth, one line each; none when they are the same.

    Missing, doubled and unknown numbers are told, and fields that differ. Lists are compared without regard to order.
    A number that is gone may be missing: the mirror need never have seen it.
    """
    found: list[str] = []
    seen: set[int] = set()
    for row in told:
        number = row["number"]
        if number in seen or number not in expected:
            found.append(f"#{number}: {'doubled' if number in seen else 'unknown'}")
        seen.add(number)
        found += _differences(expected[number], row, ignore) if number in expected else []
    missing = (number for number, row in expected.items() if not (_is_gone(row) or number in seen))
    return found + [f"#{number}: missing" for number in missing]


def _is_gone(row: Row) -> bool:
    return bool(row["deleted"] or row["transferred_to"])


def _differences(expected: Row, told: Mapping[str, Any], ignore: Sequence[str]) -> list[str]:
    fields = LASTING if _is_gone(expected) else tuple(expected)
    return [
        f"#{expected['number']}: {name} is {_shown(told.get(name))}, not {_shown(expected[name])}"
        for name in fields
        if name not in ignore and _comparable(told.get(name)) != _comparable(expected[name])
    ]


def _comparable(value: Any) -> Any:
    """Lists in one order; nothing and blank are the same."""
    if isinstance(value, list):
        return sorted(map(repr, map(_comparable, value)))
    if isinstance(value, Mapping):
        return {name: _comparable(inner) for name, inner in sorted(value.items())}
    return None if value == "" else value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."
