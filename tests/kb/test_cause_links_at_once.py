"""Cause links follow labels while several write and several follow at once."""

import threading
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction

from kb.models import Issue, Node
from kb.services.cause_links import follow_labels
from tests.kb.link_counts import both, noted, recounted, stored
from tests.support.factories import make_axis, make_issue, make_label, make_node, make_source

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def pair() -> tuple[Node, Node]:
    return make_node("hang"), make_node("race", axis=make_axis("root_cause"))


def impatient() -> None:
    """Whoever has to wait for somebody else's rows in this transaction fails."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '2s'")


def _in_thread(work: Any) -> tuple[threading.Thread, list[BaseException]]:
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 the test asks what happened
            failed.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, failed


class TestAtOnce:
    def test_two_writers_of_the_same_links_do_not_wait_for_each_other(self, pair: tuple[Node, Node]) -> None:
        """Each has labelled its issue before the other commits; what they label counts in the same link."""
        source, issues = make_source(), [make_issue(), make_issue()]
        meet = threading.Barrier(2, timeout=20)

        def write(issue: Issue) -> None:
            with transaction.atomic():
                impatient()
                for node in pair:
                    make_label(issue, node, source)
                    meet.wait()

        works = [_in_thread(partial(write, issue)) for issue in issues]
        for thread, _ in works:
            thread.join(30)
        assert [failed for _, failed in works] == [[], []]
        follow_labels()
        assert stored() == recounted()
        assert {n for n, *_ in stored().values()} == {2}

    def test_what_commits_late_is_followed_then_and_following_does_not_wait_for_it(
        self, pair: tuple[Node, Node]
    ) -> None:
        source, late = make_source(), make_issue()
        written, may_end = threading.Event(), threading.Event()

        def write() -> None:
            with transaction.atomic():
                for node in pair:
                    make_label(late, node, source)
                written.set()
                assert may_end.wait(20)

        thread, failed = _in_thread(write)
        assert written.wait(20)
        both(pair)
        follow_labels()
        assert {n for n, *_ in stored().values()} == {1}
        may_end.set()
        thread.join(20)
        assert failed == []
        follow_labels()
        assert stored() == recounted()
        assert {n for n, *_ in stored().values()} == {2}

    def test_one_follows_at_a_time_and_the_task_leaves_it_to_the_first(self, pair: tuple[Node, Node]) -> None:
        both(pair)
        following, may_end = threading.Event(), threading.Event()

        def follow() -> None:
            with transaction.atomic():
                follow_labels()
                following.set()
                assert may_end.wait(20)

        thread, failed = _in_thread(follow)
        assert following.wait(20)
        assert follow_labels(wait=False) == 0
        assert stored() == {}
        with transaction.atomic():
            impatient()
            both(pair)
        may_end.set()
        thread.join(20)
        assert failed == []
        assert {n for n, *_ in stored().values()} == {1}
        follow_labels()
        assert stored() == recounted()

    def test_what_was_taken_and_not_finished_waits_again(self, pair: tuple[Node, Node]) -> None:
        both(pair)
        before = noted()
        with transaction.atomic():
            follow_labels()
            transaction.set_rollback(True)
        assert (noted(), stored()) == (before, {})
        follow_labels()
        assert stored() == recounted() != {}
