"""Changes of faults: what counts as one, in which order they are read, and that none is missed."""

import threading

import pytest
from django.db import connection, transaction
from django.test import Client

from kb.models import FaultChange, Issue
from kb.services.fault_changes import follow_faults
from tests.support.factories import make_issue, make_label, make_node, make_range


def read(client: Client, since: str = "") -> tuple[list[tuple[str, str]], str]:
    follow_faults()
    answer = client.get("/api/v1/changes/", {"since": since} if since else {}).json()
    return [(row["public_id"], row["change"]) for row in answer["changes"]], answer["next"]


@pytest.mark.django_db
def test_a_fault_is_created_changed_and_withdrawn(client: Client) -> None:
    issue = make_issue(7, summary="It waits.", public_id="FB-000007")
    make_issue(8, title="Nobody described it")
    changes, cursor = read(client)
    assert changes == [("FB-000007", "created")]
    assert read(client, cursor) == ([], cursor)
    for change in (
        lambda: Issue.objects.filter(pk=issue.pk).update(summary="It waits for ever."),
        lambda: Issue.objects.filter(pk=issue.pk).update(severity="blocks"),
        lambda: make_label(issue, make_node()),
        lambda: make_range(issue, fixed="0.15.0"),
    ):
        change()
        changes, cursor = read(client, cursor)
        assert changes == [("FB-000007", "changed")]
    Issue.objects.filter(pk=issue.pk).update(label_terms="for the search alone")
    assert read(client, cursor) == ([], cursor)
    issue.delete()
    changes, cursor = read(client, cursor)
    assert changes == [("FB-000007", "withdrawn")]


@pytest.mark.django_db
def test_an_id_that_was_replaced_names_the_one_that_took_its_place(client: Client) -> None:
    issue = make_issue(7, summary="It waits.")
    _, cursor = read(client)
    Issue.objects.filter(pk=issue.pk).update(public_id="FB-000007")
    assert sorted(read(client, cursor)[0]) == [("FB-000007", "created"), (issue.public_id, "withdrawn")]
    assert FaultChange.objects.get(public_id=issue.public_id).replaced_by == "FB-000007"


@pytest.mark.django_db
@pytest.mark.parametrize("since", ["x", "Y2hhbmdlczo5OTk", "Y2hhbmdlczotMQ", "é", "a" * 41])
def test_a_cursor_of_another_server_is_refused_with_what_to_do(client: Client, since: str) -> None:
    answer = client.get("/api/v1/changes/", {"since": since})
    assert answer.status_code == 400
    assert "begin again without" in str(answer.json())


@pytest.mark.django_db(transaction=True)
def test_what_commits_late_comes_with_the_next_changes(client: Client) -> None:
    early, late = (make_issue(ref, summary="It waits.", public_id=f"FB-00000{ref}") for ref in (7, 8))
    _, cursor = read(client)
    written, may_commit = threading.Event(), threading.Event()

    def write_and_wait() -> None:
        with transaction.atomic():
            Issue.objects.filter(pk=late.pk).update(summary="Late.")
            written.set()
            may_commit.wait(30)
        connection.close()

    writer = threading.Thread(target=write_and_wait)
    writer.start()
    assert written.wait(30)
    Issue.objects.filter(pk=early.pk).update(summary="Early.")
    changes, cursor = read(client, cursor)
    assert changes == [("FB-000007", "changed")]
    may_commit.set()
    writer.join()
    assert read(client, cursor)[0] == [("FB-000008", "changed")]
