"""On an issue's page a fix says where its day and size are from, and who says otherwise."""

import datetime as dt

import pytest
from django.test import Client

from kb.models import ClosingReference, Fix, Issue, State
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db

URL = "https://github.com/deepspeedai/DeepSpeed/pull/5"
COMMIT = "a1b2c3d" + "0" * 33


@pytest.fixture
def issue() -> Issue:
    """An issue whose fix has its facts from git."""
    issue = make_issue(1, heading="A fault of the pump", summary="It fails.", state=State.CLOSED, node_id="I_1")
    fix = Fix.objects.create(
        url=URL,
        kind="pull_request",
        merged_on=dt.date(2024, 5, 2),
        additions=3,
        deletions=1,
        files_changed=2,
        commit=COMMIT,
    )
    issue.fixes.add(fix)
    return issue


def page(client: Client, issue: Issue) -> str:
    return " ".join(client.get(issue.get_absolute_url()).content.decode().split())


def refer(issue: Issue, **facts: int) -> None:
    merged = dt.datetime(2024, 5, 2, 23, 30, tzinfo=dt.UTC)
    values = {"additions": 3, "deletions": 1, "files_changed": 2, "merged_at": merged, **facts}
    ClosingReference.objects.create(issue=issue, url=URL, kind="pull_request", state="merged", **values)


def test_facts_from_git_are_told(client: Client, issue: Issue) -> None:
    refer(issue)
    text = page(client, issue)
    assert "from git, a1b2c3d" in text
    assert "Stated:" not in text
    assert "host says" not in text


def test_who_says_otherwise_is_told_quietly(client: Client, issue: Issue) -> None:
    refer(issue, additions=9, files_changed=4)
    Fix.objects.update(stated={"merged_on": "2024-05-03", "additions": 3})
    text = page(client, issue)
    assert "Stated: merged 3 May 2024." in text
    assert "Its host says: +9, 4 files." in text


def test_the_same_is_not_said_twice(client: Client, issue: Issue) -> None:
    refer(issue, additions=9)
    Fix.objects.update(stated={"additions": 9})
    assert page(client, issue).count("+9.") == 1


def test_without_a_history_nothing_is_said(client: Client, issue: Issue) -> None:
    refer(issue, additions=9)
    Fix.objects.update(commit="")
    text = page(client, issue)
    assert "from git" not in text
    assert "host says" not in text
