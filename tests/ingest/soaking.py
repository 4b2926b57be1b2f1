"""A soak: many mirrors kept by real workers and a real clock while the world changes, the host ails and workers die.

Every mirror is due again after a few seconds instead of minutes. In the end everything is left alone, and each mirror
must become the truth within a given time.
"""

import datetime as dt
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from config.embedded.up import processes
from ingest.models import Cursor, Mirror, SyncRun
from ingest.selectors.export import exported_issues
from ingest.services.mirrors import add_mirror
from kb.models import Comment
from tests.doubles.github import GitHubDouble, World, comment_truth, differences, truth
from tests.doubles.github.values import Repository
from tests.ingest.forking import ROOT

RECIPE = {"issues": 30, "pulls": 12, "comments": 150}
FAULTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("server_error", {"probability": 0.03, "status": 502}),
    ("cut", {"probability": 0.03}),
    ("truncated", {"probability": 0.01}),
    ("secondary_limit", {"probability": 0.003, "seconds": 2}),
)
# Each mirror is due again so many seconds after it was handed out or brought up to date.
DUE_AGAIN = 4.0
STEP = 0.25
# Counted from a worker's first run: on a busy machine it takes long to begin, and should get something done.
KILL_AFTER = (6.0, 14.0)


@dataclass
class Report:
    """What happened: counts, and in the end the seconds until every mirror was the truth, or how they differ."""

    changes: int = 0
    kills: int = 0
    requests: int = 0
    while_limited: int = 0
    runs: dict[str, int] = field(default_factory=dict)
    settled_after: float = 0.0
    lag: float = 0.0
    wrong: list[str] = field(default_factory=list)


def make_world(repositories: int) -> World:
    """A world with so many small repositories."""
    world = World()
    for number in range(repositories):
        world.grow(seed=number, full_name=f"octo/engine-{number}", elsewhere=f"octo/plugins-{number}", **RECIPE)
    return world


