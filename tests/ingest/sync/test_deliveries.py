"""What deliveries hint at is read anew from the host: once per issue, whatever order they come in."""

import datetime as dt
import itertools
from collections.abc import Callable

import pytest
from django.utils import timezone

from ingest.models import Cursor, Delivery, Mirror, SyncRun
from ingest.services.deliveries import forget_old_deliveries, note_delivery
from ingest.services.mirrors import lock_name
from ingest.sync import deliveries
from ingest.sync.deliveries import handle_deliveries
from ingest.sync.webhook import Hint
from kb.models import Comment, Issue
from tests.doubles import github as there_is
from tests.ingest.sync.conftest import Mirrored

Make = Callable[..., Mirrored]
SMALL = {"issues": 60, "pulls": 20, "comments": 120, "seed": 3}
_guids = itertools.count()


def hint(
    some: Mirrored, ref: object = "", *, event: str = "issues", action: str = "edited", name: str = ""
) -> Delivery:
    guid = f"guid-{next(_guids)}"
    about = Hint(action, name or some.world.repository.full_name, str(ref))
    assert note_delivery(guid=guid, event=event, hint=about)
    return Delivery.objects.get(guid=guid)


def first_issue(some: Mirrored) -> Issue:
    return Issue.objects.filter(repository=some.mirror.repository, kind="issue", comment_count__gt=0).earliest("pk")


def delete(some: Mirrored, issue: Issue) -> None:
    there = some.world.item(int(issue.ref))
    assert isinstance(there, there_is.Issue)
    some.world.delete(there)


def outcomes() -> set[str]:
    assert not Delivery.objects.filter(handled_at__isnull=True).exists()
    return set(Delivery.objects.values_list("outcome", flat=True))


@pytest.fixture
def some(mirrored: Make) -> Mirrored:
    some = mirrored(**SMALL)
    some.synced()
    return some


def test_an_issue_is_as_it_stands_now_whatever_the_delivery_said(some: Mirrored) -> None:
    issue = first_issue(some)
    some.world.now += 60
    some.world.edit(some.world.item(int(issue.ref)), title="Said later")
    hint(some, issue.ref, action="opened")
    handle_deliveries()
    issue.refresh_from_db()
    assert issue.title == "Said later"
    assert outcomes() == {"Read anew."}


def test_several_deliveries_about_one_issue_are_one_reading(some: Mirrored) -> None:
    issue = first_issue(some)
    for action in ("edited", "labeled", "closed", "reopened"):
        hint(some, issue.ref, action=action)
    before = len(some.double.requests)
    handle_deliveries()
    assert SyncRun.objects.filter(kind=SyncRun.Kind.ONE).count() == 1
    assert len(some.double.requests) - before <= 2


def test_deliveries_out_of_order_and_replayed_change_nothing(some: Mirrored) -> None:
    numbers = [int(ref) for ref in Issue.objects.filter(kind="issue").values_list("ref", flat=True)[:4]]
    for number in numbers:
        some.world.now += 60
        some.world.edit(some.world.item(number), body=f"Now {number}")
    for number in reversed(numbers * 2):
        hint(some, number)
    handle_deliveries()
    for number in numbers:
        hint(some, number, action="opened")
    handle_deliveries()
    assert some.wrong() == []


def test_an_issue_that_is_new_is_taken_up(some: Mirrored) -> None:
    some.world.now += 60
    opened = some.world.open_issue(some.world.repository, title="A new one")
    hint(some, opened.number, action="opened")
    handle_deliveries()
    assert Issue.objects.get(ref=str(opened.number)).title == "A new one"
    assert some.wrong() == []


def test_a_deleted_issue_is_marked(some: Mirrored) -> None:
    issue = first_issue(some)
    delete(some, issue)
    hint(some, issue.ref, action="deleted")
    handle_deliveries()
    issue.refresh_from_db()
    assert issue.deleted_at is not None


def test_a_comment_edited_without_a_trace_is_read_anew(some: Mirrored) -> None:
    issue = first_issue(some)
    there = some.world.item(int(issue.ref)).comments[0]
    some.world.edit_comment(there, "Edited", touch=False)
    hint(some, issue.ref, event="issue_comment")
    handle_deliveries()
    assert Comment.objects.get(node_id=there.node_id).body == "Edited"


