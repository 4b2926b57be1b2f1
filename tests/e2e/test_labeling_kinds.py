"""Questions of a project's own on the labeling page in a real browser: a step, a number and a text, by keys alone."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from labeling.models import Answer, Role, Vote
from labeling.services.people import invite, join
from tests.e2e.axe import all_faults_of
from tests.e2e.labeling import OpenRound, chosen, saved
from tests.labeling.factories import make_round
from tests.labeling.own_questions import HOURS, HOW_BAD, WORDS, found

pytestmark = pytest.mark.e2e


def open_ballot(open_round_page: OpenRound) -> Page:
    """Ada's ballot in a project that asks three questions of its own."""
    page = open_round_page()
    lead = found(HOW_BAD, HOURS, WORDS)
    _, token = invite(lead=lead, roles=[Role.ANNOTATOR], is_senior=False)
    join(user=User.objects.get(username="ada"), token=token)
    make_round(lead, issues=2, votes_wanted=1)
    page.goto(f"/labeling/{lead.project.slug}/rounds/1/label/")
    page.get_by_role("button", name="Take the next issue").click()
    expect(page.locator("#ballot")).to_be_visible()
    # Keys act once the deferred scripts have run.
    page.wait_for_load_state()
    return page


def test_a_step_a_number_and_a_text_are_answered_by_keys(open_round_page: OpenRound) -> None:
    page = open_ballot(open_round_page)
    page.keyboard.press("s")
    page.keyboard.press("2")
    assert chosen(page, "severity") == "Bad"
    page.keyboard.press("ArrowRight")
    page.keyboard.type("2.50")
    # Enter leads on to the next question, and submits nothing.
    page.keyboard.press("Enter")
    page.keyboard.type("Check 3 ranks first.")
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    page.keyboard.press("3")
    expect(page.locator("[data-answered]")).to_have_text("3")
    saved(page)
    page.reload()
    assert chosen(page, "hours") == "2.50"
    assert chosen(page, "lesson") == "Check 3 ranks first."
    page.keyboard.press("Control+Enter")
    expect(page.locator(".receipt")).to_be_visible()
    expect(page.locator(".receipt")).to_contain_text(Vote.objects.get().receipt)
    texts = dict(Answer.objects.exclude(text="").values_list("axis__code", "text"))
    assert texts == {"hours": "2.50", "lesson": "Check 3 ranks first."}


def test_that_the_report_does_not_say_takes_a_text_away_and_the_other_way_round(open_round_page: OpenRound) -> None:
    page = open_ballot(open_round_page)
    box, untold = page.locator("[name=text-lesson]"), page.locator("#lesson--")
    page.locator("#axis-lesson summary").click()
    box.fill("Something.")
    untold.check()
    expect(box).to_have_value("")
    assert chosen(page, "lesson") == "The report does not say"
    box.fill("After all.")
    box.blur()
    expect(untold).not_to_be_checked()
    assert chosen(page, "lesson") == "After all."


def test_axe_finds_nothing(open_round_page: OpenRound) -> None:
    page = open_ballot(open_round_page)
    assert all_faults_of(page, "kinds of answers") == []
