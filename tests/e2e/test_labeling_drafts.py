"""Drafts in a real browser: saved after every change, kept over reloads, tabs, lost connections and sessions."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from labeling.models import Draft
from tests.e2e.labeling import OpenRound, chosen, copies, log_in, saved, take_next

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
    assert copies(page) == []
    assert Draft.objects.get().content["note"] == "and on"


def test_what_is_chosen_while_scripts_are_on_their_way_is_kept(open_round_page: OpenRound) -> None:
    page = open_round_page()
    late: list[Route] = []
    page.route("**/work-draft*.js", lambda route: late.append(route))
    page.get_by_role("button", name="Take the next issue").click(no_wait_after=True)
    expect(page.locator("#axis-issue_type")).to_have_class(re.compile("is-active"))
    page.keyboard.press("2")
    assert chosen(page, "issue_type") == "Requirement"
    late.pop().continue_()
    saved(page)
    assert chosen(page, "issue_type") == "Requirement"
    assert Draft.objects.get().content["choices"]["issue_type"]


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
    assert copies(page) == []
    assert Draft.objects.get().content["note"] == "while logged out"


def test_a_ballot_is_not_sent_before_it_is_saved(open_round_page: OpenRound) -> None:
    page = open_round_page()
    take_next(page)
    page.context.set_offline(True)
    page.locator("#note").fill("while away")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#save-state")).to_contain_text("Not submitted")
    expect(page.locator("#note")).to_have_value("while away")
    page.context.set_offline(False)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert")).to_contain_text("Not submitted yet")
    expect(page.locator("#note")).to_have_value("while away")
    assert copies(page) == []


def test_the_browser_and_the_server_work_out_the_same_hash(open_round_page: OpenRound) -> None:
    page = open_round_page()
    take_next(page)
    page.locator("#note").fill("  ä 'quoted' 😀 100% (a+b)*~!\n\n中文 & =\t ")
    page.keyboard.press("Tab")
    page.locator("#axis-symptom > summary").click()
    page.locator("#symptom-hang").check()
    page.locator("#axis-theme > summary").click()
    page.locator("#axis-theme").get_by_label("The report does not say").check()
    page.locator("#text-words").fill("never ends")
    page.locator("#text-words").press("Control+Enter")
    saved(page)
    expect(page.locator("#save-state")).not_to_contain_text("in part")
    assert copies(page) == []
    assert Draft.objects.get().content["evidence"]


def test_what_was_typed_after_a_vote_is_shown_until_it_is_forgotten(open_round_page: OpenRound) -> None:
    page = open_round_page()
    take_next(page)
    address = page.url
    late = page.context.new_page()
    late.goto(address)
    answer_all(page)
    page.get_by_role("button", name="Submit").click()
    expect(page.locator(".receipt")).to_be_visible()
    late.locator("#note").fill("too late")
    expect(late.locator("#kept")).to_contain_text("This issue is not reserved for you")
    late.reload()
    expect(late.locator("#unsent")).to_contain_text("note: too late")
    late.get_by_role("button", name="Forget it").click()
    expect(late.locator("#unsent")).to_be_hidden()
    assert copies(late) == []


def answer_all(page: Page) -> None:
    """Answer every question."""
    for axis in page.locator("#ballot .axis:not(#axis-confidence)").all():
        axis.evaluate("axis => { axis.open = true; }")
        axis.get_by_label("The report does not say").check()
    page.locator("#axis-confidence").evaluate("axis => { axis.open = true; }")
    page.get_by_label("Fairly sure").check()


def test_a_quotation_and_a_reason_are_kept_until_they_are_used(open_round_page: OpenRound) -> None:
    page = open_round_page()
    take_next(page)
    page.get_by_text("Quote a passage").click()
    page.locator("#quotation").fill("It hangs in forward")
    page.get_by_text("Skip or flag this issue").click()
    page.get_by_label("Why?").fill("Not English.")
    page.reload()
    expect(page.get_by_label("Why?")).to_have_value("Not English.")
    page.context.set_offline(True)
    page.get_by_role("button", name="Attach it").click()
    expect(page.locator("#quotation-help")).to_contain_text("there is no connection")
    expect(page.locator("#quotation")).to_have_value("It hangs in forward")
    page.context.set_offline(False)
    page.get_by_role("button", name="Attach it").click()
    expect(page.locator("#passages li")).to_have_count(1)
    expect(page.locator("#quotation")).to_have_value("")
    saved(page)
    page.locator("#quotation").fill("rank 7 explodes")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#quotation-help")).to_contain_text("is not in the title or the text")
    page.locator("#quotation").fill("never ends")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert")).to_contain_text("Not submitted yet")
    expect(page.locator("#passages li")).to_have_count(2)
    page.reload()
    expect(page.locator("#quotation")).to_have_value("")
    assert len(Draft.objects.get().content["evidence"]) == 2
