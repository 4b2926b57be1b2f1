"""An assisted ballot in a real browser: its suggestion is taken by a key, and nothing is taken by itself."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from labeling.exchange.readers import set_assistance
from labeling.models import Role, Slot, Vote
from labeling.services.people import invite, join
from labeling.services.rounds import open_round
from tests.e2e.axe import all_faults_of
from tests.e2e.labeling import OpenRound, chosen, saved
from tests.labeling.assisting import keep
from tests.labeling.factories import make_round
from tests.labeling.own_questions import HOURS, HOW_BAD, WHAT, found

pytestmark = pytest.mark.e2e
SUGGESTED = {"severity": "bad", "touched": "memory|disk", "hours": "2.5"}


def open_ballot(open_round_page: OpenRound) -> Page:
    """Ada's assisted ballot; the model answers each question."""
    page = open_round_page()
    lead = found(HOW_BAD, WHAT, HOURS)
    _, token = invite(lead=lead, roles=[Role.ANNOTATOR], is_senior=False)
    join(user=User.objects.get(username="ada"), token=token)
    round_ = make_round(lead, issues=1, votes_wanted=1, is_open=False)
    (item,) = round_.items.select_related("issue")
    lines = "".join(f"{item.subject.url},{axis},{nodes}\n" for axis, nodes in SUGGESTED.items())
    reader = keep(lead, round_, f"issue,axis,nodes\n{lines}".encode())
    # Of a single place, half and more is all of it.
    set_assistance(lead=lead, round_=round_, reader=reader, percent=50)
    open_round(lead=lead, round_=round_)
    page.goto(f"/labeling/{lead.project.slug}/rounds/1/label/")
    page.get_by_role("button", name="Take the next issue").click()
    expect(page.locator("#ballot")).to_be_visible()
    # Keys act once the deferred scripts have run.
    page.wait_for_load_state()
    assert Slot.objects.get(item=item).is_assisted
    return page


def test_a_suggestion_is_taken_by_its_key_and_only_then(open_round_page: OpenRound) -> None:
    page = open_ballot(open_round_page)
    expect(page.locator("#suggested-severity")).to_contain_text("Suggested by Model 1: Bad. It may be wrong")
    expect(page.locator(".choice > input:checked")).to_have_count(0)
    page.keyboard.press("s")
    page.keyboard.press("=")
    assert chosen(page, "severity") == "Bad"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("=")
    assert chosen(page, "touched") == "Memory, Disk"
    page.locator("#axis-hours summary").click()
    page.locator("#suggested-hours").get_by_role("button").click()
    assert chosen(page, "hours") == "2.5"
    page.locator("#axis-confidence summary").click()
    page.keyboard.press("3")
    saved(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".receipt")).to_be_visible()
    vote = Vote.objects.get()
    assert vote.slot.is_assisted
    codes = vote.answers.filter(axis__code="touched").values_list("nodes__version__node__code", flat=True)
    assert sorted(codes) == ["disk", "memory"]


@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(open_round_page: OpenRound, width: int) -> None:
    page = open_ballot(open_round_page)
    page.set_viewport_size({"width": width, "height": 800})
    assert all_faults_of(page, "assisted ballot") == []
    expect(page.locator("#suggested-severity")).to_be_in_viewport()
