"""The search page in a real browser: the box, what it offers, the keys, and all of it without scripts."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import RULES, faults_of
from tests.e2e.conftest import NARROW, OpenPage

pytestmark = pytest.mark.e2e
LOG = "Traceback (most recent call last):\n  File train.py\nRuntimeError: CUDA error: an illegal memory access"


def box_of(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Words")


def current(page: Page) -> Locator:
    return page.locator(".result-list > [aria-current]")


class TestBox:
    def test_enter_searches_and_shift_enter_breaks_the_line(self, open_page: OpenPage) -> None:
        page = open_page("/issues/")
        box = box_of(page)
        box.fill("illegal memory access")
        box.press("Shift+Enter")
        box.press_sequentially("CUDA error")
        expect(box).to_have_value("illegal memory access\nCUDA error")
        box.press("Enter")
        expect(page).to_have_url(re.compile(r"q=illegal\+memory\+access%0D%0ACUDA\+error"))
        expect(box_of(page)).to_have_value("illegal memory access\nCUDA error")

    def test_grows_with_what_is_pasted_and_searches_it_when_it_is_sent(self, open_page: OpenPage) -> None:
        page = open_page("/issues/")
        box = box_of(page)
        before = box.evaluate("box => box.clientHeight")
        box.fill(LOG)
        assert box.evaluate("box => box.clientHeight") > before
        page.wait_for_timeout(400)
        expect(page).to_have_url(re.compile(r"/issues/$"))
        box.press("Enter")
        expect(page.locator(".result-title").first).to_be_visible()
        expect(box_of(page)).to_have_value(LOG)

    @pytest.mark.parametrize("path", ["/", "/about/"])
    def test_is_the_same_on_every_page(self, open_page: OpenPage, path: str) -> None:
        page = open_page(path)
        page.keyboard.press("/")
        expect(box_of(page)).to_be_focused()
        box_of(page).fill(LOG)
        page.keyboard.press("Enter")
        expect(box_of(page)).to_have_value(LOG)

    def test_a_text_too_long_for_an_address_is_sent_beside_it(self, open_page: OpenPage) -> None:
        page = open_page("/issues/")
        box_of(page).fill("an error line " * 6_000)
        box_of(page).press("Enter")
        expect(page.locator(".results-total")).to_be_visible()
        expect(page).to_have_url(re.compile(r"/issues/$"))
        assert len(box_of(page).input_value()) > 80_000

    def test_without_scripts_a_log_keeps_its_lines(self, open_page: OpenPage) -> None:
        page = open_page("/issues/", java_script_enabled=False)
        box_of(page).fill(LOG)
        page.get_by_role("button", name="Search").click()
        expect(box_of(page)).to_have_value(LOG)
        expect(page.locator(".result-why").first).to_contain_text("words")
        expect(page.get_by_role("button", name="Keyboard")).to_be_hidden()

    @pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
    def test_a_long_log_is_narrowed_turned_and_ordered_too(self, open_page: OpenPage, scripts: bool) -> None:
        page = open_page("/issues/", java_script_enabled=scripts)
        log = "the rank hangs in line 12 of a log\n" * 60 + "RuntimeError: NCCL timeout"
        box_of(page).fill(log)
        page.get_by_role("button", name="Search").click()
        facet = page.locator("button#first-framework-vllm")
        count = facet.locator(".count").inner_text()
        facet.click()
        expect(page.locator(".results-total")).to_contain_text(f"{count} issue")
        expect(box_of(page)).to_have_value(log)
        page.locator("button#first-framework-deepspeed").click()
        expect(page.locator(".chip-group")).to_have_count(2)
        page.get_by_role("button", name="newest").click()
        expect(page.locator("#sort-newest")).to_have_attribute("aria-current", "true")
        page.locator("button#first-framework-vllm").click()
        expect(page.locator(".chip-group")).to_have_count(1)


class TestCompletions:
    def test_are_chosen_by_keyboard(self, open_page: OpenPage) -> None:
        page = open_page("/issues/")
        box = box_of(page)
        box.press_sequentially("oom symp")
        options = page.get_by_role("group", name="Filters").get_by_role("option")
        expect(options).to_have_count(1)
        box.press("ArrowDown")
        expect(options.first).to_have_attribute("aria-selected", "true")
        expect(box).to_have_attribute("aria-activedescendant", "q-offers-0")
        box.press("Tab")
        expect(box).to_have_value("oom symptom:")
        expect(box).to_be_focused()
        box.press_sequentially("ha")
        expect(page.get_by_role("option", name="hang Hang", exact=True)).to_be_visible()
        expect(page.locator("[aria-live]").filter(has_text="suggestions")).to_have_count(1)
        box.press("ArrowDown")
        box.press("Enter")
        expect(box).to_have_value("oom symptom:hang ")
        expect(page).to_have_url(re.compile("symptom%3Ahang"))
        expect(page.locator(".chip").first).to_contain_text("Hang")

    def test_close_on_escape_and_leave_the_text(self, open_page: OpenPage) -> None:
        page = open_page("/issues/")
        box = box_of(page)
        box.press_sequentially("symptom:ha")
        expect(page.get_by_role("listbox")).to_be_visible()
        box.press("Escape")
        expect(page.locator("#q-offers")).to_be_hidden()
        expect(box).to_be_focused()
        expect(box).to_have_value("symptom:ha")

    def test_without_a_choice_enter_searches(self, open_page: OpenPage) -> None:
        page = open_page("/issues/")
        box_of(page).press_sequentially("state:op")
        expect(page.get_by_role("listbox")).to_be_visible()
        box_of(page).press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("is not known here")

    def test_are_taken_by_a_click_in_the_middle_of_a_text(self, open_page: OpenPage) -> None:
        page = open_page("/issues/")
        box = box_of(page)
        box.fill("𝄞 state: nccl")
        box.evaluate("box => box.setSelectionRange(9, 9)")
        box.press_sequentially("o")
        # By name: until the answer for the last letter is there, the list is that of the whole text.
        page.get_by_role("option", name="open").first.click()
        expect(box).to_have_value("𝄞 state:open nccl")

    def test_replace_what_was_typed_after_they_were_asked_for(self, open_page: OpenPage) -> None:
        page = open_page("/issues/")
        box = box_of(page)
        box.press_sequentially("state:")
        expect(page.get_by_role("listbox")).to_be_visible()
        # As if typed just now: nothing has been asked for it yet.
        box.evaluate("box => box.setRangeText('o', 6, 6, 'end')")
        page.get_by_role("option").first.click()
        expect(box).to_have_value("state:open ")

    def test_are_clean_for_axe(self, open_page: OpenPage) -> None:
        page = open_page("/issues/", color_scheme="light", reduced_motion="reduce")
        page.set_viewport_size({"width": 1440, "height": 500})
        # All values: no box within the page may scroll, since Tab would not reach it.
        box_of(page).press_sequentially("symptom:")
        expect(page.get_by_role("option").first).to_contain_text("Crash")
        box_of(page).press("ArrowDown")
        assert [fault for theme in RULES for fault in faults_of(page, theme)] == []


class TestKeys:
    def test_move_through_the_results_and_open_one(self, open_page: OpenPage) -> None:
        page = open_page("/issues/?q=hang")
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("k")
        first = page.locator(".result-list > li").first
        expect(first).to_have_attribute("aria-current", "true")
        expect(current(page)).to_have_count(1)
        expect(first.locator(".result-title a")).to_be_focused()
        address = first.locator(".result-title a").get_attribute("href") or ""
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(re.escape(address)))

    def test_open_the_original(self, open_page: OpenPage) -> None:
        page = open_page("/issues/?q=hang")
        page.route("https://github.com/**", lambda route: route.fulfill(body="the original"))
        page.keyboard.press("j")
        page.keyboard.press("o")
        expect(page).to_have_url(re.compile(r"^https://github\.com/"))

    def test_are_letters_while_somebody_types(self, open_page: OpenPage) -> None:
        page = open_page("/issues/?q=hang")
        page.keyboard.press("/")
        page.keyboard.type("jko?/")
        expect(box_of(page)).to_have_value("jko?/")
        expect(current(page)).to_have_count(0)
        expect(page.get_by_role("dialog")).to_have_count(0)

    def test_are_listed(self, open_page: OpenPage) -> None:
        page = open_page("/issues/?q=hang", color_scheme="light", reduced_motion="reduce")
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
        assert [fault for theme in RULES for fault in faults_of(page, theme)] == []
        page.keyboard.press("j")
        expect(current(page)).to_have_count(0)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.get_by_role("button", name="Keyboard").click()
        expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()

    def test_work_on_results_that_came_while_typing(self, open_page: OpenPage) -> None:
        page = open_page("/issues/")
        box_of(page).press_sequentially("watchdog")
        expect(page).to_have_url(re.compile("q=watchdog"))
        # The first closes the suggestions, the second leaves the box.
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        expect(current(page)).to_have_count(1)


class TestKeeping:
    def test_the_address_is_copied(self, open_page: OpenPage) -> None:
        page = open_page("/issues/?q=hang", permissions=["clipboard-read", "clipboard-write"])
        page.get_by_role("button", name="Copy link").click()
        expect(page.get_by_role("button", name="Copy link")).to_contain_text("copied")
        assert page.evaluate("navigator.clipboard.readText()").endswith("/issues/?q=hang")

    def test_the_feed_is_one_link_away(self, open_page: OpenPage) -> None:
        page = open_page("/issues/?q=hang&state=closed")
        address = page.get_by_role("link", name="Feed of new issues").get_attribute("href") or ""
        assert "<entry>" in page.request.get(address).text()


class TestDrafts:
    @pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
    def test_find_what_was_reported(self, open_page: OpenPage, scripts: bool) -> None:
        page = open_page("/issues/", java_script_enabled=scripts, width=NARROW)
        page.get_by_role("link", name="Has this been reported?").click()
        page.get_by_label("Title").fill("Mixtral hangs with ZeRO-3")
        page.get_by_label("Text, error or log").fill("in-flight parameters\nsecond line")
        page.get_by_role("form", name="A draft").get_by_role("button", name="Search").click()
        expect(page.get_by_role("link", name="Mixtral under ZeRO-3 fails")).to_be_visible()
        expect(page.get_by_label("Text, error or log")).to_have_value("in-flight parameters\nsecond line")
        assert ("title=Mixtral" in page.url) is scripts

    def test_a_long_one_is_sent_beside_the_address(self, open_page: OpenPage) -> None:
        page = open_page("/issues/reported/")
        page.get_by_label("Title").fill("Mixtral hangs with ZeRO-3")
        page.get_by_label("Text, error or log").fill("a line of a log\n" * 500)
        page.get_by_role("form", name="A draft").get_by_role("button", name="Search").click()
        expect(page.locator(".result-title").first).to_be_visible()
        expect(page).to_have_url(re.compile(r"/issues/reported/$"))
