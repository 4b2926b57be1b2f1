"""Drafts in a real browser: saved after every change, kept over reloads, tabs, lost connections and sessions."""

import pytest
from playwright.sync_api import expect

from labeling.models import Draft
from tests.e2e.labeling import OpenRound, chosen, log_in, saved, take_next

pytestmark = pytest.mark.e2e


def test_a_draft_survives_a_reload(open_round_page: OpenRound) -> None:
    page = open_round_page()
    take_next(page)
    page.keyboard.press("i")
    page.keyboard.press("2")
    saved(page)
    page.reload()
    assert chosen(page, "issue_type") == "Requirement"
    # At once, before the pause after which it is saved is over.
    page.keyboard.press("i")
    page.keyboard.press("3")
    page.reload()
    expect(page.locator("#axis-issue_type [data-chosen]")).to_have_text("Question")
    saved(page)
    page.locator("#note").fill("and on")
    saved(page)
    assert not page.evaluate("Object.keys(localStorage).some(key => key.startsWith('draft:'))")
    assert Draft.objects.get().content["note"] == "and on"


def test_two_tabs_do_not_overwrite_each_other(open_round_page: OpenRound) -> None:
    page = open_round_page()
    take_next(page)
    other = page.context.new_page()
    other.goto(page.url)
    page.locator("#note").fill("from the first tab")
    saved(page)
    other.locator("#note").fill("from the second tab")
    expect(other.locator("#kept")).to_contain_text("Another tab or device")
    assert Draft.objects.get().content["note"] == "from the first tab"
    other.get_by_role("button", name="Load it again").click()
    expect(other.locator("#note")).to_have_value("from the first tab")
    other.get_by_role("button", name="Use what is here").click()
    expect(other.locator("#note")).to_have_value("from the second tab")
    saved(other)
    assert Draft.objects.get().content["note"] == "from the second tab"


def test_nothing_is_lost_without_a_connection_or_a_session(open_round_page: OpenRound) -> None:
    page = open_round_page()
    take_next(page)
    page.context.set_offline(True)
    page.locator("#note").fill("while away")
    expect(page.locator("#save-state")).to_contain_text("there is no connection")
    page.context.set_offline(False)
    saved(page)
    page.context.clear_cookies(name="sessionid")
    page.locator("#note").fill("while logged out")
    expect(page.locator("#save-state")).to_contain_text("you are logged out")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="log in again").click()
    log_in(opened.value)
    page.locator("#note").press("Control+s")
    saved(page)
    assert not page.evaluate("Object.keys(localStorage).some(key => key.startsWith('draft:'))")
    assert Draft.objects.get().content["note"] == "while logged out"
