"""Making a repository from a seed: who wrote what when, with the densities and oddities of real ones.

Issues and pull requests share numbers, a few threads are long, some users are gone, some bodies are empty or hold what
databases refuse. How issues were closed is in `fixes`. The same recipe makes the same repository, at fixed moments.
"""

import random
from bisect import bisect
from dataclasses import dataclass
from itertools import accumulate

from tests.doubles.github.fixes import Fixes
from tests.doubles.github.repository_changes import RepositoryChanges
from tests.doubles.github.store import node_id
from tests.doubles.github.texts import Texts, spoilt, texts_for
from tests.doubles.github.values import Comment, Issue, Item, Label, PullRequest, Repository, User
from tests.doubles.github.wire import odd_text

DAY = 86_400
LONG_THREADS = (320, 180, 150, 130, 110)
LONG_THREADS_FROM = 2_000
LABELS = ["bug", "enhancement", "question", "documentation", "good first issue", "help wanted", "duplicate", "stale",
          "wontfix", "inference", "training", "deepspeed-chat", "build", "install", "performance", "windows", "rocm",
          "area/data", "P0", "P1", "P2", "needs triage", "dépendances", "🐛 confirmed"]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What to make. `comments` in all, four for each number unless given; `same_second` of the issues and pull
    requests were last changed in one and the same second. Moments lie between `since` and `until`.
    """

    issues: int = 20
    pulls: int = 10
    comments: int | None = None
    seed: int = 1
    full_name: str = "octo/engine"
    elsewhere: str = "octo/plugins"
    same_second: int = 0
    since: int = 1_577_836_800
    until: int = 1_780_272_000
    null_bodies: float = 0.03
    odd_bodies: float = 0.006
    ghosts: float = 0.01


class Generator:
    """One repository in the making."""

    def __init__(self, world: RepositoryChanges, recipe: Recipe) -> None:
        self.world, self.recipe = world, recipe
        self.rng = random.Random(f"{recipe.seed} {recipe.full_name}")  # noqa: S311 - the same world each time
        self.texts: Texts = texts_for(recipe.issues + recipe.pulls)
        self.repository = world.add_repository(recipe.full_name, created_at=recipe.since - DAY)
        self.labels: list[Label] = [
            world.add_label(self.repository, name, f"{self.rng.getrandbits(24):06x}") for name in LABELS
        ]
        people = max(20, (recipe.issues + recipe.pulls) // 8)
        self.people: list[User] = [world.user(f"user-{number}") for number in range(people)]

    def run(self) -> Repository:
        """Make it and return it."""
        self.make_items()
        Fixes(self.world, self.rng, self.repository, self.recipe.elsewhere, self.recipe.until).make()
        self.make_comments()
        self.stamp()
        return self.repository

    def make_items(self) -> None:
        """Issues and pull requests, mixed, in the order of their numbers; ever more of them as years go by."""
        recipe, rng = self.recipe, self.rng
        total, span = recipe.issues + recipe.pulls, recipe.until - recipe.since - DAY
        pulls = set(rng.sample(range(1, total + 1), recipe.pulls))
        moments = sorted(int(recipe.since + span * rng.random() ** 0.6) for _ in range(total))
        for number, moment in enumerate(moments, 1):
            self.world.put(self.pull(number, moment) if number in pulls else self.issue(number, moment))
        self.repository.last_number = total

    def issue(self, number: int, moment: int) -> Issue:
        """One open issue."""
        user, association = self.person()
        own, repository = self.world.new_id(), self.repository
        return Issue(
            id=own,
            node_id=node_id("I", repository.id, own),
            repository=repository,
            number=number,
            title=self.rng.choice(self.texts.titles),
            body=self.body(),
            user=user,
            association=association,
            created_at=moment,
            updated_at=moment,
            labels=self.rng.sample(self.labels, self.rng.choice((0, 0, 1, 1, 2, 3))),
            reactions=self.rng.choice((0, 0, 0, 0, 1, 2, 9)),
            locked=self.rng.random() < 0.01,
        )

    def pull(self, number: int, moment: int) -> PullRequest:
        """One open pull request."""
        user, association = self.person()
        own, pull_id, repository, rng = self.world.new_id(), self.world.new_id(), self.repository, self.rng
        return PullRequest(
            id=own,
            pull_id=pull_id,
            node_id=node_id("PR", repository.id, pull_id),
            repository=repository,
            number=number,
            title=rng.choice(self.texts.titles),
            body=self.body(),
            user=user,
            association=association,
            created_at=moment,
            updated_at=moment,
            labels=rng.sample(self.labels, rng.choice((0, 0, 0, 1, 2))),
            additions=int(rng.paretovariate(0.8)),
            deletions=int(rng.paretovariate(0.9)) - 1,
            changed_files=min(300, int(rng.paretovariate(1.1))),
        )

    def make_comments(self) -> None:
        """All comments in the order of their moments, so that ids grow with time."""
        rng, until = self.rng, self.recipe.until
        items = list(self.repository.items.values())
        written: list[tuple[int, int]] = []
        for index, count in enumerate(self.comment_counts(len(items))):
            opened = items[index].created_at
            for _ in range(count):
                moment = opened + 60 + int(rng.expovariate(1 / (12 * DAY)))
                written.append((moment if moment < until else rng.randint(opened, until), index))
        written.sort()
        for moment, index in written:
            self.world.put(self.comment(items[index], moment))

    def comment_counts(self, items: int) -> list[int]:
        """How many comments each gets: a few threads get very many, one in seven none."""
        recipe, rng = self.recipe, self.rng
        total = recipe.comments if recipe.comments is not None else 4 * items
        counts = [0] * items
        if total >= LONG_THREADS_FROM and items > 10 * len(LONG_THREADS):
            for index, count in zip(rng.sample(range(items), len(LONG_THREADS)), LONG_THREADS, strict=True):
                counts[index] = count
        weights = [0.0 if rng.random() < 1 / 7 else min(15.0, rng.paretovariate(1.2)) for _ in range(items)]
        edges = list(accumulate(weights))
        for _ in range(total - sum(counts) if edges and edges[-1] else 0):
            counts[bisect(edges, rng.random() * edges[-1])] += 1
        return counts

    def comment(self, item: Item, moment: int) -> Comment:
        """One comment; one in twenty was edited later."""
        user, association = self.person()
        own, rng = self.world.new_id(), self.rng
        later = moment + rng.randint(30, DAY)
        edited = later if rng.random() < 0.05 and later < self.recipe.until else None
        text = rng.choice(self.texts.comments)
        return Comment(
            id=own,
            node_id=node_id("IC", item.repository.id, own),
            item=item,
            body=odd_text(spoilt(text, rng)) if rng.random() < self.recipe.odd_bodies else text,
            user=user,
            association=association,
            created_at=moment,
            updated_at=edited or moment,
            last_edited_at=edited,
            is_minimized=rng.random() < 0.005,
        )

    def body(self) -> str | None:
        """A body, or none, or one that databases refuse."""
        rng, recipe = self.rng, self.recipe
        if rng.random() < recipe.null_bodies:
            return None
        text = rng.choice(self.texts.bodies)
        return odd_text(spoilt(text, rng)) if rng.random() < recipe.odd_bodies else text

    def person(self) -> tuple[User | None, str]:
        """Who writes, and what they are to the repository; few people write most."""
        if self.rng.random() < self.recipe.ghosts:
            return None, "NONE"
        index = int(len(self.people) * self.rng.random() ** 3)
        association = "MEMBER" if index < 5 else "CONTRIBUTOR" if index < len(self.people) // 10 else "NONE"
        return self.people[index], association

    def stamp(self) -> None:
        """When each was last changed: with its last comment, its closing, or by an edit some days later."""
        rng, recipe = self.rng, self.recipe
        items = list(self.repository.items.values())
        for item in items:
            last = max(item.created_at, item.closed_at or 0, *(comment.updated_at for comment in item.comments))
            later = last + int(rng.expovariate(1 / (20 * DAY)))
            item.updated_at = later if rng.random() < 0.2 and later < recipe.until else last
        if recipe.same_second:
            moment = recipe.until - 30 * DAY
            earlier = [item for item in items if item.updated_at <= moment]
            for item in rng.sample(earlier, min(len(earlier), recipe.same_second)):
                item.updated_at = moment
        self.world.newest = max(self.world.newest, recipe.until)
