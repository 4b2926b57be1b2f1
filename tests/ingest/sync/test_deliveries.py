"""What deliveries hint at is read anew from the host: once per issue, whatever order they come in."""

import datetime as dt
import itertools
from collections.abc import Callable

import pytest
from django.utils import timezone

from ingest.hosts.webhook import Hint
from ingest.models import Cursor, Delivery, Mirror, SyncRun
from ingest.services.deliveries import forget_old_deliveries, note_delivery
from ingest.services.mirrors import lock_name
from ingest.sync import deliveries
from ingest.sync.deliveries import handle_deliveries
from kb.models import Comment, Issue
from tests.doubles import github as there_is
from tests.ingest.sync.conftest import Mirrored

Make = Callable[..., Mirrored]
SMALL = {"issues": 60, "pulls": 20, "comments": 120, "seed": 3}
_guids = itertools.count()


def hint(
    replica: Mirrored, ref: object = "", *, event: str = "issues", action: str = "edited", name: str = ""
) -> Delivery:
    guid = f"guid-{next(_guids)}"
    about = Hint(action, name or replica.world.repository.full_name, str(ref))
    assert note_delivery(guid=guid, event=event, hint=about)
    return Delivery.objects.get(guid=guid)


def first_issue(replica: Mirrored) -> Issue:
    return Issue.objects.filter(repository=replica.mirror.repository, kind="issue", comment_count__gt=0).earliest("pk")


def delete(replica: Mirrored, issue: Issue) -> None:
    there = replica.world.item(int(issue.ref))
    assert isinstance(there, there_is.Issue)
    replica.world.delete(there)


def outcomes() -> set[str]:
    assert not Delivery.objects.filter(handled_at__isnull=True).exists()
    return set(Delivery.objects.values_list("outcome", flat=True))


@pytest.fixture
def replica(mirrored: Make) -> Mirrored:
    replica = mirrored(**SMALL)
    replica.synced()
    return replica


def test_an_issue_is_as_it_stands_now_whatever_the_delivery_said(replica: Mirrored) -> None:
    issue = first_issue(replica)
    replica.world.now += 60
    replica.world.edit(replica.world.item(int(issue.ref)), title="Said later")
    hint(replica, issue.ref, action="opened")
    handle_deliveries()
    issue.refresh_from_db()
    assert issue.title == "Said later"
    assert outcomes() == {"Read again."}


def test_several_deliveries_about_one_issue_are_one_reading(replica: Mirrored) -> None:
    issue = first_issue(replica)
    for action in ("edited", "labeled", "closed", "reopened"):
        hint(replica, issue.ref, action=action)
    before = len(replica.double.requests)
    handle_deliveries()
    assert SyncRun.objects.filter(kind=SyncRun.Kind.ONE).count() == 1
    assert len(replica.double.requests) - before <= 2


def test_deliveries_out_of_order_and_replayed_change_nothing(replica: Mirrored) -> None:
    numbers = [int(ref) for ref in Issue.objects.filter(kind="issue").values_list("ref", flat=True)[:4]]
    for number in numbers:
        replica.world.now += 60
        replica.world.edit(replica.world.item(number), body=f"Now {number}")
    for number in reversed(numbers * 2):
        hint(replica, number)
    handle_deliveries()
    for number in numbers:
        hint(replica, number, action="opened")
    handle_deliveries()
    assert replica.wrong() == []


def test_an_issue_that_is_new_is_taken_up(replica: Mirrored) -> None:
    replica.world.now += 60
    opened = replica.world.open_issue(replica.world.repository, title="A new one")
    hint(replica, opened.number, action="opened")
    handle_deliveries()
    assert Issue.objects.get(ref=str(opened.number)).title == "A new one"
    assert replica.wrong() == []


def test_a_deleted_issue_is_marked(replica: Mirrored) -> None:
    issue = first_issue(replica)
    delete(replica, issue)
    hint(replica, issue.ref, action="deleted")
    handle_deliveries()
    issue.refresh_from_db()
    assert issue.deleted_at is not None


def test_a_comment_edited_without_a_trace_is_read_anew(replica: Mirrored) -> None:
    issue = first_issue(replica)
    there = replica.world.item(int(issue.ref)).comments[0]
    replica.world.edit_comment(there, "Edited", touch=False)
    hint(replica, issue.ref, event="issue_comment")
    handle_deliveries()
    assert Comment.objects.get(node_id=there.node_id).body == "Edited"