def test_many_issues_at_once_are_read_as_a_list(some: Mirrored) -> None:
    issues = list(Issue.objects.filter(kind="issue")[: deliveries.MANY_ISSUES + 5])
    some.world.now += 60
    for issue in issues[1:]:
        some.world.edit(some.world.item(int(issue.ref)), title=f"Now {issue.ref}")
    delete(some, issues[0])
    for issue in issues:
        hint(some, issue.ref, action="deleted" if issue == issues[0] else "edited")
    before = len(some.double.requests)
    handle_deliveries()
    assert some.wrong() == []
    assert len(some.double.requests) - before <= 12
    assert outcomes() == {"Read anew.", "Read with the list of changes."}


def test_a_repository_that_is_not_mirrored_is_noted_and_dropped(some: Mirrored) -> None:
    hint(some, 1, name="nobody/nothing")
    hint(some, 1, name="")
    Mirror.objects.update(is_on=False)
    hint(some, 1)
    handle_deliveries()
    assert outcomes() >= {"This repository is not mirrored here.", "Its mirror is off."}


def test_a_ping_says_that_the_webhook_works(some: Mirrored) -> None:
    hint(some, event="ping", action="")
    handle_deliveries()
    assert outcomes() == {"The webhook works."}


def test_labels_that_changed_are_read_by_a_run_that_begins_at_once(some: Mirrored) -> None:
    hint(some, event="label", action="edited")
    handle_deliveries()
    due_at = Cursor.objects.get().due_at
    assert due_at is not None
    assert due_at <= timezone.now()


def test_a_renamed_repository_is_due_at_once(some: Mirrored) -> None:
    hint(some, event="repository", action="renamed")
    handle_deliveries()
    due_at = Cursor.objects.get().due_at
    assert due_at is not None
    assert due_at <= timezone.now()


def test_while_the_host_limits_us_deliveries_wait(some: Mirrored) -> None:
    hint(some, first_issue(some).ref)
    Cursor.objects.update(resume_at=timezone.now() + dt.timedelta(minutes=20))
    before = len(some.double.requests)
    handle_deliveries()
    assert len(some.double.requests) == before
    assert Delivery.objects.filter(handled_at__isnull=True).count() == 1
    Cursor.objects.update(resume_at=None)
    handle_deliveries()
    assert outcomes() == {"Read anew."}


def test_a_day_later_what_could_not_be_read_is_given_up(some: Mirrored) -> None:
    hint(some, 1)
    Cursor.objects.update(resume_at=timezone.now() + dt.timedelta(minutes=20))
    Delivery.objects.update(received_at=timezone.now() - dt.timedelta(days=2))
    handle_deliveries()
    assert Delivery.objects.get().outcome.startswith("Could not be read within a day")


def test_the_first_reading_brings_what_was_changed_meanwhile(mirrored: Make) -> None:
    some = mirrored(**SMALL)
    hint(some, 1, action="edited")
    handle_deliveries()
    assert outcomes() == {"The first reading, under way, brings it."}


def test_reading_single_issues_says_nothing_about_how_fresh_the_mirror_is(some: Mirrored) -> None:
    hint(some, first_issue(some).ref)
    before = Cursor.objects.values("fresh_at", "due_at").get()
    handle_deliveries()
    assert Cursor.objects.values("fresh_at", "due_at").get() == before


def test_handled_deliveries_are_forgotten_in_time(some: Mirrored) -> None:
    old, waiting = hint(some, event="ping"), hint(some, 1)
    Delivery.objects.update(received_at=timezone.now() - dt.timedelta(days=60))
    Delivery.objects.filter(pk=old.pk).update(handled_at=timezone.now())
    assert forget_old_deliveries() == 1
    assert Delivery.objects.get() == waiting


def test_while_another_process_handles_them_nothing_is_done(
    some: Mirrored, held_elsewhere: Callable[[str], None]
) -> None:
    hint(some, event="ping")
    held_elsewhere("webhook deliveries")
    handle_deliveries()
    assert Delivery.objects.get().handled_at is None


def test_while_a_run_is_at_it_they_wait(some: Mirrored, held_elsewhere: Callable[[str], None]) -> None:
    hint(some, 1)
    held_elsewhere(lock_name(some.mirror))
    handle_deliveries()
    assert Delivery.objects.get().handled_at is None
