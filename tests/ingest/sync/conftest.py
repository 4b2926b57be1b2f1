"""A mirror of a double's repository, and the means to run it and to hold it against the truth."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from django.db import connection, transaction
from pytest_django import Settings

from ingest.hosts.asking import budget
from ingest.hosts.asking import retries as patience
from ingest.hosts.connections import connect
from ingest.models import Mirror, SyncRun
from ingest.selectors.export import exported_issues
from ingest.services.mirrors import add_mirror
from ingest.sync.mirror_run import bring_up_to_date, sweep_all
from ingest.sync.runs import Outcome
from kb.models import Comment
from tests.doubles import gitee as gitee_double
from tests.doubles.gitee import GiteeDouble
from tests.doubles.github import GitHubDouble, World, comment_truth, differences, truth

TOKEN = "one-token"


@dataclass
class Mirrored:
    """A mirror and the world that it mirrors."""

    double: GitHubDouble
    mirror: Mirror

    @property
    def world(self) -> World:
        return self.double.world

    def sync(self, *, patience: float = 5.0) -> Outcome:
        mirror = Mirror.objects.select_related("repository", "keywords").get(pk=self.mirror.pk)
        host = connect(repository=mirror.repository, patience=patience)
        return bring_up_to_date(mirror=mirror, host=host, tell=lambda _progress: None)

    def synced(self) -> SyncRun:
        """Sync, which must succeed."""
        outcome = self.sync()
        assert outcome.is_complete, outcome.run.problem
        return outcome.run

    def sweep(self) -> SyncRun:
        mirror = Mirror.objects.select_related("repository").get(pk=self.mirror.pk)
        outcome = sweep_all(mirror=mirror, host=connect(repository=mirror.repository))
        assert outcome.is_complete, outcome.run.problem
        return outcome.run

    def wrong(self) -> list[str]:
        """How the mirror differs from the truth."""
        repository = Mirror.objects.select_related("repository").get(pk=self.mirror.pk).repository
        with transaction.atomic():
            rows = list(exported_issues(repository=repository, as_written=True))
        expected = truth(self.world, self.world.repository)
        return differences(expected, rows) + self._wrong_comments(expected)

    def _wrong_comments(self, expected: dict[int, dict[str, object]]) -> list[str]:
        there = {number for number, row in expected.items() if not row["deleted"]}
        wanted = {
            number: [(row["node_id"], row["body"], row["user"] or "") for row in rows]
            for number, rows in comment_truth(self.world).items()
            if number in there
        }
        held: dict[int, list[tuple[str, str, str]]] = {}
        for comment in Comment.objects.filter(
            issue__repository=self.mirror.repository, issue__deleted_at=None
        ).select_related("issue").order_by("created_at", "ref"):  # fmt: skip
            held.setdefault(int(comment.issue.ref), []).append((comment.node_id, comment.body, comment.author))
        return [
            f"#{number}: comments differ"
            for number in wanted.keys() | held.keys()
            if sorted(wanted.get(number, [])) != sorted(held.get(number, []))
        ]


@pytest.fixture
def held_elsewhere(transactional_db: None) -> Iterator[Callable[[str], None]]:
    """Hold a lock as another process would: on a connection of its own."""
    other = connection.copy()

    def hold(name: str) -> None:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [name])

    yield hold
    other.close()


@pytest.fixture
def worlds() -> list[World]:
    """The worlds that this test made."""
    return []


@pytest.fixture
def _no_waiting(monkeypatch: pytest.MonkeyPatch, worlds: list[World]) -> None:
    """A pause is no time at all: the clock of who asks and the clock of the world go on by it instead.

    So a request that comes too early is still one. Limits without a word how long are short enough to be waited for.
    """
    skipped = 0.0

    def pause(asker: patience.Asker, seconds: float) -> None:
        nonlocal skipped
        skipped += seconds
        asker.counts.waited_seconds += seconds
        for world in worlds:
            world.skip(seconds)

    monkeypatch.setattr(budget, "SECOND_BLOCK", 1.2)
    monkeypatch.setattr(patience.Asker, "_pause", pause)
    monkeypatch.setattr(patience, "time", SimpleNamespace(time=lambda: time.time() + skipped))


@pytest.fixture
def mirrored(settings: Settings, worlds: list[World], db: None) -> Iterator[Callable[..., Mirrored]]:
    """Make a world, serve it, and add a mirror of its repository."""
    doubles: list[GitHubDouble] = []

    def make(world: World | None = None, **recipe: object) -> Mirrored:
        double = GitHubDouble(world or World.generate(**recipe))
        worlds.append(double.world)
        double.__enter__()
        doubles.append(double)
        settings.GITHUB_API_URL, settings.GITHUB_GRAPHQL_URL = double.api_url, double.graphql_url
        settings.GITHUB_TOKENS, settings.GITHUB_TIMEOUT_SECONDS = [TOKEN], 2.0
        mirror, _ = add_mirror(url=f"https://github.com/{double.world.repository.full_name}")
        return Mirrored(double, mirror)

    yield make
    for double in doubles:
        double.__exit__(None, None, None)


class MirroredGitee(Mirrored):
    """A mirror of a world that shows itself as Gitee does."""

    def wrong(self) -> list[str]:
        """How the mirror differs from the truth."""
        repository = Mirror.objects.select_related("repository").get(pk=self.mirror.pk).repository
        with transaction.atomic():
            rows = list(exported_issues(repository=repository, as_written=True))
        wanted = gitee_double.comment_truth(self.world)
        held: dict[str, list[tuple[str, str, str]]] = {}
        comments = Comment.objects.filter(issue__repository=repository, issue__deleted_at=None, issue__moved_to="")
        for ref, *comment in comments.values_list("issue__ref", "node_id", "body", "author"):
            held.setdefault(ref, []).append((comment[0], comment[1], comment[2]))
        different = [
            f"{ref}: comments differ"
            for ref in wanted.keys() | held.keys()
            if sorted(wanted.get(ref, [])) != sorted(held.get(ref, []))
        ]
        return differences(gitee_double.truth(self.world), rows) + different


@pytest.fixture
def mirrored_gitee(settings: Settings, worlds: list[World], db: None) -> Iterator[Callable[..., MirroredGitee]]:
    """Make a world, serve it as Gitee, and add a mirror of its repository."""
    doubles: list[GiteeDouble] = []

    def make(**recipe: object) -> MirroredGitee:
        double = GiteeDouble(World.generate(**recipe))
        worlds.append(double.world)
        double.__enter__()
        doubles.append(double)
        settings.GITEE_API_URL = double.api_url
        settings.GITEE_TOKENS, settings.GITEE_TIMEOUT_SECONDS = [f"{TOKEN}-of-gitee"], 2.0
        mirror, _ = add_mirror(url=f"https://gitee.com/{double.world.repository.full_name}")
        return MirroredGitee(double, mirror)

    yield make
    for double in doubles:
        double.__exit__(None, None, None)