class Soak:
    """Mirrors of all engines of a world, and the processes that keep them. `environment` is those processes'."""

    def __init__(self, double: GitHubDouble, *, environment: dict[str, str], folder: Path, seed: int) -> None:
        self.double, self.report = double, Report()
        self._environment, self._log = {**os.environ, **environment}, folder / "log"
        self._rng = random.Random(seed)  # noqa: S311 moments, no secret
        self._worker: subprocess.Popen[bytes] | None = None
        self._seeds = iter(range(seed, 10**9))
        self.repositories = [one for one in double.world.repositories.values() if "/engine-" in one.full_name]
        for one in self.repositories:
            add_mirror(url=f"https://github.com/{one.full_name}")

    def run(self, *, seconds: float, patience: float, runs: int = 0) -> Report:
        """Let it go on for so many seconds, then leave it alone until all is true, for `patience` at most.

        It goes on for longer, by `patience` at most, until so many runs have come to a good end and a worker was
        killed: a machine that is busy with something else says nothing of the mirrors.
        """
        with self._celery("beat", "tests.ingest.quick_beat"), self._running_worker():
            for kind, how in FAULTS:
                self.double.faults.add(kind, **how)
            self._disturb(seconds)
            self._disturb(patience, until_runs=runs)
            self.double.faults.clear()
            self._settle(patience)
        return self._reported()

    def _disturb(self, seconds: float, *, until_runs: int | None = None) -> None:
        until = time.monotonic() + seconds
        began, next_kill = timezone.now(), float("inf")
        while (now := time.monotonic()) < until:
            if until_runs is not None and self.report.kills and _done_runs() >= until_runs:
                return
            self._change_one()
            self._hurry()
            if now >= next_kill:
                self._kill()
                began, next_kill = timezone.now(), float("inf")
            elif next_kill == float("inf") and SyncRun.objects.filter(started_at__gt=began).exists():
                next_kill = now + self._rng.uniform(*KILL_AFTER)
            time.sleep(STEP)

    def _change_one(self) -> None:
        world = self.double.world
        with world.lock:
            world.now += 20
        done = world.change_some(0.05, seed=next(self._seeds), repository=self._rng.choice(self.repositories))
        self.report.changes += len(done)

    def _hurry(self) -> None:
        """Let minutes pass in seconds: who was handed out, or is due later, is due now."""
        now = timezone.now()
        Cursor.objects.filter(due_at__gt=now).exclude(resume_at__gt=now).exclude(
            mirror__runs__started_at__gt=now - dt.timedelta(seconds=DUE_AGAIN)
        ).update(due_at=now)

    def _kill(self) -> None:
        """Kill the process that runs the tasks, which its parent replaces, or both, and begin anew."""
        assert self._worker
        children = psutil.Process(self._worker.pid).children()
        if children and self._rng.random() < 0.5:
            self._rng.choice(children).kill()
        else:
            os.killpg(self._worker.pid, signal.SIGKILL)
            self._worker.wait()
            self._worker = self._start("worker", "config.celery")
        self.report.kills += 1

    def _settle(self, patience: float) -> None:
        """Wait until each mirror was brought up to date after everything had become quiet."""
        quiet, began = timezone.now(), time.monotonic()
        while time.monotonic() - began < patience:
            self._hurry()
            if not Cursor.objects.exclude(fresh_at__gt=quiet).exists():
                break
            time.sleep(STEP)
        self.report.settled_after = time.monotonic() - began
        behind = Cursor.objects.exclude(fresh_at__gt=quiet).values_list("mirror__repository__full_name", flat=True)
        self.report.wrong += [f"{name} did not become fresh" for name in behind]

    def _reported(self) -> Report:
        report, asked = self.report, self.double.requests
        report.requests, report.while_limited = len(asked), sum(one.was_limited for one in asked)
        for status in SyncRun.objects.values_list("status", flat=True):
            report.runs[status] = report.runs.get(status, 0) + 1
        report.lag = SyncRun.objects.aggregate(longest=Max("lag_seconds"))["longest"] or 0.0
        for one in self.repositories:
            report.wrong += [f"{one.full_name} {line}" for line in _wrong(self.double.world, one)]
        return report

    @contextmanager
    def _running_worker(self) -> Iterator[None]:
        self._worker = self._start("worker", "config.celery")
        try:
            yield
        finally:
            os.killpg(self._worker.pid, signal.SIGKILL)
            self._worker.wait()

    @contextmanager
    def _celery(self, name: str, app: str) -> Iterator[None]:
        process = self._start(name, app)
        try:
            yield
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _start(self, name: str, app: str) -> "subprocess.Popen[bytes]":
        """Start one of the product's processes as `make up` does, in a group of its own."""
        command = [app if part == "config.celery" else part for part in processes(0)[name]]
        with self._log.open("ab") as log:
            return subprocess.Popen(
                command, cwd=ROOT, env=self._environment, stdout=log, stderr=log, start_new_session=True
            )


def _done_runs() -> int:
    return SyncRun.objects.filter(status=SyncRun.Status.DONE).count()


def _wrong(world: World, repository: Repository) -> list[str]:
    """How one mirror differs from the truth."""
    mirrored = Mirror.objects.select_related("repository").get(repository__full_name=repository.full_name).repository
    with transaction.atomic():
        rows = list(exported_issues(repository=mirrored, as_written=True))
    expected = truth(world, repository)
    wanted = {
        (number, row["node_id"], row["body"])
        for number, rows_of_one in comment_truth(world, repository).items()
        for row in rows_of_one
    }
    comments = Comment.objects.filter(issue__repository=mirrored).annotate(number=F("issue__ref"))
    held = {(int(number), *rest) for number, *rest in comments.values_list("number", "node_id", "body")}
    return differences(expected, rows) + [f"comment {node_id} differs" for _, node_id, _ in wanted ^ held]
