"""Repeats by keys, gold answers and the quality of a round in a real browser."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from labeling.ballots import Ballot
from labeling.models import GoldAnswer, Member, Repeat, Role, Vote
from labeling.services.people import invite, join
from tests.e2e.axe import all_faults_of
from tests.e2e.labeling import OpenRound, saved
from tests.labeling.factories import make_member, make_round
from tests.labeling.own_questions import HOURS, HOW_BAD, ballot, found, vote

pytestmark = pytest.mark.e2e


def with_ada(*roles: Role, **settings: Any) -> Member:
    """A project with two questions, an open round of six issues, and ada in these roles."""
    lead = found(HOW_BAD, HOURS)
    _, token = invite(lead=lead, roles=list(roles))
    ada = join(user=User.objects.get(username="ada"), token=token)
    make_member(lead.project)
    make_round(lead, issues=6, votes_wanted=1, **settings)
    return ada


def answers() -> Ballot:
    """A ballot on both questions."""
    filled = ballot()
    return Ballot({code: filled.choices[code] for code in ("severity", "hours")}, confidence=3)


def test_an_issue_is_answered_again_by_keys_on_an_empty_ballot(open_round_page: OpenRound) -> None:
    page = open_round_page()
    ada = with_ada(Role.ANNOTATOR, repeats=1, repeats_after=1)
    round_ = ada.project.rounds.get()
    for _ in range(2):
        vote(ada, round_, answers())
    page.goto(f"/labeling/{ada.project.slug}/rounds/1/label/")
    page.get_by_role("button", name="Take the next issue").click()
    expect(page.locator("#ballot")).to_be_visible()
    # Keys act once the deferred scripts have run.
    page.wait_for_load_state()
    expect(page.locator("#ballot input:checked")).to_have_count(0)
    page.keyboard.press("s")
    page.keyboard.press("2")
    page.keyboard.press("ArrowRight")
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    page.keyboard.press("c")
    page.keyboard.press("3")
    saved(page)
    page.reload()
    expect(page.locator("#ballot [name=text-hours]")).to_have_value("7")
    page.wait_for_load_state()
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/issues/3/label")
    assert Repeat.objects.get().content["choices"]["hours"]["text"] == "7"
    assert Vote.objects.count() == 2


def gild_in_browser(page: Page, ada: Member) -> None:
    """Give the first issue its gold answers."""
    page.goto(f"/labeling/{ada.project.slug}/rounds/1/")
    page.get_by_role("link", name="Give the right answers").click()
    assert all_faults_of(page, "gold answers") == []
    page.locator(".line-title").first.click()
    page.get_by_label("Bad", exact=True).check()
    page.get_by_label("How these answers are known").fill("Both authors agree.")
    page.mouse.move(0, 0)
    assert all_faults_of(page, "gold answers of an issue") == []
    page.get_by_role("button", name="Save as gold answers").click()
    expect(page.get_by_text("Both authors agree.")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 390])
def test_a_lead_gives_gold_answers_and_reads_how_people_do(open_round_page: OpenRound, width: int) -> None:
    page = open_round_page()
    page.set_viewport_size({"width": width, "height": 900})
    ada = with_ada(Role.LEAD)
    gild_in_browser(page, ada)
    assert GoldAnswer.objects.get().given_by == ada
    annotator = Member.objects.filter(project=ada.project, roles=[Role.ANNOTATOR]).get()
    round_ = ada.project.rounds.get()
    for _ in range(6):
        vote(annotator, round_, answers())
    page.goto(f"/labeling/{ada.project.slug}/rounds/1/quality/")
    expect(page.get_by_role("heading", name="Against gold answers")).to_be_visible()
    expect(page.get_by_text("not enough")).to_be_visible()
    assert all_faults_of(page, "quality") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
