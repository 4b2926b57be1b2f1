"""A mirror whose runs are killed at random moments: nothing is lost or doubled, and little is asked for again.

Each run is a process of its own, killed by SIGKILL; tests/perf/test_sync_kills.py does the same hundreds of times.
"""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from ingest.models import Cursor, SyncRun
from ingest.services.mirrors import lock_name
from ingest.sync import schedule
from ingest.sync.runs import DEATHS_AT_ONCE
from kb.services.locks import session_lock
from tests.ingest.forking import Forks
from tests.ingest.killing import KILLED, Killer, environment_of
from tests.ingest.sync.conftest import Mirrored

pytestmark = pytest.mark.django_db(transaction=True)

Make = Callable[..., Mirrored]
SMALL = {"issues": 240, "pulls": 120, "comments": 900, "seed": 3}
# A killed run loses the batch of details that it writes and the next one, asked for ahead: a hundred issues each.
MOST_LOST = 2 * 100
# What a host may take for one answer here, three times its longest silence.
LONGEST_REQUEST = 6.0


@pytest.fixture
def killer(mirrored: Make, tmp_path: Path) -> Iterator[Killer]:
    replica = mirrored(**SMALL)
    with Forks(environment=environment_of(replica.double), log=tmp_path / "log") as forks:
        yield Killer(replica, forks, random.Random(1))  # noqa: S311 moments, no secret


def test_killed_while_everything_is_read_for_the_first_time(killer: Killer) -> None:
    undisturbed = killer.measure()
    kills = 0
    while kills < 8:
        killer.empty()
        chain = killer.chain()
        kills += chain.kills
        assert killer.wrong() == []
        assert chain.repeated_pages <= chain.kills
        assert chain.ids <= undisturbed.ids + MOST_LOST * chain.kills
        assert chain.sent_while_limited == 0


def test_killed_while_the_world_changes(killer: Killer) -> None:
    killer.measure()
    seeds = iter(range(1_000))

    def change() -> None:
        killer.replica.world.now += 120
        killer.replica.world.change_some(0.02, seed=next(seeds))

    killer.between = change
    for _ in range(4):
        killer.replica.world.now += 3_600
        killer.replica.world.change_some(0.5, seed=next(seeds))
        chain = killer.chain()
        assert killer.forks.run("sync_repo", killer.replica.world.repository.full_name)[0] == 0
        assert killer.wrong() == []
        assert chain.sent_while_limited == 0


def test_killed_while_the_host_is_not_well(killer: Killer) -> None:
    killer.measure()
    faults = killer.replica.double.faults
    faults.add("server_error", probability=0.15, status=502)
    faults.add("cut", probability=0.1)
    faults.add("secondary_limit", probability=0.03, seconds=1)
    for _ in range(2):
        killer.empty()
        chain = killer.chain()
        assert killer.wrong() == []
        # Who is killed while a refusal is under way cannot hand it on.
        assert chain.sent_while_limited <= chain.kills


def test_who_is_killed_while_asking_keeps_nobody_waiting(killer: Killer) -> None:
    name, stalled = (
        killer.replica.world.repository.full_name,
        killer.replica.double.faults.add("stall", count=1, before=True),
    )
    status, _ = killer.forks.run("sync_repo", name, kill_after=1.5)
    assert (status, stalled.hits) == (KILLED, 1)
    status, seconds = killer.forks.run("sync_repo", name)
    assert status == 0
    assert seconds < LONGEST_REQUEST


@pytest.mark.drill("A mirror of a killed worker is taken over")
def test_a_mirror_whose_worker_was_killed_is_taken_over_by_the_next_look_and_says_so(killer: Killer) -> None:
    name, mirror = killer.replica.world.repository.full_name, killer.replica.mirror
    assert schedule.take_due() == [mirror.pk]
    killer.replica.double.faults.add("stall", count=1, before=True)
    assert killer.forks.run("sync_repo", name, kill_after=1.5)[0] == KILLED
    with session_lock(lock_name(mirror), wait_seconds=15):
        assert SyncRun.objects.get().status == SyncRun.Status.RUNNING
    assert schedule.take_due() == [mirror.pk]
    dead = SyncRun.objects.get()
    assert dead.status == SyncRun.Status.INTERRUPTED
    assert dead.finished_at is not None
    said = f"Its worker died; resumed at {dead.finished_at:%H:%M:%S} UTC."
    assert said in Client().get("/status/").content.decode()
    schedule.run_mirror(mirror_id=mirror.pk)
    assert killer.wrong() == []
    assert Cursor.objects.get().failures == 0
    assert said in Client().get(f"/status/github.com/{name}/").content.decode()


def test_a_run_that_goes_on_is_left_alone(killer: Killer, held_elsewhere: Callable[[str], None]) -> None:
    SyncRun.objects.create(mirror=killer.replica.mirror, kind=SyncRun.Kind.POLL)
    Cursor.objects.update(due_at=timezone.now() + schedule.HANDED_OUT_FOR)
    held_elsewhere(lock_name(killer.replica.mirror))
    assert schedule.take_due() == []
    assert SyncRun.objects.get().status == SyncRun.Status.RUNNING


def test_a_mirror_that_kills_each_of_its_workers_rests(killer: Killer) -> None:
    for deaths in range(1, DEATHS_AT_ONCE + 2):
        SyncRun.objects.create(mirror=killer.replica.mirror, kind=SyncRun.Kind.POLL)
        is_due = bool(schedule.take_due())
        assert is_due is (deaths <= DEATHS_AT_ONCE)


def test_who_finds_a_mirror_taken_looks_again_soon(killer: Killer, held_elsewhere: Callable[[str], None]) -> None:
    assert schedule.take_due() == [killer.replica.mirror.pk]
    held_elsewhere(lock_name(killer.replica.mirror))
    schedule.run_mirror(mirror_id=killer.replica.mirror.pk)
    assert schedule.take_due() == [killer.replica.mirror.pk]
