"""The outbox of the search index: every change of a document or a card names the issue, and nothing is lost."""

import datetime as dt
import threading
from collections.abc import Callable

import pytest
from django.db import connection, transaction
from django.utils import timezone

from kb.models import Fix, Framework, Issue, Label, Node, Repository, SearchChange, SearchHost, Source, Study
from kb.search import hosts, outbox
from tests.support.factories import (
    make_axis,
    make_fix,
    make_issue,
    make_label,
    make_node,
    make_other_report,
    make_repository,
    make_source,
    make_study,
)


def named() -> set[int]:
    """The issues in the outbox, which is then empty."""
    found = set(SearchChange.objects.values_list("issue_id", flat=True))
    SearchChange.objects.all().delete()
    return found


def host(key: str = "here") -> SearchHost:
    return SearchHost.objects.get_or_create(key=key)[0]


class World:
    """Two issues: `one` has everything that a document can hold, `two` has nothing of it."""

    def __init__(self) -> None:
        self.two = make_issue(repository=make_repository("vllm-project/vllm", "vllm"))
        self.one = make_issue(title="Hang", body="It hangs.")
        self.top = make_node("hang")
        self.node = make_node("hang-start", parent=self.top)
        self.other = make_node("crash")
        self.study = make_study()
        self.source = make_source("a-study", kind="study", study=self.study)
        self.label = make_label(self.one, self.node, self.source)
        self.fix = make_fix(additions=1, deletions=1)
        self.one.fixes.add(self.fix)
        named()


CHANGES: dict[str, Callable[[World], object]] = {
    "title": lambda w: Issue.objects.filter(pk=w.one.pk).update(title="Crash"),
    "body": lambda w: Issue.objects.filter(pk=w.one.pk).update(body="It crashes."),
    "summary": lambda w: Issue.objects.filter(pk=w.one.pk).update(summary="A hang."),
    "signatures": lambda w: Issue.objects.filter(pk=w.one.pk).update(recognise=["NCCL timeout"]),
    "what to do first": lambda w: Issue.objects.filter(pk=w.one.pk).update(fix_line="Set `A=1`."),
    "other faces": lambda w: Issue.objects.filter(pk=w.one.pk).update(also_seen=["killed"]),
    "a record that answers it": lambda w: make_other_report(w.two, w.one),
    "the release with the fix": lambda w: Issue.objects.filter(pk=w.one.pk).update(fixed_version="0.9"),
    "facts": lambda w: Issue.objects.filter(pk=w.one.pk).update(comment_count=3),
    "repository": lambda w: Issue.objects.filter(pk=w.one.pk).update(repository=w.two.repository),
    "a label more": lambda w: make_label(w.one, w.other),
    "a label less": lambda w: w.label.delete(),
    "a label moved": lambda w: Label.objects.filter(pk=w.label.pk).update(node=w.other),
    "a fix more": lambda w: w.one.fixes.add(make_fix()),
    "a fix less": lambda w: w.one.fixes.clear(),
    "a fix's size": lambda _: Fix.objects.update(additions=50),
    "a fix's date": lambda _: Fix.objects.update(merged_on="2026-01-01"),
    "a node's name": lambda w: Node.objects.filter(pk=w.node.pk).update(name="Hang at the start"),
    "a node's aliases": lambda w: Node.objects.filter(pk=w.node.pk).update(aliases=["stuck"]),
    "the name of the node above": lambda w: Node.objects.filter(pk=w.top.pk).update(name="Hanging"),
    "a node's parent": lambda w: Node.objects.filter(pk=w.node.pk).update(parent=w.other),
    "a repository's name": lambda w: Repository.objects.filter(pk=w.one.repository_id).update(full_name="a/b"),
    "a framework's name": lambda _: Framework.objects.filter(slug="deepspeed").update(name="DS"),
    "a source's name": lambda w: Source.objects.filter(pk=w.source.pk).update(name="Study A"),
    "a study's code": lambda _: Study.objects.update(code="P9"),
}
NO_CHANGES: dict[str, Callable[[World], object]] = {
    "the same title again": lambda w: Issue.objects.filter(pk=w.one.pk).update(title="Hang"),
    "search terms, which documents do not hold": lambda _: Issue.objects.update(label_terms="hang"),
    "a label's reason": lambda _: Label.objects.update(reason="It says so."),
    "a node's definition": lambda _: Node.objects.update(definition="Nothing moves."),
    "a node that nobody carries": lambda w: Node.objects.filter(pk=w.other.pk).update(name="Crashes"),
    "a fix without issues": lambda _: make_fix(),
    "a framework's text": lambda _: Framework.objects.update(description="Fast."),
}


