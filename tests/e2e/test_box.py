"""One box on every page: what it does with an issue's name, with words, and with an error line, a log or a file."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import all_faults_of
from tests.e2e.conftest import NARROW, WIDE, OpenPage

pytestmark = pytest.mark.e2e
FRAMES = "".join(f'  File "/opt/train/step_{n}.py", line {n}, in run\n    step_{n + 1}(batch)\n' for n in range(25))
KILLED = "RuntimeError: DataLoader worker (pid 4711) is killed by signal: Bus error. It is possible that"
TRACEBACK = f"starting 4 ranks\nTraceback (most recent call last):\n{FRAMES}{KILLED} shared memory is full.\n"
DROP = """([selector, name, text]) => {
    const files = new DataTransfer();
    files.items.add(new File([text], name, { type: "text/plain" }));
    const box = document.querySelector(selector);
    box.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
}"""


def box_of(page: Page) -> Locator:
    return page.locator(".search-text:visible").first


def panel_of(page: Page) -> Locator:
    return page.locator(".box-answer")


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("path", ["/", "/about/", "/issues/"])
def test_a_traceback_in_the_box_is_diagnosed_in_one_step(open_page: OpenPage, width: int, path: str) -> None:
    page = open_page(path, width=width, reduced_motion="reduce")
    box_of(page).fill(TRACEBACK)
    box_of(page).press("Enter")
    panel = panel_of(page)
    expect(panel).to_contain_text("The run failed")
    expect(panel.locator(".found-best")).to_contain_text("is killed by signal: Bus error")
    expect(panel).to_contain_text("Likeliest cause")
    expect(panel).to_contain_text("What to do now")
    expect(box_of(page)).to_have_value(TRACEBACK.strip())
    assert not all_faults_of(page, "a log in the box", is_variant=True)


def test_going_back_to_a_long_log_brings_its_diagnosis_back(open_page: OpenPage) -> None:
    page = open_page("/")
    box_of(page).fill(TRACEBACK * 3)
    box_of(page).press("Enter")
    expect(page).to_have_url(re.compile(r"/issues/$"))
    panel_of(page).get_by_role("link").first.click()
    expect(page).not_to_have_url(re.compile(r"/issues/$"))
    page.go_back()
    expect(panel_of(page)).to_contain_text("The run failed")


def test_the_whole_diagnosis_is_one_click_away(open_page: OpenPage) -> None:
    page = open_page("/issues/")
    box_of(page).fill(TRACEBACK)
    box_of(page).press("Enter")
    page.get_by_role("link", name="Full diagnosis").click()
    expect(page).to_have_url(re.compile(r"/diagnose/$"))
    expect(page.locator("#diagnosis .verdict")).to_be_visible()


def test_without_scripts_a_log_is_diagnosed_all_the_same(open_page: OpenPage) -> None:
    page = open_page("/", java_script_enabled=False)
    box_of(page).fill(TRACEBACK)
    page.get_by_role("button", name="Search").click()
    expect(panel_of(page)).to_contain_text("The run failed")


def test_a_dropped_log_is_diagnosed_in_place(open_page: OpenPage) -> None:
    page = open_page("/about/")
    page.evaluate(DROP, [".search-text", "train.log", TRACEBACK])
    expect(panel_of(page)).to_contain_text("The run failed")


@pytest.mark.parametrize("text", ["a step\n" * 20_000 + TRACEBACK, "\x00\x01" + TRACEBACK], ids=["large", "no text"])
def test_a_large_or_odd_file_goes_to_the_diagnosis(open_page: OpenPage, text: str) -> None:
    page = open_page("/")
    page.evaluate(DROP, [".search-text", "train.log", text])
    expect(page).to_have_url(re.compile(r"/diagnose/"))
    expect(page.locator("#diagnosis")).to_be_visible()


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("key", ["Control+k", "Meta+k", "/"])
def test_a_key_leads_to_the_box_from_anywhere(open_page: OpenPage, key: str, width: int) -> None:
    page = open_page("/codebook/", width=width)
    page.keyboard.press(key)
    expect(box_of(page)).to_be_focused()


@pytest.mark.parametrize("path", ["/", "/about/", "/issues/"])
def test_an_unknown_issue_leads_to_the_page_that_says_so(open_page: OpenPage, path: str) -> None:
    page = open_page(path)
    box_of(page).fill("vllm#99999999")
    box_of(page).press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Faultbook does not know this issue")


class TestSuggestions:
    @pytest.mark.parametrize("width", [WIDE, NARROW])
    @pytest.mark.parametrize("path", ["/", "/codebook/"])
    def test_stand_in_groups_and_open_by_keyboard(self, open_page: OpenPage, path: str, width: int) -> None:
        page = open_page(path, width=width, reduced_motion="reduce")
        box = box_of(page)
        box.press_sequentially("hang")
        expect(page.get_by_role("group", name="Answers").get_by_role("option").first).to_contain_text("Hang")
        expect(page.get_by_role("group", name="Issues with a fix")).to_be_visible()
        assert not all_faults_of(page, "suggestions", is_variant=True)
        page.set_viewport_size({"width": width, "height": 900})
        box.press("ArrowDown")
        first = page.get_by_role("option").first
        expect(first).to_have_attribute("aria-selected", "true")
        expect(box).to_have_attribute("aria-activedescendant", re.compile(r"-offers-0$"))
        box.press("Enter")
        expect(page).to_have_url(re.compile(r"/codebook/house/"))

    def test_escape_closes_them_and_enter_without_a_choice_searches(self, open_page: OpenPage) -> None:
        page = open_page("/about/")
        box = box_of(page)
        box.press_sequentially("hang")
        expect(page.get_by_role("listbox")).to_be_visible()
        box.press("Escape")
        expect(page.get_by_role("listbox")).to_be_hidden()
        expect(box).to_be_focused()
        box.press("Enter")
        expect(page).to_have_url(re.compile(r"/issues/\?q=hang$"))

    def test_a_click_opens_one(self, open_page: OpenPage) -> None:
        page = open_page("/")
        box_of(page).press_sequentially("hang")
        page.get_by_role("group", name="Issues with a fix").get_by_role("option").first.click()
        expect(page).to_have_url(re.compile(r"/issues/FB-\d{6}$"))

    def test_results_beside_the_box_are_not_offered_again(self, open_page: OpenPage) -> None:
        page = open_page("/issues/")
        box_of(page).press_sequentially("hang")
        expect(page.get_by_role("group", name="Answers")).to_be_visible()
        expect(page.get_by_role("group", name="Issues with a fix")).to_have_count(0)
        expect(page).to_have_url(re.compile(r"q=hang"))
