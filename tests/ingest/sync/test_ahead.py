"""Asking ahead: what came is kept before more is asked for, and a wish is fulfilled by later answers only."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from pytest_django.fixtures import Settings

import ingest.sync.details
import ingest.sync.pages
from ingest.hosts import Batch, Details
from ingest.hosts.connections import shared_memory
from ingest.hosts.github.host import GitHub
from ingest.models import Pending, SyncRun
from ingest.sync.due_details import want_details
from ingest.sync.session import Session
from kb.models import Issue
from tests.ingest.sync.conftest import Mirrored

Make = Callable[..., Mirrored]
SMALL = {"issues": 240, "pulls": 120, "comments": 900, "seed": 3}


class KilledError(BaseException):
    """Stands for the end of the process: nobody handles it."""


def killed(replica: Mirrored, monkeypatch: pytest.MonkeyPatch, module: Any, *, at: int) -> None:
    """Sync until the write of the `at`-th answer of a module, which dies, once."""
    write, calls = module._write, iter(range(1, 10_000))

    def dies(*given: Any, **named: Any) -> None:
        if next(calls) == at:
            raise KilledError
        write(*given, **named)

    monkeypatch.setattr(module, "_write", dies)
    with pytest.raises(KilledError):
        replica.sync()


def repeated(replica: Mirrored) -> int:
    """How many pages of the list were asked for more than once."""
    pages = Counter(one.path for one in replica.double.requests if "direction=asc" in one.path)
    return sum(count - 1 for count in pages.values())


def test_who_goes_on_after_a_page_was_lost_asks_only_for_what_was_under_way(
    mirrored: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    replica = mirrored(**SMALL)
    killed(replica, monkeypatch, ingest.sync.pages, at=2)
    assert Issue.objects.count() == 100
    kept = f"faultbook:heard:{replica.mirror.pk}:{SyncRun.objects.get().started_at.timestamp()}:Page"
    assert shared_memory().exists(kept)
    replica.synced()
    assert repeated(replica) <= 1
    assert not shared_memory().exists(kept), "read once more in one run, a list would be an old one"
    assert replica.wrong() == []


def test_who_goes_on_after_details_were_lost_asks_only_for_those_under_way(
    mirrored: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    replica = mirrored(**SMALL)
    killed(replica, monkeypatch, ingest.sync.details, at=2)
    before = sum(one.ids for one in replica.double.requests)
    asked_ahead = before - 200
    replica.double.requests.clear()
    left = Pending.objects.count()
    replica.synced()
    assert sum(one.ids for one in replica.double.requests) == left - 100
    assert 0 < asked_ahead <= 100
    assert replica.wrong() == []


def test_an_old_answer_is_not_taken_when_another_run_came_between(
    mirrored: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    replica = mirrored(**SMALL)
    killed(replica, monkeypatch, ingest.sync.pages, at=2)
    SyncRun.objects.create(mirror=replica.mirror, kind=SyncRun.Kind.ONE)
    replica.synced()
    assert repeated(replica) == 2
    assert replica.wrong() == []


def test_what_is_wanted_while_it_is_asked_for_is_asked_for_again(
    mirrored: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    replica = mirrored(issues=20, pulls=5, comments=60, seed=3)
    details = GitHub.details
    asked: list[list[str]] = []

    def wanted_meanwhile(self: GitHub, *, repository: str, issues: Sequence[tuple[str, str]]) -> Batch[Details]:
        found = details(self, repository=repository, issues=issues)
        if not asked:
            want_details(mirror=replica.mirror, issues=[Issue.objects.get(node_id=issues[0][0]).pk])
        asked.append([node_id for node_id, _ in issues])
        return found

    monkeypatch.setattr(GitHub, "details", wanted_meanwhile)
    replica.synced()
    assert len(asked) == 2
    assert asked[1] == asked[0][:1]


def test_without_redis_nothing_is_asked_ahead(
    mirrored: Make, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    replica = mirrored(**SMALL)
    settings.REDIS_URL = "redis://127.0.0.1:9/0"
    killed(replica, monkeypatch, ingest.sync.pages, at=1)
    assert sum("direction=asc" in one.path for one in replica.double.requests) == 1
    replica.synced()
    assert replica.wrong() == []


def test_a_run_whose_time_is_over_hands_on_what_it_was_just_told(
    mirrored: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    replica = mirrored(**SMALL)
    check, calls = Session.check_time, iter(range(1, 10_000))

    def over(self: Session) -> None:
        if next(calls) == 3:
            self.until = 0.0
        check(self)

    monkeypatch.setattr(Session, "check_time", over)
    assert replica.sync().run.status == SyncRun.Status.PAUSED
    replica.synced()
    assert repeated(replica) == 0
    assert replica.wrong() == []
