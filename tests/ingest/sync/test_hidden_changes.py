"""What a host changes without a word in its lists: labels reach a mirror by the next poll, all else within a day."""

import datetime as dt
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from ingest.hosts.github.host import GitHub
from ingest.models import Cursor, SyncRun
from ingest.sync import schedule
from kb.models import Issue as Held
from tests.doubles.github import Issue
from tests.doubles.github.values import PullRequest
from tests.ingest.sync.conftest import Mirrored

pytestmark = pytest.mark.drill("Hidden changes on the host are seen within a day")

Change = Callable[[Mirrored], object]
TINY = {"issues": 40, "pulls": 12, "comments": 60, "seed": 3}
HOSTS = {"github": "mirrored", "gitee": "mirrored_gitee"}
TICK = dt.timedelta(hours=2)


def open_issue(replica: Mirrored) -> Issue:
    return next(issue for issue in replica.world.issues() if issue.state == "open" and not issue.links)


def rename_label(replica: Mirrored) -> None:
    replica.world.rename_label(
        replica.world.repository, next(iter(replica.world.repository.labels)), "renamed by its owners"
    )


def delete_label(replica: Mirrored) -> None:
    replica.world.delete_label(replica.world.repository, next(iter(replica.world.repository.labels)))


def delete(replica: Mirrored) -> None:
    replica.world.delete(open_issue(replica))


def transfer(replica: Mirrored) -> None:
    replica.world.transfer(open_issue(replica), replica.world.add_repository("octo/elsewhere"))


def link(replica: Mirrored) -> None:
    pull = next(item for item in replica.world.repository.items.values() if isinstance(item, PullRequest))
    replica.world.link(pull, open_issue(replica), how="sidebar")


def unlink(replica: Mirrored) -> None:
    issue = next(issue for issue in replica.world.issues() if issue.title == "Linked")
    replica.world.unlink(issue.links[0], issue)


def delete_comment(replica: Mirrored) -> None:
    thread = next(issue for issue in replica.world.issues() if issue.comments)
    replica.world.delete_comment(thread.comments[0], touch=False)


OF_LABELS: tuple[Change, ...] = (rename_label, delete_label)
OF_ISSUES: tuple[Change, ...] = (delete, transfer, link, unlink, delete_comment)


@pytest.fixture(params=HOSTS)
def replica(request: pytest.FixtureRequest) -> Mirrored:
    made: Mirrored = request.getfixturevalue(HOSTS[request.param])(**TINY)
    issue = made.world.open_issue(made.world.repository, title="Linked")
    made.world.open_pull(made.world.repository, closes=[issue], how="sidebar")
    made.synced()
    assert made.wrong() == []
    made.world.now += 3_600
    return made


def live(hours: int) -> list[SyncRun]:
    """Let so many hours pass, in which beat looks for mirrors whose issues are to be looked at; returns the looks."""
    began, runs = timezone.now(), []
    for tick in range(hours * 3_600 // int(TICK.total_seconds()) + 1):
        now = began + tick * TICK
        for mirror in schedule.mirrors_to_sweep(now=now):
            schedule.run_sweep(mirror_id=mirror, now=now)
            runs.append(SyncRun.objects.latest("pk"))
            SyncRun.objects.filter(pk=runs[-1].pk).update(started_at=now)
    return runs


@pytest.mark.parametrize("change", OF_LABELS)
def test_labels_reach_their_issues_by_the_next_poll(replica: Mirrored, change: Change) -> None:
    change(replica)
    replica.synced()
    assert replica.wrong() == []


@pytest.mark.parametrize("change", OF_ISSUES)
def test_everything_else_reaches_us_within_a_day(replica: Mirrored, change: Change) -> None:
    live(1)
    change(replica)
    replica.synced()
    assert replica.wrong() != []
    assert {run.status for run in live(24)} == {SyncRun.Status.DONE}
    assert replica.wrong() == []


@pytest.mark.parametrize("change", [*OF_LABELS, *OF_ISSUES])
def test_sync_repo_leaves_nothing_stale_in_a_small_repository(replica: Mirrored, change: Change) -> None:
    change(replica)
    call_command("sync_repo", replica.mirror.repository.url, "--once", stdout=StringIO())
    assert replica.wrong() == []


def test_labels_that_change_their_names_with_each_other_are_not_mixed_up(replica: Mirrored) -> None:
    repository = replica.world.repository
    one, other = list(repository.labels)[:2]
    replica.world.rename_label(repository, one, "for a moment")
    replica.world.rename_label(repository, other, one)
    replica.world.rename_label(repository, "for a moment", other)
    replica.synced()
    assert replica.wrong() == []


def test_a_label_made_anew_under_the_same_name_has_everything_looked_at_again(replica: Mirrored) -> None:
    repository, name = replica.world.repository, next(iter(replica.world.repository.labels))
    replica.world.delete_label(repository, name)
    replica.world.relabel(open_issue(replica), [name])
    replica.synced()
    assert schedule.asked_sweeps() == [replica.mirror.pk]
    schedule.run_asked_sweep(mirror_id=replica.mirror.pk)
    assert replica.wrong() == []


def test_a_days_looks_are_spread_and_say_since_when_all_were_seen(
    mirrored: Callable[..., Mirrored], monkeypatch: pytest.MonkeyPatch
) -> None:
    replica = mirrored(issues=90, pulls=30, comments=0, seed=3)
    replica.synced()
    monkeypatch.setattr(GitHub, "glanced_at_once", 20)
    runs = live(24)
    assert len(runs) >= 6
    assert max(run.requests for run in runs) <= 2
    cursor = Cursor.objects.get()
    assert cursor.swept_at is not None
    assert cursor.all_seen_by is not None
    assert {up_to for up_to, _ in cursor.looks} <= set(Held.objects.values_list("pk", flat=True))


def test_issues_that_we_lost_come_back_though_everything_we_hold_was_looked_at_today(
    mirrored: Callable[..., Mirrored],
) -> None:
    replica = mirrored(**TINY)
    replica.synced()
    live(2)
    Held.objects.filter(kind="issue").first().delete()  # type: ignore[union-attr]
    replica.world.comment(replica.world.issues()[-1])
    schedule.run_mirror(mirror_id=replica.mirror.pk)
    assert replica.wrong() == []
