"""How quickly issues are looked at again: within a day, with few requests, and all mirrors of a host alike."""

import datetime as dt
import math
from collections.abc import Callable

import pytest
from django.utils import timezone
from pytest_django import Settings

from ingest.hosts.connections import connect
from ingest.hosts.github.host import GitHub
from ingest.models import Cursor, SyncRun
from ingest.sync import schedule
from ingest.sync.pace import ROUND, Pace, held_of, pace_of
from tests.ingest.mirrors import make_mirror, make_mirrored, make_run
from tests.ingest.sync.conftest import Mirrored

DAY = dt.timedelta(days=1)
TICK = dt.timedelta(minutes=10)


@pytest.mark.parametrize("held", [1, 199, 200, 201, 15_000, 60_000])
def test_a_day_suffices_and_takes_few_questions_more_than_there_must_be(held: int) -> None:
    pace = Pace(held=held, round=ROUND, at_once=200)
    seen, questions, last, now = 0, 0, dt.timedelta(), dt.timedelta()
    while (now := now + TICK) <= DAY:
        if now - last >= pace.step:
            share, last = pace.share(now - last), now
            seen += share
            questions += share // 200
    assert seen >= held
    assert questions <= math.ceil(held / 200) * DAY / ROUND + DAY / pace.step


def test_what_was_missed_is_made_good_at_once_but_never_twice() -> None:
    pace = Pace(held=1_000, round=ROUND, at_once=200)
    assert pace.share(dt.timedelta(hours=10)) == 600
    assert pace.share(dt.timedelta(days=10)) == 1_000


@pytest.mark.django_db
def test_where_the_host_allows_too_little_all_its_mirrors_are_slower_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GitHub, "looks_an_hour", 0.1)
    small, large = make_mirror("a/small"), make_mirror("b/large")
    make_mirrored(small, 1)
    for ref in range(1, 5):
        make_mirrored(large, ref)
    host = connect(repository=small.repository)
    held = held_of(host=host, name="github.com")
    paces = [pace_of(repository=mirror.repository, host=host, held=held) for mirror in (small, large)]
    assert [pace.held for pace in paces] == [1, 4]
    assert {pace.round for pace in paces} == {dt.timedelta(hours=50)}


@pytest.mark.django_db
def test_mirrors_that_may_not_be_asked_or_failed_lately_are_left_alone() -> None:
    due, later = make_mirror("a/due"), timezone.now() + DAY
    make_mirror("a/off", mirror={"is_on": False})
    make_mirror("a/limited", resume_at=later)
    make_mirror("a/failing", failures=1)
    make_mirror("a/first-reading", is_complete=False)
    make_run(make_mirror("a/failed"), kind="sweep", status="failed", minutes_ago=20)
    make_run(make_mirror("a/seen"), kind="sweep", minutes_ago=60)
    assert schedule.mirrors_to_sweep() == [due.pk]


def test_without_a_token_issues_are_looked_at_too_only_slower(
    mirrored: Callable[..., Mirrored], settings: Settings
) -> None:
    replica = mirrored(issues=6, pulls=2, comments=8, seed=4)
    settings.GITHUB_TOKENS = []
    replica.synced()
    issue, other = replica.world.issues()[:2]
    replica.world.delete(issue)
    for comment in other.comments[:1]:
        replica.world.delete_comment(comment, touch=False)
    Cursor.objects.update(swept_up_to=0)
    SyncRun.objects.filter(kind="sweep").delete()
    for tick in range(8):
        now = timezone.now() + tick * 4 * dt.timedelta(hours=1)
        schedule.run_sweep(mirror_id=replica.mirror.pk, now=now)
        SyncRun.objects.filter(pk=SyncRun.objects.latest("pk").pk).update(started_at=now)
    assert Cursor.objects.get().swept_at is not None
    assert not [line for line in replica.wrong() if f"#{issue.number}" in line or f"#{other.number}:" in line]