@pytest.mark.django_db
class TestWhatIsNoted:
    @pytest.mark.parametrize("change", CHANGES)
    def test_a_change_names_its_issue_and_no_other(self, change: str) -> None:
        world = World()
        CHANGES[change](world)
        assert named() == {world.one.pk}

    @pytest.mark.parametrize("change", NO_CHANGES)
    def test_what_no_document_holds_names_nobody(self, change: str) -> None:
        world = World()
        NO_CHANGES[change](world)
        assert named() == set()

    def test_an_issue_that_comes_or_goes(self) -> None:
        issue = make_issue()
        pk = issue.pk
        assert named() == {pk}
        issue.delete()
        assert named() == {pk}

    def test_a_record_that_changes_names_the_reports_that_it_answers(self) -> None:
        world = World()
        make_other_report(world.two, world.one)
        named()
        Issue.objects.filter(pk=world.two.pk).update(fix_line="Set `A=1`.")
        assert named() == {world.one.pk, world.two.pk}
        Issue.objects.filter(pk=world.one.pk).update(fix_line="Set `A=1`.")
        assert named() == {world.one.pk}
        world.two.other_reports.all().delete()
        assert named() == {world.one.pk}

    def test_a_label_that_moves_names_both_issues(self) -> None:
        world = World()
        Label.objects.filter(pk=world.label.pk).update(issue=world.two)
        assert named() == {world.one.pk, world.two.pk}

    def test_the_axis_and_the_scheme_of_a_category(self) -> None:
        issue, axis = make_issue(), make_axis(scheme="a-study", study=make_study())
        make_label(issue, make_node("S1", axis=axis))
        named()
        axis.code = "sign"
        axis.save()
        assert named() == {issue.pk}
        axis.scheme.slug = "b-study"
        axis.scheme.save()
        assert named() == {issue.pk}

    def test_a_statement_names_each_issue_once(self) -> None:
        world = World()
        Label.objects.bulk_create(
            Label(issue=world.one, node=node, axis=node.axis, source=world.source) for node in (world.top, world.other)
        )
        assert SearchChange.objects.count() == 1


@pytest.mark.django_db
class TestTaking:
    def test_an_issue_is_taken_once_with_all_its_rows(self) -> None:
        SearchChange.objects.bulk_create(SearchChange(issue_id=issue) for issue in (7, 8, 7))
        taken = outbox.take(host(), limit=10)
        assert sorted(taken.issues) == [7, 8]
        assert len(taken.rows) == 3

    def test_the_newest_need_not_wait_for_a_crowd(self) -> None:
        SearchChange.objects.bulk_create(SearchChange(issue_id=issue) for issue in range(1, 101))
        assert sorted(outbox.take(host(), limit=4).issues) == [1, 2, 99, 100]

    def test_what_is_kept_waits_for_nobody_until_it_is_released(self) -> None:
        SearchChange.objects.create(issue_id=7)
        outbox.settle(host(), outbox.take(host(), limit=10), keep=True)
        assert outbox.take(host(), limit=10).issues == ()
        assert outbox.kept(host()) == [7]
        outbox.release(host())
        assert outbox.take(host(), limit=10).issues == (7,)

    def test_a_row_that_came_after_the_taking_stays(self) -> None:
        SearchChange.objects.create(issue_id=7)
        taken = outbox.take(host(), limit=10)
        SearchChange.objects.create(issue_id=7)
        outbox.settle(host(), taken, keep=False)
        assert outbox.take(host(), limit=10).issues == (7,)

    def test_a_row_stays_until_every_host_is_done_with_it(self) -> None:
        here, there = host(), host("there")
        SearchChange.objects.create(issue_id=7)
        outbox.settle(here, outbox.take(here, limit=10), keep=False)
        assert outbox.take(here, limit=10).issues == ()
        outbox.settle(there, outbox.take(there, limit=10), keep=True)
        assert (outbox.kept(here), outbox.kept(there)) == ([], [7])
        outbox.release(there)
        outbox.settle(there, outbox.take(there, limit=10), keep=False)
        assert not SearchChange.objects.exists()

    def test_a_row_does_not_wait_for_a_host_that_is_forgotten(self) -> None:
        here, there = host(), host("there")
        SearchChange.objects.create(issue_id=7)
        outbox.settle(here, outbox.take(here, limit=10), keep=False)
        SearchHost.objects.filter(pk=there.pk).update(seen_at=timezone.now() - dt.timedelta(minutes=59))
        hosts.leave_sign(here, "")
        assert SearchChange.objects.exists()
        SearchHost.objects.filter(pk=there.pk).update(seen_at=timezone.now() - dt.timedelta(minutes=61))
        hosts.leave_sign(here, "")
        assert not SearchChange.objects.exists()

    def test_what_is_forgotten_for_one_host_waits_for_the_others(self) -> None:
        here, there = host(), host("there")
        SearchChange.objects.create(issue_id=7)
        outbox.clear(here)
        assert outbox.waiting(here)[0] == 0
        assert outbox.take(there, limit=10).issues == (7,)

    def test_the_lag(self) -> None:
        assert outbox.waiting(host()) == (0, None)
        SearchChange.objects.create(issue_id=7)
        count, since = outbox.waiting(host())
        assert count == 1
        assert since is not None


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_commits_late_is_not_lost() -> None:
    """Its rows have older ids than rows that were settled meanwhile."""
    written, go_on = threading.Event(), threading.Event()

    def write_slowly() -> None:
        with transaction.atomic():
            SearchChange.objects.create(issue_id=1)
            written.set()
            go_on.wait(10)
        connection.close()

    slow = threading.Thread(target=write_slowly)
    slow.start()
    assert written.wait(10)
    SearchChange.objects.create(issue_id=2)
    taken = outbox.take(host(), limit=10)
    assert taken.issues == (2,)
    outbox.settle(host(), taken, keep=False)
    go_on.set()
    slow.join()
    assert outbox.take(host(), limit=10).issues == (1,)
