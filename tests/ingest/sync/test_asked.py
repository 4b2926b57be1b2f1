"""What people ask for is done by the workers, and ends with a mirror that equals the truth."""

import datetime as dt
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from ingest import tasks
from ingest.hosts import Batch, Glance
from ingest.hosts.github.host import GitHub
from ingest.models import Cursor, KeywordList, LeftOut, Mirror, SyncRun
from ingest.services.deliveries import ask_reading
from ingest.services.mirrors import ask_sweep, keep_after_all, lock_name, read_all_again
from ingest.sync import schedule
from ingest.sync.deliveries import handle_deliveries
from kb.models import Issue
from kb.services.locks import LockHeldError
from tests.ingest.sync.conftest import Mirrored

Make = Callable[..., Mirrored]
SMALL = {"issues": 60, "pulls": 20, "comments": 120, "seed": 3}


@pytest.fixture
def replica(mirrored: Make) -> Mirrored:
    replica = mirrored(**SMALL)
    replica.synced()
    return replica


def test_a_sweep_that_was_asked_for_goes_to_the_end(replica: Mirrored) -> None:
    label = next(iter(replica.world.repository.labels))
    replica.world.rename_label(replica.world.repository, label, "another-name")
    ask_sweep(mirror=replica.mirror)
    for mirror in schedule.asked_sweeps():
        schedule.run_asked_sweep(mirror_id=mirror)
    assert replica.wrong() == []
    assert schedule.asked_sweeps() == []


def test_a_sweep_waits_for_the_hosts_limit_and_is_not_begun_twice(replica: Mirrored) -> None:
    ask_sweep(mirror=replica.mirror)
    Cursor.objects.update(resume_at=timezone.now() + dt.timedelta(minutes=5))
    assert schedule.asked_sweeps() == []
    Cursor.objects.update(resume_at=None, sweep_asked_at=None)
    schedule.run_asked_sweep(mirror_id=replica.mirror.pk)
    assert not SyncRun.objects.filter(kind=SyncRun.Kind.SWEEP).exists()


def asking_meanwhile(replica: Mirrored, monkeypatch: pytest.MonkeyPatch, *, at: int = 1) -> list[int]:
    """While issues are looked at for the `at`th time, the first one is deleted and somebody asks for a whole sweep."""
    looks: list[int] = []
    look = GitHub.glance

    def glance(host: GitHub, **asked: Any) -> Batch[Glance]:
        found = look(host, **asked)
        looks.append(len(asked["issues"]))
        if len(looks) == at:
            first = Issue.objects.filter(kind="issue").earliest("pk")
            replica.world.delete(next(issue for issue in replica.world.issues() if issue.number == int(first.ref)))
            ask_sweep(mirror=replica.mirror)
        return found

    monkeypatch.setattr(GitHub, "glance", glance)
    return looks


def test_a_sweep_asked_for_while_a_days_share_goes_on_begins_at_the_first_issue(
    replica: Mirrored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GitHub, "glanced_at_once", 35)
    Cursor.objects.update(swept_up_to=Issue.objects.filter(kind="issue").order_by("pk")[30].pk)
    asking_meanwhile(replica, monkeypatch)
    schedule.run_sweep(mirror_id=replica.mirror.pk)
    assert schedule.asked_sweeps() == [replica.mirror.pk]
    schedule.run_asked_sweep(mirror_id=replica.mirror.pk)
    assert replica.wrong() == []
    assert schedule.asked_sweeps() == []


def test_a_sweep_asked_for_again_while_it_ends_goes_round_once_more(
    replica: Mirrored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GitHub, "glanced_at_once", 35)
    ask_sweep(mirror=replica.mirror)
    looks = asking_meanwhile(replica, monkeypatch, at=3)
    schedule.run_asked_sweep(mirror_id=replica.mirror.pk)
    assert looks == [35, 35, 10, 35, 35, 10]
    assert replica.wrong() == []
    assert schedule.asked_sweeps() == []


def test_a_days_share_goes_on_with_a_sweep_that_was_asked_for_and_may_end_it(
    replica: Mirrored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GitHub, "glanced_at_once", 35)
    first, *_, last = Issue.objects.filter(kind="issue").order_by("pk")
    ask_sweep(mirror=replica.mirror)
    schedule.run_sweep(mirror_id=replica.mirror.pk)
    assert Cursor.objects.get().swept_up_to > first.pk
    assert schedule.asked_sweeps() == [replica.mirror.pk]
    Cursor.objects.update(swept_up_to=last.pk - 1)
    SyncRun.objects.all().delete()
    schedule.run_sweep(mirror_id=replica.mirror.pk)
    assert schedule.asked_sweeps() == []
    assert Cursor.objects.get().swept_up_to == 0


def test_workers_are_handed_the_sweeps_that_were_asked_for(replica: Mirrored, monkeypatch: pytest.MonkeyPatch) -> None:
    handed = Mock()
    monkeypatch.setattr(tasks.sweep_whole_mirror, "delay", handed)
    ask_sweep(mirror=replica.mirror)
    tasks.sweep_as_asked()
    handed.assert_called_once_with(replica.mirror.pk)


def test_reading_everything_again_ends_with_the_truth(replica: Mirrored) -> None:
    Issue.objects.filter(kind="issue").update(title="Spoilt", host_updated_at=dt.datetime(2000, 1, 1, tzinfo=dt.UTC))
    read_all_again(mirror=replica.mirror)
    replica.synced()
    assert replica.wrong() == []


def test_reading_everything_again_waits_for_no_run(replica: Mirrored, held_elsewhere: Callable[[str], None]) -> None:
    held_elsewhere(lock_name(replica.mirror))
    with pytest.raises(LockHeldError):
        read_all_again(mirror=replica.mirror)
    assert Cursor.objects.get().is_complete


def test_what_somebody_wants_kept_is_read_stays_and_is_counted_once(mirrored: Make) -> None:
    replica = mirrored(**SMALL)
    Mirror.objects.update(keywords=KeywordList.objects.create(name="none", words=["a word that nobody writes"]))
    replica.synced()
    assert not Issue.objects.exists()
    left_out = LeftOut.objects.filter(kind="issue").first()
    assert left_out is not None
    keep_after_all(left_out=left_out, user=User.objects.create_user("boss"))
    ask_reading(repository=replica.mirror.repository, ref=left_out.ref)
    handle_deliveries()
    assert Issue.objects.get().ref == left_out.ref
    replica.world.now += 3_600
    replica.world.edit(replica.world.item(int(left_out.ref)), title="Still without the word")
    run = replica.synced()
    assert Issue.objects.get().title == "Still without the word"
    assert not run.problem
    assert Cursor.objects.get().known_gap == []
