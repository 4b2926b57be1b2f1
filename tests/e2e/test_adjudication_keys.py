"""Fifteen disputes adjudicated by keyboard alone, every keystroke counted."""

import re
from collections import Counter

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from labeling.models import Decision, Item, Member, Opinion, Role, Round
from labeling.services.codebooks import adopt_axes
from labeling.services.decisions import accept
from labeling.services.people import found_project
from labeling.services.rounds import close_round
from tests.e2e.conftest import OpenPage
from tests.e2e.test_settling import enter
from tests.labeling.factories import cast, make_axes, make_founder, make_member, make_round

pytestmark = pytest.mark.e2e

ISSUES, BOTH_AXES = 10, 5
DISPUTES = ISSUES + BOTH_AXES
MOST_KEYSTROKES = 45
REASON = "The log shows it."


@pytest.fixture
def site(live_server: LiveServer) -> str:
    """A served site without records: what is seen here is made here."""
    return str(live_server.url)


class Keyboard:
    """A page's keyboard that counts what is pressed; reasons are typed without being counted."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pressed = 0

    def press(self, key: str) -> None:
        """Press one key, or keys together."""
        self.pressed += 1
        self.page.keyboard.press(key)


def make_disputes() -> tuple[Round, Member]:
    """A closed round whose unanimous answers are accepted: the type is disputed everywhere, the symptom on the first.

    Returns it with its adjudicator.
    """
    lead = found_project(user=make_founder(), slug="fifteen", name="Fifteen", question="Why?")
    symptom, kind = make_axes()
    adopt_axes(lead=lead, axes=[kind, symptom])
    people = [make_member(lead.project) for _ in range(2)]
    round_ = make_round(lead, issues=ISSUES, rule=Round.Rule.THIRD_EXPERT)
    for _ in range(ISSUES):
        first = cast(people[0], round_)
        symptoms = ("crash",) if first.item.position <= BOTH_AXES else ("hang",)
        vote = cast(people[1], round_, kind="question", symptom=symptoms)
        assert vote.item == first.item
    close_round(lead=lead, round_=round_)
    accept(lead=lead, round_=round_, how=Decision.How.UNANIMOUS)
    return round_, make_member(lead.project, Role.ADJUDICATOR)


def await_keys(page: Page) -> None:
    """Wait until the page's script, which marks the panel that keys act in, has run."""
    expect(page.locator(".panel.is-active")).to_be_visible()


def adjudicate(page: Page, keys: Keyboard, item: Item, *, departs: bool) -> None:
    """Give the first opinions on an issue and decide on each of its disputes; `departs`: on its type, by B's answer."""
    expect(page.get_by_role("button", name="Save my opinion")).to_be_visible()
    await_keys(page)
    keys.press("1")
    if item.position <= BOTH_AXES:
        keys.press("1")
    keys.press("Enter")
    expect(page.get_by_role("button", name="Decide").first).to_be_visible()
    await_keys(page)
    if departs:
        keys.press("b")
        keys.press("2")
        expect(page.get_by_label("Reason for the decision").first).to_be_focused()
        page.keyboard.type(REASON)
        keys.press("Control+Enter")
    else:
        keys.press("1")
    if item.position <= BOTH_AXES:
        expect(page.get_by_role("status").first).to_contain_text("Issue type")
        await_keys(page)
        keys.press("1")


def test_fifteen_disputes_take_three_keystrokes_each(open_page: OpenPage, site: str) -> None:
    round_, judge = make_disputes()
    page = enter(open_page, judge, "/labeling/fifteen/adjudication/")
    keys = Keyboard(page)
    keys.press("n")
    for item in Item.objects.filter(round=round_).order_by("position"):
        expect(page).to_have_url(re.compile(f"/issues/{item.position}/disagreement/"))
        adjudicate(page, keys, item, departs=item.position in (1, ISSUES))
    expect(page.get_by_role("status").first).to_contain_text("is decided")
    decisions = Decision.objects.filter(how="adjudication")
    assert (decisions.count(), Opinion.objects.count()) == (DISPUTES, DISPUTES)
    answers = Counter(decisions.values_list("versions__node__code", flat=True))
    assert answers == {"bug": ISSUES - 2, "question": 2, "hang": BOTH_AXES}
    assert set(decisions.exclude(reason="").values_list("reason", "cause")) == {(REASON, "report")}
    assert keys.pressed <= MOST_KEYSTROKES


def test_keys_are_listed_and_can_be_switched_off(open_page: OpenPage, site: str) -> None:
    _, judge = make_disputes()
    page = enter(open_page, judge, "/labeling/fifteen/rounds/1/issues/1/disagreement/")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("take this vote's answer")
    dialog.get_by_label("Single keys act").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    assert page.locator("[name$=-codes]:checked").count() == 0
