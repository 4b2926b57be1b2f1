"""The survey in a browser: answered, mended and withdrawn by keyboard on a phone, with scripts and without."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import faults_of
from tests.e2e.conftest import NARROW, OpenPage

pytestmark = pytest.mark.e2e
SURVEY = "/explore/priorities/survey/"


def test_it_is_answered_mended_and_withdrawn_by_keyboard(open_page: OpenPage) -> None:
    page = open_page(SURVEY, width=NARROW)
    press(page, "#id_role_0", "Space")
    press(page, "#id_experience_0", "ArrowDown")
    press(page, "#id_C_1", "ArrowDown")
    press(page, "#id_C_2", "ArrowDown")
    press(page, "form.survey button", "Enter")
    # Both places hold the first theme.
    expect(page.get_by_role("alert")).to_contain_text("is your 1st already")
    expect(page.locator("#id_experience_1")).to_be_checked()
    assert faults_of(page, "light") == []
    press(page, "a[href='#id_C_2']", "Enter")
    expect(page.locator("#id_C_2")).to_be_focused()
    page.keyboard.press("ArrowDown")
    press(page, "form.survey button", "Enter")
    expect(page.get_by_role("status")).to_contain_text("your answer counts")
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW
    press(page, "form[action$='withdraw/'] button", "Enter")
    expect(page.get_by_role("status")).to_contain_text("Your answer is deleted")


def test_it_needs_no_scripts(open_page: OpenPage) -> None:
    page = open_page(SURVEY, java_script_enabled=False)
    page.get_by_label("I develop LLM frameworks").check()
    page.get_by_label("More than 3 years").check()
    page.get_by_label("1st of bugs").select_option("C.2")
    page.get_by_role("button", name="Send my answer").click()
    expect(page.get_by_role("status")).to_contain_text("your answer counts")
    expect(page.get_by_label("1st of bugs")).to_have_value("C.2")


def press(page: Page, selector: str, key: str) -> None:
    """Press Tab until an element that matches has the focus, then a key."""
    for _ in range(90):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            page.keyboard.press(key)
            return
    raise AssertionError(f"{selector} is not reached by Tab")
