"""The world: repositories with their issues and pull requests, made from a seed and changed by calls.

    world = World.generate(issues=1_000, pulls=500, comments=6_000, seed=7)
    issue = world.item(12)
    world.edit(issue, title="Hangs at start")          # see `issue_changes` and `repository_changes` for all changes
    world.change_some(0.01, seed=3)                    # what happens on a usual day
    world.now += 3_600                                 # an hour later

`World()` is empty: `add_repository`, then `open_issue` and `open_pull`. Every change holds `world.lock`.
"""

from collections.abc import Sequence
from typing import Any

from tests.doubles.github.churn import USUAL, change_some
from tests.doubles.github.generation import Generator, Recipe
from tests.doubles.github.repository_changes import RepositoryChanges
from tests.doubles.github.values import Repository


class World(RepositoryChanges):
    """Everything there is, and what can happen to it."""

    @classmethod
    def generate(cls, **recipe: Any) -> "World":
        """A world with one made repository, and with the ones that its fixes came from; fields as in `Recipe`."""
        world = cls()
        world.grow(**recipe)
        return world

    def grow(self, **recipe: Any) -> Repository:
        """Make one more repository; fields as in `Recipe`. The name must be free."""
        with self.lock:
            return Generator(self, Recipe(**recipe)).run()

    def change_some(
        self,
        fraction: float = 0.01,
        seed: int = 1,
        *,
        repository: Repository | None = None,
        kinds: Sequence[str] = USUAL,
    ) -> list[tuple[str, int]]:
        """Change this fraction of a repository's numbers, at least one; returns what was done to which number."""
        with self.lock:
            chosen = repository or self.repository
            count = max(1, round(len(chosen.items) * fraction)) if fraction else 0
            return change_some(self, chosen, count=count, seed=seed, kinds=kinds)
