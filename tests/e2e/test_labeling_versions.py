"""Two tabs with one ballot: who changed it apart is shown both versions and chooses; nobody else is asked."""

from collections.abc import Sequence

import pytest
from playwright.sync_api import Page, Route, expect

from labeling.models import Draft
from tests.e2e.labeling import OpenRound, copies, saved, take_next

pytestmark = pytest.mark.e2e

TEXTS = ["from the first tab", "from the second tab"]


@pytest.fixture
def tabs(open_round_page: OpenRound) -> tuple[Page, Page]:
    """Two tabs with the same issue, nothing filled in."""
    page = open_round_page()
    take_next(page)
    return page, opened(page)


def opened(page: Page) -> Page:
    """Another tab with the same issue."""
    other = page.context.new_page()
    other.goto(page.url, wait_until="commit")
    expect(other.locator("#save-draft")).to_have_attribute("hidden", "")
    return other


def note(page: Page, text: str) -> None:
    """Write a note."""
    page.locator("#note").fill(text)


def drafted() -> str:
    """The note on the server."""
    return str(Draft.objects.get().content["note"])


def choose(page: Page, text: str, texts: Sequence[str]) -> None:
    """Look at every version, and choose the one that says `text`."""
    notice = page.locator("#kept")
    expect(notice).to_contain_text("They differ in: Note.")
    marks = notice.locator("[aria-pressed]")
    expect(marks).to_have_count(len(texts))
    found = {}
    for mark in marks.all():
        mark.click()
        found[page.locator("#note").input_value()] = mark
    assert sorted(found) == sorted(texts)
    found[text].click()
    page.get_by_role("button", name="Use the version").click()
    saved(page)
    expect(page.locator("#note")).to_have_value(text)
    expect(notice).to_be_hidden()
    assert drafted() == text
    assert copies(page) == []


# Every two of the three choices meet in every way.
@pytest.mark.parametrize(
    ("is_reloaded", "is_sent", "kept"),
    [(False, False, TEXTS[0]), (False, True, TEXTS[1]), (True, False, TEXTS[1]), (True, True, TEXTS[0])],
)
def test_two_tabs_do_not_overwrite_each_other(
    tabs: tuple[Page, Page], is_reloaded: bool, is_sent: bool, kept: str
) -> None:
    first, second = tabs
    note(first, "from the first tab")
    saved(first)
    note(second, "from the second tab")
    if is_sent:
        second.get_by_role("button", name="Submit").click()
    expect(second.locator("#kept")).to_contain_text("Another tab or device")
    assert drafted() == "from the first tab"
    if is_reloaded:
        second.reload()
    choose(second, kept, TEXTS)
    note(second, f"{kept}, and on")
    saved(second)
    assert drafted() == f"{kept}, and on"


@pytest.mark.parametrize(("typing", "kept"), [((0, 1), TEXTS[0]), ((1, 0), TEXTS[0])])
def test_two_tabs_that_were_closed_without_a_connection_both_come_back(
    tabs: tuple[Page, Page], typing: Sequence[int], kept: str
) -> None:
    third = tabs[0].context.new_page()
    address = tabs[0].url
    tabs[0].context.set_offline(True)
    for at in typing:
        note(tabs[at], TEXTS[at])
    for tab in tabs:
        tab.close()
    third.context.set_offline(False)
    third.goto(address)
    choose(third, kept, TEXTS)


def test_a_stale_tab_in_which_nothing_was_changed_is_asked_nothing(tabs: tuple[Page, Page]) -> None:
    first, second = tabs
    note(first, "from the first tab")
    saved(first)
    second.get_by_role("button", name="Submit").click()
    expect(second.locator("#messages")).to_contain_text("Below is the version saved there")
    expect(second.locator("#note")).to_have_value("from the first tab")
    expect(second.locator("#kept")).to_be_hidden()
    note(second, "from the first tab, and on")
    saved(second)
    assert drafted() == "from the first tab, and on"


def test_a_stale_tab_that_submits_what_was_saved_earlier_is_shown_both(tabs: tuple[Page, Page]) -> None:
    first, second = tabs
    note(first, "from the first tab")
    saved(first)
    second.close()
    second = opened(first)
    note(second, "from the second tab")
    saved(second)
    first.get_by_role("button", name="Submit").click()
    expect(first.locator("#note")).to_have_value("from the second tab")
    expect(first.locator("#messages")).to_contain_text("Below is the version saved there")


def test_another_tab_that_went_on_from_the_same_words_is_no_conflict(tabs: tuple[Page, Page]) -> None:
    first, second = tabs
    second.close()
    first.route("**/draft", lambda route: route.abort())
    note(first, "begun here")
    expect(first.locator("#save-state")).to_contain_text("there is no connection")
    second = opened(first)
    expect(second.locator("#note")).to_have_value("begun here")
    saved(second)
    note(second, "begun here, ended there")
    saved(second)
    first.unroute("**/draft")
    first.locator("#note").press("Control+s")
    expect(first.locator("#note")).to_have_value("begun here, ended there")
    expect(first.locator("#kept")).to_contain_text("Another tab continued from here")
    first.locator("#kept").get_by_role("button", name="Undo").click()
    saved(first)
    assert drafted() == "begun here"
    assert copies(first) == []


def test_an_answer_that_was_lost_on_the_way_is_no_conflict(tabs: tuple[Page, Page]) -> None:
    first, _ = tabs

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    first.route("**/draft", lose)
    note(first, "one")
    expect(first.locator("#save-state")).to_contain_text("there is no connection")
    assert drafted() == "one"
    note(first, "one two")
    first.unroute("**/draft")
    saved(first)
    assert drafted() == "one two"
    assert copies(first) == []


def test_a_stale_tab_that_only_spends_time_is_no_conflict(open_round_page: OpenRound) -> None:
    first = open_round_page()
    first.context.clock.install()
    take_next(first)
    second = opened(first)
    note(first, "from the first tab")
    first.clock.run_for(1_500)
    saved(first)
    second.clock.run_for(40_000)
    second.locator("#note").click()
    with second.expect_response("**/time") as answered:
        second.clock.run_for(40_000)
    assert answered.value.status == 204
    expect(second.locator("#kept")).to_be_hidden()
    assert (Draft.objects.get().revision, drafted()) == (1, "from the first tab")
