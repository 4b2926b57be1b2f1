"""What people do here, in a real browser: find a fix in two clicks, without scripts, by keyboard, in the dark."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.addresses import ISSUE
from tests.e2e.conftest import NARROW, OpenPage

NVME = "/issues/FB-000071"

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_fix_is_two_clicks_away(open_page: OpenPage, scripts: bool) -> None:
    page = open_page("/", java_script_enabled=scripts)
    page.get_by_role("textbox", name="Words").fill("hang in ZeRO-3")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".results-total")).to_contain_text("words")
    page.get_by_role("link", name="Mixtral under ZeRO-3 fails").click()
    fix = page.get_by_role("region", name="Fix", exact=True).get_by_role("link").first
    expect(fix).to_have_attribute("href", re.compile(r"^https://github\.com/.+/pull/\d+$"))
    expect(page.get_by_role("link", name="Original on GitHub")).to_have_attribute(
        "href", "https://github.com/deepspeedai/DeepSpeed/issues/4808"
    )


def test_results_follow_the_typing_and_the_address_follows_the_results(open_page: OpenPage) -> None:
    page = open_page("/issues/")
    box = page.get_by_role("textbox", name="Words")
    box.press_sequentially("watchdog timeout")
    expect(page.locator(".results-total")).to_contain_text("words")
    expect(page).to_have_url(re.compile(r"q=watchdog\+timeout|q=watchdog%20timeout"))
    expect(page).to_have_title(re.compile("watchdog timeout"))
    expect(box).to_be_focused()
    expect(page.locator("#result-status")).to_contain_text("found")


def test_a_facet_narrows_the_results_and_the_way_back_works(open_page: OpenPage) -> None:
    page = open_page("/issues/?q=hang")
    facet = page.locator("#first-framework-vllm")
    count = facet.locator(".count").inner_text()
    facet.click()
    expect(page.locator(".results-total")).to_contain_text(f"{count} issue")
    expect(page).to_have_url(re.compile("framework=vllm"))
    expect(page.locator("#first-framework-vllm")).to_be_focused()
    expect(page.locator("#kept input")).to_have_value("vllm")
    page.go_back()
    expect(page).to_have_url(re.compile(r"\?q=hang$"))
    expect(page.locator(".chips")).to_have_count(0)


def test_a_long_facet_can_be_narrowed_by_typing(open_page: OpenPage) -> None:
    page = open_page("/issues/")
    page.locator("#facet-symptom-all > summary").click()
    page.get_by_role("searchbox", name="Narrow the list: Symptom").fill("NaN")
    expect(page.locator("#facet-symptom-all li:visible")).to_have_count(1)


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_filters_open_as_a_sheet_on_narrow_screens(open_page: OpenPage, scripts: bool) -> None:
    page = open_page("/issues/?q=hang", width=NARROW, java_script_enabled=scripts)
    link = page.locator("#first-framework-vllm")
    expect(link).to_be_hidden()
    page.get_by_role("button", name="Filters").click()
    link.click()
    expect(page).to_have_url(re.compile("framework=vllm"))
    expect(page.locator(".chip").first).to_contain_text("vLLM")


def test_everything_can_be_reached_by_keyboard(open_page: OpenPage) -> None:
    page = open_page("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("textbox", name="Words")).to_be_focused()
    page.keyboard.type("illegal memory access")
    page.keyboard.press("Enter")
    expect(page.locator(".results-total")).to_contain_text("words")
    first = page.locator(".result-title a").first
    tab_until_focused(page, ".result-title a")
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def tab_until_focused(page: Page, selector: str, most: int = 120) -> None:
    """Press Tab until an element that matches has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return


def test_the_menu_of_narrow_screens_opens_and_closes(open_page: OpenPage) -> None:
    page = open_page("/", width=NARROW)
    menu = page.get_by_role("navigation", name="Main")
    expect(menu).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    menu.get_by_role("link", name="Learn").focus()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(page.get_by_role("button", name="Menu")).to_be_focused()


def test_without_scripts_the_menu_is_simply_there(open_page: OpenPage) -> None:
    page = open_page("/", width=NARROW, java_script_enabled=False)
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()
    expect(page.get_by_role("button", name="Dark theme")).to_be_hidden()


def test_the_chosen_theme_is_remembered(open_page: OpenPage) -> None:
    page = open_page("/", color_scheme="light")
    button = page.get_by_role("button", name="Dark theme")
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    page.goto("/about/")
    expect(page.locator("html")).to_have_attribute("data-bs-theme", "dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 23, 27)"


def test_without_a_choice_the_system_decides_even_without_scripts(open_page: OpenPage) -> None:
    page = open_page("/", color_scheme="dark", java_script_enabled=False)
    ground = page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
    assert ground == "rgb(21, 23, 27)"


def test_an_error_line_is_copied(open_page: OpenPage) -> None:
    page = open_page(NVME, permissions=["clipboard-read", "clipboard-write"])
    button = page.get_by_role("button", name="the error line").first
    button.click()
    expect(button.locator("[role=status]")).to_have_text("Copied")
    assert "reserve_partitioned_swap_space" in page.evaluate("navigator.clipboard.readText()")


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_an_issue_is_cited(open_page: OpenPage, scripts: bool) -> None:
    page = open_page(ISSUE, java_script_enabled=scripts)
    entry = page.locator("#citation-bibtex")
    expect(entry).to_be_hidden()
    page.get_by_text("How this is known").click()
    expect(entry).to_contain_text("@misc{faultbook-fb-000101")


@pytest.mark.parametrize("fragment", ["provenance", "cite", "labels-heading"])
def test_a_fragment_opens_the_fold_that_it_points_into(open_page: OpenPage, fragment: str) -> None:
    page = open_page(f"{ISSUE}#{fragment}")
    expect(page.locator("#labels-heading")).to_be_visible()
    page.get_by_text("How this is known").click()
    expect(page.locator("#labels-heading")).to_be_hidden()
    page.evaluate("location.hash = ''")
    page.evaluate("name => { location.hash = name }", fragment)
    expect(page.locator("#labels-heading")).to_be_visible()


def test_a_folded_issue_is_printed_whole(open_page: OpenPage) -> None:
    page = open_page(ISSUE)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("#citation-bibtex")).to_be_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator("#citation-bibtex")).to_be_hidden()


@pytest.mark.parametrize("width", [1440, NARROW])
def test_a_small_header_stays_and_leads_to_the_fix_without_moving_anything(open_page: OpenPage, width: int) -> None:
    page = open_page(ISSUE, width=width)
    bar = page.get_by_role("navigation", name="This issue")
    expect(bar).to_be_hidden()
    height = page.evaluate("document.documentElement.scrollHeight")
    page.locator("footer").scroll_into_view_if_needed()
    expect(bar).to_be_visible()
    assert page.evaluate("document.documentElement.scrollHeight") == height
    bar.get_by_role("link", name="Do this").click()
    # Below the bar, once the page has come to rest.
    page.wait_for_function("""() => {
      const [bar, now] = ["issue-bar", "now"].map((id) => document.getElementById(id).getBoundingClientRect());
      return now.top >= bar.height - 1 && now.top < innerHeight / 2;
    }""")
    page.evaluate("scrollTo(0, 0)")
    expect(bar).to_be_hidden()
