"""The answer first: two tasks of a visitor, with the steps that they take, on a desk and on a phone."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.axe import faults_of
from tests.e2e.conftest import NARROW, WIDE, OpenPage
from tests.e2e.visitor import Visitor

pytestmark = pytest.mark.e2e
# Of a screen as people have it.
HEIGHTS = {WIDE: 900, NARROW: 844}


def bottom_of(target: Locator) -> float:
    box = target.bounding_box()
    assert box
    return box["y"] + box["height"]


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_hang_in_zero_3_is_answered_on_the_first_screen(open_page: OpenPage, width: int) -> None:
    visitor = Visitor(open_page("/", width=width))
    visitor.ask("hang in ZeRO-3")
    assert visitor.steps == 1
    answer = visitor.page.get_by_role("region", name="Hang in ZeRO")
    parts = {
        "definition": answer.get_by_text("makes no progress"),
        "cause": answer.get_by_role("link", name="Ranks disagree").first,
        "playbook": answer.get_by_role("link", name="Make every rank join").first,
    }
    # On a phone the screen begins with the box.
    above = 0.0
    if width == NARROW:
        top = visitor.page.locator("#search-form").bounding_box()
        assert top
        above = top["y"]
    for name, part in parts.items():
        assert bottom_of(part) - above <= HEIGHTS[width], name


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_oom_in_vllm_with_a_fix_takes_at_most_three_taps(open_page: OpenPage, width: int, scripts: bool) -> None:
    visitor = Visitor(open_page("/", width=width, java_script_enabled=scripts))
    visitor.ask("OOM in vLLM", scripts=scripts)
    quick = visitor.page.locator("#quick-has_fix")
    count = quick.locator(".count").inner_text()
    visitor.tap(quick)
    expect(visitor.page).to_have_url(re.compile("has_fix=true"))
    expect(visitor.page.locator(".results-total")).to_contain_text(f"{count} issue")
    expect(visitor.page.locator("#quick-has_fix")).to_have_attribute("aria-current", "true")
    first = visitor.page.locator(".result").first
    expect(first).to_contain_text("vLLM")
    assert visitor.steps <= 3
    expect(first.locator(".fix-link").first).to_have_attribute("href", re.compile(r"/(pull|commit)/"))


def test_the_sheet_of_filters_stays_open_until_it_is_closed(open_page: OpenPage) -> None:
    page = open_page("/issues/?q=OOM+in+vLLM", width=NARROW)
    page.get_by_role("button", name="Filters").click()
    sheet = page.locator("#filters")
    expect(sheet.get_by_role("link").first).to_contain_text("With a fix")
    sheet.locator("#first-has_fix").click()
    expect(page).to_have_url(re.compile("has_fix=true"))
    expect(sheet).to_be_visible()
    expect(sheet.locator("#first-has_fix")).to_be_focused()
    sheet.locator("#first-framework-vllm").click()
    expect(page).to_have_url(re.compile("framework=vllm"))
    total = page.locator(".results-total strong").inner_text()
    sheet.get_by_role("button", name=f"Show {total} issue").click()
    expect(sheet).to_be_hidden()
    expect(page.locator(".result").first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_panel_has_no_barriers(open_page: OpenPage, width: int, scheme: str) -> None:
    page = open_page("/issues/?q=hang+in+ZeRO-3", width=width, color_scheme=scheme)
    expect(page.locator(".answer").last).to_be_visible()
    assert faults_of(page, scheme) == []
