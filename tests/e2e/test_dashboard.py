"""The overview of Explore in a browser: a click on a mark filters every card, with and without scripts."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.conftest import NARROW, WIDE, OpenPage

pytestmark = pytest.mark.e2e
CARDS = 6
MOST_SHIFT = 0.02
SHIFTS = """() => new Promise((told) => {
    let total = 0;
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) total += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => told(total)));
})"""


def numbers(page: Page) -> list[str]:
    """What each card says of its numbers."""
    return page.locator(".card-panel").all_inner_texts()


def chips(page: Page) -> list[str]:
    """The chosen filters."""
    texts: list[str] = page.locator(".filterbar .chip:not(.chip-all)").evaluate_all(
        "chips => chips.map((chip) => chip.textContent.split('\\n')[0].replace(/: remove.*/, '').trim())"
    )
    return texts


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_click_on_a_mark_filters_all_cards_and_the_back_button_restores_them(open_page: OpenPage, width: int) -> None:
    page = open_page("/explore/", width=width)
    before = numbers(page)
    assert len(before) == CARDS
    page.evaluate("window.isSamePage = true")
    hang = page.locator("#symptoms-hang")
    issues = hang.locator(".mark-number").inner_text()
    hang.click()
    expect(page).to_have_url(re.compile(r"/explore/\?symptom=hang$"))
    expect(page.locator("#explore-status")).to_have_text(f"Showing {issues} issues; 1 filter")
    assert chips(page) == ["Symptom: Hang"]
    assert all(then != now for then, now in zip(before, numbers(page), strict=True))
    page.locator("#frameworks-deepspeed").click()
    expect(page).to_have_url(re.compile(r"/explore/\?symptom=hang&framework=deepspeed$"))
    page.go_back()
    expect(page.locator("#explore-status")).to_have_text(f"Showing {issues} issues; 1 filter")
    page.go_back()
    expect(page).to_have_url(re.compile(r"/explore/$"))
    expect(page.locator(".filterbar .chip")).to_have_count(0)
    assert numbers(page) == before
    assert page.evaluate("window.isSamePage")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_without_scripts_the_mark_is_a_link_to_the_same(open_page: OpenPage, width: int) -> None:
    with_scripts = open_page("/explore/?symptom=hang", width=width)
    page = open_page("/explore/", width=width, java_script_enabled=False)
    page.locator("#symptoms-hang").click()
    expect(page).to_have_url(re.compile(r"/explore/\?symptom=hang$"))
    assert numbers(page) == numbers(with_scripts)
    assert page.locator(".filterbar .chip").first.inner_text().startswith("Symptom: Hang")
    page.locator(".filterbar .chip").first.click()
    expect(page).to_have_url(re.compile(r"/explore/\??$"))


def test_the_chosen_mark_and_its_chip_take_the_filter_off_again(open_page: OpenPage) -> None:
    page = open_page("/explore/?symptom=hang&framework=deepspeed")
    expect(page.locator("#symptoms-hang")).to_have_attribute("aria-current", "true")
    page.locator("#symptoms-hang").press("Enter")
    expect(page).to_have_url(re.compile(r"/explore/\?framework=deepspeed$"))
    expect(page.locator("#symptoms-hang")).to_be_focused()
    page.get_by_role("link", name="Framework: DeepSpeed").click()
    expect(page).to_have_url(re.compile(r"/explore/\?$"))


def test_a_card_opens_large_with_the_same_filters_and_back_returns(open_page: OpenPage) -> None:
    page = open_page("/explore/")
    page.locator("#symptoms-hang").click()
    expect(page).to_have_url(re.compile("symptom=hang"))
    page.get_by_role("link", name=re.compile("Root causes.*open large")).click()
    expect(page).to_have_url(re.compile(r"/explore/charts/root-causes/\?symptom=hang$"))
    # The first chart of a run waits until Plotly's bundle is cut.
    expect(page.locator(".chart[data-drawn='yes']")).to_be_visible(timeout=20_000)
    page.go_back()
    assert chips(page) == ["Symptom: Hang"]


def test_nothing_moves_while_the_page_is_loaded(open_page: OpenPage) -> None:
    for path in ("/explore/", "/explore/charts/symptoms/", "/explore/charts/symptom-cause/"):
        for width in (WIDE, NARROW):
            page = open_page(path, width=width)
            page.wait_for_load_state("networkidle")
            assert page.evaluate(SHIFTS) <= MOST_SHIFT, (path, width)


def test_the_bar_stays_while_the_page_is_scrolled(open_page: OpenPage) -> None:
    page = open_page("/explore/")
    page.mouse.wheel(0, 1_500)
    expect(page.locator(".filterbar")).to_be_in_viewport()


def test_on_a_phone_the_sheet_stays_open_until_it_shows_the_issues(open_page: OpenPage) -> None:
    page = open_page("/explore/", width=NARROW)
    page.get_by_role("button", name="Filter", exact=True).click()
    page.get_by_label("Fix", exact=True).select_option("true")
    expect(page).to_have_url(re.compile("has_fix=true"))
    page.get_by_label("Framework", exact=True).select_option("deepspeed")
    expect(page).to_have_url(re.compile("framework=deepspeed"))
    page.get_by_role("button", name=re.compile(r"^Show \d+ issues$")).click()
    expect(page.get_by_label("Framework", exact=True)).to_be_hidden()
    expect(page.get_by_role("button", name="Filter (2)")).to_be_visible()


def test_filters_that_leave_nothing_say_so_and_lead_out(open_page: OpenPage) -> None:
    page = open_page("/explore/?framework=deepspeed")
    page.get_by_label("Years").fill("2009")
    page.get_by_label("Years").press("Enter")
    expect(page.locator("#explore-status")).to_have_text("Showing 0 issues; 2 filters")
    expect(page.locator("#explore")).to_contain_text("No labelled issue has these filters")
    page.get_by_role("link", name="Clear all filters").click()
    expect(page.locator(".card-panel")).to_have_count(CARDS)


def test_while_the_server_is_away_the_page_stays_and_offers_another_try(open_page: OpenPage) -> None:
    page = open_page("/explore/")
    before = numbers(page)

    def lost(route: Route) -> None:
        route.fulfill(status=204, body="")

    page.route("**/explore/?symptom=hang", lost)
    page.locator("#symptoms-hang").click()
    expect(page.get_by_role("alert")).to_contain_text("The server did not answer")
    assert numbers(page) == before
    page.unroute("**/explore/?symptom=hang")
    page.get_by_role("link", name="Try again").click()
    expect(page).to_have_url(re.compile(r"/explore/\?symptom=hang$"))
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_view_is_saved_opened_renamed_deleted_and_brought_back(open_page: OpenPage) -> None:
    page = open_page("/explore/?symptom=hang")
    page.locator("#views summary").click()
    page.get_by_label("Save this view as").fill("Hangs")
    page.get_by_role("button", name="Save", exact=True).click()
    page.goto(page.url.split("?")[0])
    page.locator("#views summary").click()
    page.get_by_role("button", name="Rename Hangs").click()
    page.get_by_label("New name of Hangs").fill("All hangs")
    page.get_by_role("button", name="Rename", exact=True).click()
    page.get_by_role("button", name="Delete All hangs").click()
    expect(page.locator("#views-list li")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("link", name="All hangs").click()
    expect(page).to_have_url(re.compile(r"/explore/\?symptom=hang$"))
    assert chips(page) == ["Symptom: Hang"]