def test_many_issues_at_once_are_read_as_a_list(replica: Mirrored) -> None:
    issues = list(Issue.objects.filter(kind="issue")[: deliveries.MANY_ISSUES + 5])
    replica.world.now += 60
    for issue in issues[1:]:
        replica.world.edit(replica.world.item(int(issue.ref)), title=f"Now {issue.ref}")
    delete(replica, issues[0])
    for issue in issues:
        hint(replica, issue.ref, action="deleted" if issue == issues[0] else "edited")
    before = len(replica.double.requests)
    handle_deliveries()
    assert replica.wrong() == []
    assert len(replica.double.requests) - before <= 12
    assert outcomes() == {"Read again.", "Read with the list of changes."}


def test_a_repository_that_is_not_mirrored_is_noted_and_dropped(replica: Mirrored) -> None:
    hint(replica, 1, name="nobody/nothing")
    hint(replica, 1, name="")
    Mirror.objects.update(is_on=False)
    hint(replica, 1)
    handle_deliveries()
    assert outcomes() >= {"This repository is not mirrored here.", "Its mirror is off."}


def test_a_ping_says_that_the_webhook_works(replica: Mirrored) -> None:
    hint(replica, event="ping", action="")
    handle_deliveries()
    assert outcomes() == {"The webhook works."}


def test_labels_that_changed_are_read_by_a_run_that_begins_at_once(replica: Mirrored) -> None:
    hint(replica, event="label", action="edited")
    handle_deliveries()
    due_at = Cursor.objects.get().due_at
    assert due_at is not None
    assert due_at <= timezone.now()


def test_a_renamed_repository_is_due_at_once(replica: Mirrored) -> None:
    hint(replica, event="repository", action="renamed")
    handle_deliveries()
    due_at = Cursor.objects.get().due_at
    assert due_at is not None
    assert due_at <= timezone.now()


def test_while_the_host_limits_us_deliveries_wait(replica: Mirrored) -> None:
    hint(replica, first_issue(replica).ref)
    Cursor.objects.update(resume_at=timezone.now() + dt.timedelta(minutes=20))
    before = len(replica.double.requests)
    handle_deliveries()
    assert len(replica.double.requests) == before
    assert Delivery.objects.filter(handled_at__isnull=True).count() == 1
    Cursor.objects.update(resume_at=None)
    handle_deliveries()
    assert outcomes() == {"Read again."}


def test_a_day_later_what_could_not_be_read_is_given_up(replica: Mirrored) -> None:
    hint(replica, 1)
    Cursor.objects.update(resume_at=timezone.now() + dt.timedelta(minutes=20))
    Delivery.objects.update(received_at=timezone.now() - dt.timedelta(days=2))
    handle_deliveries()
    assert Delivery.objects.get().outcome.startswith("Could not be read within a day")


def test_the_first_reading_brings_what_was_changed_meanwhile(mirrored: Make) -> None:
    replica = mirrored(**SMALL)
    hint(replica, 1, action="edited")
    handle_deliveries()
    assert outcomes() == {"The first reading, now running, covers it."}


def test_reading_single_issues_says_nothing_about_how_fresh_the_mirror_is(replica: Mirrored) -> None:
    hint(replica, first_issue(replica).ref)
    before = Cursor.objects.values("fresh_at", "due_at").get()
    handle_deliveries()
    assert Cursor.objects.values("fresh_at", "due_at").get() == before


def test_handled_deliveries_are_forgotten_in_time(replica: Mirrored) -> None:
    old, waiting = hint(replica, event="ping"), hint(replica, 1)
    Delivery.objects.update(received_at=timezone.now() - dt.timedelta(days=60))
    Delivery.objects.filter(pk=old.pk).update(handled_at=timezone.now())
    assert forget_old_deliveries() == 1
    assert Delivery.objects.get() == waiting


def test_while_another_process_handles_them_nothing_is_done(
    replica: Mirrored, held_elsewhere: Callable[[str], None]
) -> None:
    hint(replica, event="ping")
    held_elsewhere("webhook deliveries")
    handle_deliveries()
    assert Delivery.objects.get().handled_at is None


def test_while_a_run_is_at_it_they_wait(replica: Mirrored, held_elsewhere: Callable[[str], None]) -> None:
    hint(replica, 1)
    held_elsewhere(lock_name(replica.mirror))
    handle_deliveries()
    assert Delivery.objects.get().handled_at is None
