"""The flow and the cards in a browser: a click shows its issues, colours follow the theme, cards open by keyboard."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import NARROW, OpenPage

pytestmark = pytest.mark.e2e
FLOW = "/explore/charts/flow/"


def drawn(page: Page) -> None:
    """Wait until the figure stands."""
    expect(page.locator(".chart[data-drawn='yes']")).to_be_visible()


def colour_of(page: Page) -> str:
    colour: str = page.evaluate("() => document.getElementById('flow').data[0].node.color[0]")
    return colour


@pytest.mark.parametrize("mark", ["link", "node"])
def test_a_click_on_a_mark_shows_as_many_issues_as_it_says(open_page: OpenPage, mark: str) -> None:
    page = open_page(FLOW)
    drawn(page)
    query, said = page.evaluate(f"() => document.getElementById('flow').data[0].{mark}.customdata[0]")
    selector = ".sankey-link" if mark == "link" else ".sankey-node .node-rect"
    page.locator(selector).first.dispatch_event("mouseover")
    box = page.locator(selector).first.bounding_box()
    assert box
    page.mouse.move(box["x"] + 6, box["y"] + box["height"] / 2)
    page.mouse.click(box["x"] + 6, box["y"] + box["height"] / 2)
    expect(page).to_have_url(re.compile(r"[?&](symptom|cause)=.*#issues$"))
    if mark == "node":
        assert page.url.endswith(f"{query}#issues")
        number = said.split("<br>")[1].split()[0]
        expect(page.locator("#issues")).to_contain_text(re.compile(rf"\b{number} issues? with the filters above"))


def test_colours_follow_the_theme_and_a_narrow_page_scrolls_the_figure_alone(open_page: OpenPage) -> None:
    page = open_page(FLOW, width=NARROW, color_scheme="light")
    drawn(page)
    light = colour_of(page)
    page.emulate_media(color_scheme="dark")
    expect(page.locator("body")).to_be_visible()
    page.wait_for_function("light => document.getElementById('flow').data[0].node.color[0] !== light", arg=light)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= NARROW


def test_cards_open_by_keyboard_and_lead_to_examples(open_page: OpenPage) -> None:
    page = open_page("/explore/given/", width=NARROW)
    page.get_by_role("checkbox", name="Choose Hang", exact=True).check()
    page.get_by_role("button", name="Show likely causes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Given: Hang")
    summary = page.locator(".given-card summary").first
    summary.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Examples").first).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= NARROW
