"""Mirroring while runs are killed at random moments: chains of runs until one succeeds, and what they may have cost."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from django.db import connection

from ingest.models import Cursor, SyncRun
from tests.doubles.github import GitHubDouble, Logged
from tests.ingest.forking import Forks
from tests.ingest.small import database_address
from tests.ingest.sync.conftest import TOKEN, Mirrored

KILLED, LIMITED = -9, 75
# After so many kills in one chain the next run is left alone, so that the chain ends.
MOST_KILLS = 12
# So many runs of a chain may end with "try again" while faults are on.
MOST_CALLS = 60


def environment_of(double: GitHubDouble) -> dict[str, str]:
    """What a process needs to mirror this double into the tests' database."""
    return {
        "DATABASE_URL": database_address(),
        "GITHUB_API_URL": double.api_url,
        "GITHUB_GRAPHQL_URL": double.graphql_url,
        "GITHUB_TOKEN": TOKEN,
        "GITHUB_TIMEOUT_SECONDS": "2",
    }


@dataclass
class Chain:
    """Runs until one succeeded: how often it was killed, and what was asked meanwhile."""

    kills: int
    asked: list[Logged] = field(default_factory=list)

    @property
    def repeated_pages(self) -> int:
        """How many pages of the list were asked for more than once; the newest ones, asked to begin with, aside."""
        pages = Counter(one.path for one in self.asked if "/issues?" in one.path and "direction=asc" in one.path)
        return sum(count - 1 for count in pages.values())

    @property
    def ids(self) -> int:
        """Of how many issues the details were asked for."""
        return sum(one.ids for one in self.asked)

    @property
    def sent_while_limited(self) -> int:
        """How many requests a limit was already in force for."""
        return sum(one.was_limited for one in self.asked)


@dataclass
class Killer:
    """Runs a mirror's command in forked processes and kills them at moments drawn from a seed."""

    replica: Mirrored
    forks: Forks
    rng: random.Random
    longest: float = 0.5
    between: Callable[[], object] = lambda: None

    def empty(self) -> None:
        """Forget everything that was mirrored."""
        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE kb_issue, ingest_cursor, ingest_syncrun RESTART IDENTITY CASCADE")
        Cursor.objects.create(mirror=self.replica.mirror)

    def measure(self) -> Chain:
        """One run that nobody disturbs, from nothing; later runs are killed within its time."""
        self.empty()
        self.replica.double.requests.clear()
        status, self.longest = self._run()
        assert status == 0
        return Chain(0, list(self.replica.double.requests))

    def chain(self) -> Chain:
        """Run and kill until a run succeeds."""
        self.replica.double.requests.clear()
        kills = 0
        for _ in range(MOST_CALLS):
            delay = self.rng.uniform(0, self.longest) if kills < MOST_KILLS else None
            status, _ = self._run(delay)
            kills += status == KILLED
            if status == 0:
                return Chain(kills, list(self.replica.double.requests))
            self.between()
        raise AssertionError("no run succeeded")

    def wrong(self) -> list[str]:
        """How the mirror differs from the truth, and which runs nobody ended."""
        running = SyncRun.objects.filter(status=SyncRun.Status.RUNNING).count()
        return self.replica.wrong() + [f"{running} runs never ended"] * bool(running)

    def _run(self, kill_after: float | None = None) -> tuple[int, float]:
        name = self.replica.world.repository.full_name
        return self.forks.run("sync_repo", name, "--once", kill_after=kill_after)
