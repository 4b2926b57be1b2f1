"""The first page of Explore in a browser: figures are drawn as they are scrolled to, and a click opens their chart."""

import re

import pytest
from playwright.sync_api import expect

from kb.web.explore.dashboard import PANELS
from tests.e2e.conftest import NARROW, OpenPage

pytestmark = pytest.mark.e2e
LAST = PANELS[-1]
DRAWN = ".chart[data-drawn='yes']"


@pytest.mark.parametrize("width", [1440, NARROW])
def test_figures_are_drawn_as_they_come_into_view(open_page: OpenPage, width: int) -> None:
    page = open_page("/explore/", width=width)
    expect(page.locator(f"#hot-spots{DRAWN}")).to_be_visible()
    expect(page.locator(f"#{LAST}{DRAWN}")).to_have_count(0)
    page.locator(f"#{LAST}").scroll_into_view_if_needed()
    expect(page.locator(f"#{LAST}{DRAWN}")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_click_on_a_bar_opens_its_chart_with_as_many_issues_as_it_says(open_page: OpenPage) -> None:
    page = open_page("/explore/?framework=deepspeed")
    chart = page.locator("#stages")
    chart.scroll_into_view_if_needed()
    expect(page.locator(f"#stages{DRAWN}")).to_be_visible()
    said = page.evaluate("document.getElementById('stages').data[0].hovertext[0]")
    chart.locator(".point").first.click(force=True)
    expect(page).to_have_url(re.compile(r"/explore/charts/stages/\?framework=deepspeed&stage=[a-z]+#issues$"))
    cases = re.search(r"(\d+) of \d+ issues", said)
    assert cases
    expect(page.locator("#issues")).to_contain_text(re.compile(rf"\b{cases[1]} issues? with the filters above"))


def test_bars_take_the_colours_of_the_theme_and_paper_has_every_figure(open_page: OpenPage) -> None:
    page = open_page("/explore/", color_scheme="dark")
    expect(page.locator(f"#issues-over-time{DRAWN}")).to_be_visible()
    colour = "document.getElementById('issues-over-time').data[0].marker.color"
    dark = page.evaluate(colour)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(DRAWN)).to_have_count(page.locator(".chart").count())
    assert page.evaluate(colour) != dark
