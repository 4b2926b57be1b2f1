"""What happens to a repository on a usual day, drawn from a seed."""

import random
from collections.abc import Callable, Sequence

from tests.doubles.github.generation import LABELS
from tests.doubles.github.links import How
from tests.doubles.github.repository_changes import RepositoryChanges
from tests.doubles.github.texts import made_sentence, made_text
from tests.doubles.github.values import Issue, Item, PullRequest, Repository

HOWS: tuple[How, ...] = ("text", "sidebar")
Change = Callable[[RepositoryChanges, random.Random, Item], None]


def _edit(world: RepositoryChanges, rng: random.Random, item: Item) -> None:
    world.edit(item, title=made_sentence(rng), body=made_text(rng))


def _comment(world: RepositoryChanges, rng: random.Random, item: Item) -> None:
    world.comment(item, made_text(rng), login=f"user-{rng.randrange(50)}")


def _close(world: RepositoryChanges, rng: random.Random, item: Item) -> None:
    if item.state == "open":
        world.close(item, reason=rng.choice(["completed", "not_planned"]))
    elif isinstance(item, PullRequest) and item.merged_at:
        _comment(world, rng, item)
    else:
        world.reopen(item)


def _relabel(world: RepositoryChanges, rng: random.Random, item: Item) -> None:
    world.relabel(item, rng.sample(LABELS, rng.randint(0, 3)))


def _edit_comment(world: RepositoryChanges, rng: random.Random, item: Item) -> None:
    if item.comments:
        world.edit_comment(rng.choice(item.comments), made_text(rng))
    else:
        _comment(world, rng, item)


def _delete_comment(world: RepositoryChanges, rng: random.Random, item: Item) -> None:
    if item.comments:
        world.delete_comment(rng.choice(item.comments))
    else:
        _comment(world, rng, item)


def _open_issue(world: RepositoryChanges, rng: random.Random, item: Item) -> None:
    world.open_issue(item.repository, title=made_sentence(rng), body=made_text(rng), labels=rng.sample(LABELS, 1))


def _open_pull(world: RepositoryChanges, rng: random.Random, item: Item) -> None:
    closes = [item] if isinstance(item, Issue) and item.state == "open" else []
    world.open_pull(item.repository, title=made_sentence(rng), body=made_text(rng), closes=closes)


def _merge(world: RepositoryChanges, rng: random.Random, item: Item) -> None:
    if isinstance(item, Issue) and item.state == "open":
        how = rng.choice(HOWS)
        size = (rng.randint(1, 300), rng.randint(0, 90), rng.randint(1, 9))
        world.merge_closing(world.open_pull(item.repository, closes=[item], how=how, size=size))
    elif isinstance(item, PullRequest) and item.state == "open":
        world.merge_closing(item)
    else:
        _comment(world, rng, item)


def _delete(world: RepositoryChanges, rng: random.Random, item: Item) -> None:
    if isinstance(item, Issue):
        world.delete(item)
    else:
        _comment(world, rng, item)


def _transfer(world: RepositoryChanges, rng: random.Random, item: Item) -> None:
    others = [some for some in world.repositories.values() if some is not item.repository]
    if isinstance(item, Issue) and others:
        world.transfer(item, rng.choice(others))
    else:
        _comment(world, rng, item)


def _rename_label(world: RepositoryChanges, rng: random.Random, item: Item) -> None:
    name = rng.choice(list(item.repository.labels))
    new_name = f"{name.split(' (')[0]} ({rng.randrange(1 << 30)})"
    world.rename_label(item.repository, name, new_name)


def _delete_label(world: RepositoryChanges, rng: random.Random, item: Item) -> None:
    world.delete_label(item.repository, rng.choice(list(item.repository.labels)))


def _link(world: RepositoryChanges, rng: random.Random, item: Item) -> None:
    others = world.pulls(item.repository)
    if isinstance(item, Issue) and others:
        world.link(rng.choice(others), item, how="sidebar")
    else:
        _comment(world, rng, item)


CHANGES: dict[str, tuple[int, Change]] = {
    "edit": (18, _edit),
    "comment": (34, _comment),
    "close": (15, _close),
    "relabel": (10, _relabel),
    "edit_comment": (5, _edit_comment),
    "delete_comment": (3, _delete_comment),
    "open_issue": (7, _open_issue),
    "open_pull": (3, _open_pull),
    "merge": (5, _merge),
    # Only a sweep finds these.
    "delete": (1, _delete),
    "transfer": (1, _transfer),
    "rename_label": (1, _rename_label),
    "delete_label": (1, _delete_label),
    "link": (1, _link),
}
USUAL = tuple(CHANGES)[:9]
EVERY = tuple(CHANGES)


def change_some(
    world: RepositoryChanges, repository: Repository, *, count: int, seed: int, kinds: Sequence[str] = USUAL
) -> list[tuple[str, int]]:
    """Change so many different numbers; returns the kind of change and the number, in order."""
    rng = random.Random(f"changes {seed}")  # noqa: S311 - the same day each time
    numbers = rng.sample(sorted(repository.items), min(count, len(repository.items)))
    weights = [CHANGES[kind][0] for kind in kinds]
    done = []
    for number in numbers:
        kind = rng.choices(kinds, weights)[0]
        CHANGES[kind][1](world, rng, world.item(number, repository))
        done.append((kind, number))
    return done
