"""Open coding in a real browser: two annotators code by keyboard, a lead merges, clusters and makes the codebook."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from labeling.models import Answer, Codebook, CodingNode, Role
from labeling.selectors.codebooks import axes_of
from labeling.services.coding import CODES, SUMMARY
from labeling.services.people import invite, join
from labeling.services.rounds import close_round
from tests.e2e.axe import all_faults_of
from tests.e2e.labeling import OpenRound, saved
from tests.kb.web.people import PASSWORD, make_user
from tests.labeling.factories import make_round
from tests.labeling.own_questions import found

pytestmark = pytest.mark.e2e
WRITTEN = {
    "ada": (("rank mismatch", "two ranks disagree"), ("hang", ""), ("wrong dtype", "")),
    "bob": (("ranks mismatch", ""), ("hang", "it waits"), ("dtype is wrong", "")),
}


def log_in_as(page: Page, name: str) -> None:
    """Log somebody in, in place of the person before."""
    page.context.clear_cookies()
    page.goto("/account/login/")
    page.get_by_label("User name or e-mail").fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_role("heading", name="Log in")).to_have_count(0)


def code_all(page: Page, slug: str, name: str) -> None:
    """Code the round's three issues by keyboard alone."""
    page.goto(f"/labeling/{slug}/rounds/1/label/")
    page.get_by_role("button", name="Take the next issue").click()
    for words, memo in WRITTEN[name]:
        expect(page.locator("[data-add-code]")).to_be_visible()
        page.wait_for_load_state()
        page.keyboard.press("o")
        expect(page.get_by_label("Code", exact=True)).to_be_focused()
        page.keyboard.type(words)
        if memo:
            page.keyboard.press("Tab")
            page.keyboard.type(memo)
        page.keyboard.press("Enter")
        expect(page.locator(f"[name=text-{CODES.code}]")).to_have_value(f"{words} | {memo}" if memo else words)
        page.keyboard.press("Escape")
        page.keyboard.press("s")
        page.keyboard.type(f"Summary of {words}.")
        page.keyboard.press("Escape")
        page.keyboard.press("c")
        page.keyboard.press("3")
        saved(page)
        before = page.url
        page.keyboard.press("Control+Enter")
        expect(page.locator(".receipt")).to_be_visible()
        assert page.url != before


def tick(page: Page, *words: str) -> None:
    """Select codes with the space bar."""
    for word in words:
        page.get_by_role("checkbox", name=word, exact=True).focus()
        page.keyboard.press("Space")


def press(page: Page, button: str) -> None:
    """Press one of the board's buttons by Enter."""
    page.get_by_role("button", name=button, exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_load_state()


def test_from_nothing_to_a_codebook(open_round_page: OpenRound) -> None:
    # Without motion, colours are the theme's as soon as it changes.
    page = open_round_page(reduced_motion="reduce")
    lead = found(CODES, SUMMARY)
    slug = lead.project.slug
    for name in WRITTEN:
        user = User.objects.filter(username=name).first() or make_user(name)
        _, token = invite(lead=lead, roles=[Role.ANNOTATOR], is_senior=False)
        join(user=user, token=token)
    round_ = make_round(lead, issues=3, votes_wanted=2)
    code_all(page, slug, "ada")
    log_in_as(page, "bob")
    page.goto(f"/labeling/{slug}/coding/")
    expect(page.locator("main")).to_contain_text("There are no codes yet")
    code_all(page, slug, "bob")
    assert Answer.objects.filter(axis__code=CODES.code).count() == 6
    close_round(lead=lead, round_=round_)

    _, token = invite(lead=lead, roles=[Role.LEAD], is_senior=False)
    join(user=make_user("chief"), token=token)
    log_in_as(page, "chief")
    page.goto(f"/labeling/{slug}/coding/")
    expect(page.get_by_role("group", name="Alike")).to_have_count(2)
    assert all_faults_of(page, "board") == []
    page.set_viewport_size({"width": 1440, "height": 900})
    tick(page, "rank mismatch", "ranks mismatch")
    page.get_by_label("Name", exact=True).fill("Ranks disagree")
    press(page, "Merge")
    expect(page.get_by_role("checkbox", name="Ranks disagree", exact=True)).to_be_visible()
    for node, codes in (("Ranks", ("Ranks disagree", "hang")), ("Types", ("wrong dtype",))):
        tick(page, *codes)
        page.get_by_label("Name", exact=True).fill(node)
        press(page, "New node")
        expect(page.get_by_role("heading", name=re.compile(node))).to_be_visible()
    tick(page, "dtype is wrong")
    page.get_by_label("Node", exact=True).select_option("Types")
    press(page, "Put there")
    expect(page.locator("main")).to_contain_text("Every code is in a node.")
    for node in ("Ranks", "Types"):
        page.get_by_role("link", name=f"Edit {node}").click()
        page.get_by_label("Definition").fill(f"It is about {node.lower()}.")
        page.get_by_role("button", name="Save").click()
    assert all_faults_of(page, "board with nodes", is_variant=True) == []
    for path in ("history", "mapped", "codebook", "nodes/ranks"):
        page.goto(f"/labeling/{slug}/coding/{path}/")
        assert all_faults_of(page, path) == []
    page.goto(f"/labeling/{slug}/coding/codebook/")
    page.get_by_label("Called").fill("Fault")
    page.get_by_role("button", name="Make the codebook").click()
    expect(page.locator("main")).to_contain_text("The open codes that it was made of")
    newest = Codebook.objects.get(project=lead.project, number=2)
    (fault,) = axes_of(codebook=newest)
    assert [version.name for version in fault.versions] == ["Ranks", "Types"]
    assert list(CodingNode.objects.values_list("definition", flat=True)) == [
        "It is about ranks.", "It is about types.",
    ]  # fmt: skip
