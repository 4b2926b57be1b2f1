"""Comments that are frozen with an issue: where a project says so, alike in a round, as text that runs nothing."""

import datetime as dt
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse

from kb.models import Comment, Issue
from labeling.models import Item, Member, Project, Role, Round
from labeling.releases import method, state
from labeling.services import snapshots
from labeling.services.projects import describe_project
from labeling.services.rounds import close_round, fill_round, open_round, prepare_round
from labeling.services.snapshots import contents_of, text_hash
from tests.kb.web.reading import read
from tests.labeling.factories import cast, make_member, make_project, take
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]
BEGAN = dt.datetime(2024, 1, 2, 9, 30, tzinfo=dt.UTC)


@pytest.fixture
def lead() -> Member:
    lead = make_project()
    describe_project(lead=lead, name="Hangs", question="Why?", shows_comments=True)
    return lead


def said(issue: Issue, *bodies: str) -> None:
    for place, body in enumerate(bodies):
        moment = BEGAN + dt.timedelta(minutes=place)
        Comment.objects.create(
            issue=issue, node_id=f"IC_{issue.pk}_{place}", author=f"person-{place}", body=body,
            created_at=moment, updated_at=moment,
        )  # fmt: skip


def make_round_of(lead: Member, *issues: Issue) -> Round:
    round_ = prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main", votes_wanted=1)
    fill_round(lead=lead, round_=round_, urls=[issue.url for issue in issues], sample={"kind": "urls"})
    return round_


def open_for_one(lead: Member, *issues: Issue) -> tuple[Round, Member]:
    member = make_member(lead.project)
    return open_round(lead=lead, round_=make_round_of(lead, *issues)), member


def at(name: str, item: Item) -> str:
    return reverse(f"labeling:{name}", args=[item.round.project.slug, item.round.number, item.position])


def frozen_of(round_: Round) -> dict[str, Any]:
    content: dict[str, Any] = Item.objects.get(round=round_, position=1).snapshot.content
    return content


class TestFreezing:
    def test_comments_are_frozen_in_order_with_who_and_when_and_belong_to_the_hash(self, lead: Member) -> None:
        issue = make_issue(title="It hangs", body="Rank 3 waits.")
        said(issue, "Which version?", "The newest.")
        snapshot = Item.objects.get(round=make_round_of(lead, issue)).snapshot
        Comment.objects.all().delete()
        assert snapshot.content["comments"] == [
            {"author": "person-0", "said_at": "2024-01-02T09:30:00+00:00", "body": "Which version?"},
            {"author": "person-1", "said_at": "2024-01-02T09:31:00+00:00", "body": "The newest."},
        ]
        assert snapshot.text_hash == text_hash(snapshot.content)
        assert snapshot.text_hash != text_hash(contents_of(issues=[issue])[issue.pk])

    def test_without_the_setting_nothing_of_them_is_frozen(self) -> None:
        issue = make_issue(title="It hangs")
        said(issue, "Which version?")
        assert not frozen_of(make_round_of(make_project(), issue)).keys() & {"comments", "comments_left_out"}

    def test_of_a_long_thread_the_first_are_frozen_and_the_rest_is_counted(self, lead: Member) -> None:
        issue = make_issue(title="It hangs")
        said(issue, "One", "Two", "Three")
        with patch.object(snapshots, "MOST_COMMENTS", 2):
            content = frozen_of(make_round_of(lead, issue, make_issue(title="It hangs")))
        assert [one["body"] for one in content["comments"]] == ["One", "Two"]
        assert content["comments_left_out"] == 1

    def test_a_round_keeps_to_what_held_when_it_was_prepared(self, lead: Member) -> None:
        round_ = prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main")
        describe_project(lead=lead, name="Hangs", question="Why?", shows_comments=False)
        fill_round(lead=lead, round_=round_, urls=[make_issue(title="It hangs").url], sample={"kind": "urls"})
        assert "comments" in frozen_of(round_)
        assert not prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Next").shows_comments
        with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
            Round.objects.filter(pk=round_.pk).update(shows_comments=False)


class TestPages:
    @pytest.fixture
    def opened(self, lead: Member) -> tuple[Round, Member]:
        issue = make_issue(title="It hangs", body="Rank 3 waits.")
        said(issue, "# Try this\n\n**one** node", "<script>alert(1)</script>")
        return open_for_one(lead, issue)

    def test_an_annotator_reads_them_below_the_text(self, browser_of: BrowserOf, opened: tuple[Round, Member]) -> None:
        round_, member = opened
        response = browser_of(member).get(at("label", take(member, round_).item))
        page, html = read(response), response.content.decode()
        assert "person-0 2 Jan 2024, 09:30 UTC Try this one node person-1" in page.words
        assert "<h3>Try this</h3>" in html
        assert "<script>alert" not in html
        assert page.inline == []

    def test_who_settles_reads_them_too(
        self, browser_of: BrowserOf, opened: tuple[Round, Member], lead: Member
    ) -> None:
        round_, member = opened
        cast(member, round_)
        close_round(lead=lead, round_=round_)
        response = browser_of(member).get(at("disagreement", Item.objects.get(round=round_)))
        assert "person-0 2 Jan 2024, 09:30 UTC Try this one node" in read(response).words

    def test_an_issue_that_nobody_commented_says_so(self, browser_of: BrowserOf, lead: Member) -> None:
        round_, member = open_for_one(lead, make_issue(title="It hangs"))
        response = browser_of(member).get(at("label", take(member, round_).item))
        assert "No comments were mirrored when the issue was frozen." in read(response).words

    def test_a_lead_sets_it_and_a_round_says_it(self, browser_of: BrowserOf) -> None:
        lead = make_project(slug="stalls")
        browser = browser_of(lead)
        values = {"name": "Stalls", "question": "Why?", "shows_comments": "on"}
        assert browser.post("/labeling/stalls/settings/", values).status_code == 302
        assert Project.objects.get(pk=lead.project_id).shows_comments
        assert 'name="shows_comments"' in browser.get("/labeling/stalls/settings/").content.decode()
        prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main")
        assert "title, text and comments" in read(browser.get("/labeling/stalls/rounds/1/")).words
        observer = make_member(lead.project, Role.OBSERVER)
        assert browser_of(observer).post("/labeling/stalls/settings/", values).status_code == 403


def test_the_method_of_a_release_says_it(lead: Member) -> None:
    round_, member = open_for_one(lead, make_issue(title="It hangs"))
    cast(member, round_)
    close_round(lead=lead, round_=round_)
    told = method.files(state.read(project=round_.project))["METHOD.md"].decode()
    assert "Annotators also read each issue's comments." in told
