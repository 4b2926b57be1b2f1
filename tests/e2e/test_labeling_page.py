"""The labeling page in a real browser: by keyboard, without scripts, by selecting; and nothing for axe to find."""

import pytest
from playwright.sync_api import Page, expect

from labeling.models import Draft, Evidence, Item, Vote
from tests.e2e.axe import all_faults_of
from tests.e2e.conftest import NARROW, WIDE, OpenPage
from tests.e2e.labeling import OpenRound, chosen, log_in, make_hangs, saved, take_next

pytestmark = pytest.mark.e2e

OTHER_AXES = "rftch"


def tab_to(page: Page, selector: str, most: int = 60) -> None:
    """Press Tab until an element that matches has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab never came to {selector}")


def answer_by_keys(page: Page) -> None:
    """Answer every axis by keys alone: a bug that hangs, and nothing else is told."""
    page.keyboard.press("i")
    page.keyboard.press("1")
    page.keyboard.press("s")
    page.keyboard.press("/")
    page.keyboard.type("stuck")
    page.keyboard.press("Enter")
    for letter in OTHER_AXES:
        page.keyboard.press(letter)
        page.keyboard.press("0")
    page.keyboard.press("o")
    page.keyboard.press("3")


def test_a_vote_takes_no_mouse(open_round_page: OpenRound) -> None:
    page = open_round_page()
    tab_to(page, "main form button")
    page.keyboard.press("Enter")
    expect(page.locator("#ballot")).to_be_visible()
    # Aliases come with the guide.
    expect(page.locator(".choice[data-aliases]").first).to_be_attached()
    answer_by_keys(page)
    assert chosen(page, "issue_type") == "Bug"
    assert "ang" in chosen(page, "symptom")
    expect(page.locator("[data-answered]")).to_have_text("7")
    page.keyboard.press("s")
    page.keyboard.press("e")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#passages li")).to_have_count(1)
    page.keyboard.press("n")
    page.keyboard.type("Look at rank 3.")
    saved(page)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Training hangs 1")
    vote = Vote.objects.get()
    expect(page.locator(".receipt")).to_contain_text(vote.receipt)
    evidence = Evidence.objects.get()
    assert evidence.quote.startswith("It **hangs** in [forward](https://example.org/f) &amp; never ends.")
    assert evidence.quote.endswith("[rank0]: all_reduce took 0 ms 😀")
    assert (evidence.axis.code if evidence.axis else "", vote.note) == ("symptom", "Look at rank 3.")
    # Keys act once the deferred scripts have run.
    page.wait_for_load_state()
    page.keyboard.press("u")
    expect(page.get_by_role("heading", level=1)).to_have_text("Training hangs 0")
    assert chosen(page, "issue_type") == "Bug"
    assert not Vote.objects.exists()


def test_one_press_leads_from_logging_in_to_the_first_ballot(open_page: OpenPage, site: str) -> None:
    make_hangs()
    page = open_page("/account/login/")
    log_in(page)
    expect(page.get_by_role("button", name="Take the next issue")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#ballot")).to_be_visible()


def test_a_short_list_of_one_answer_leads_on(open_round_page: OpenRound) -> None:
    page = open_round_page()
    take_next(page)
    page.keyboard.press("i")
    page.keyboard.press("1")
    expect(page.locator(".axis.is-active")).not_to_have_id("axis-issue_type")
    assert chosen(page, "issue_type") == "Bug"
    page.keyboard.press("i")
    page.keyboard.press("1")
    expect(page.locator(".axis.is-active")).to_have_id("axis-issue_type")
    assert chosen(page, "issue_type") == ""


def test_numbers_of_long_lists_wait_for_a_second_digit(open_round_page: OpenRound) -> None:
    page = open_round_page()
    take_next(page)
    names = [name.strip() for name in page.locator("#axis-symptom .choice[data-code] label").all_text_contents()]
    page.keyboard.press("s")
    page.keyboard.type("12")
    expect(page.locator("#axis-symptom [data-chosen]")).to_have_text(names[11].removeprefix("12 "))
    page.keyboard.type("2")
    expect(page.locator("#axis-symptom [data-chosen]")).to_contain_text(names[1].removeprefix("2 "))
    expect(page.locator("#side-note")).to_contain_text("Use it for")
    page.keyboard.press("0")
    expect(page.locator("#axis-symptom [data-chosen]")).to_have_text("The report does not say")


def test_a_number_counts_for_the_axis_it_was_typed_in(open_round_page: OpenRound) -> None:
    page = open_round_page()
    take_next(page)
    names = [name.strip() for name in page.locator("#axis-symptom .choice[data-code] label").all_text_contents()]
    for key in "s2r":
        page.keyboard.press(key)
    assert chosen(page, "symptom") == names[1].removeprefix("2 ")
    page.keyboard.type("0")
    saved(page)
    # What was typed earlier does not come back to undo it.
    assert chosen(page, "root_cause") == "The report does not say"


def test_a_vote_takes_no_scripts(open_round_page: OpenRound) -> None:
    page = open_round_page(java_script_enabled=False, width=NARROW)
    take_next(page)
    page.get_by_role("radio", name="Bug", exact=True).check()
    for name in ("symptom", "root_cause", "fix_pattern", "stage", "component", "theme"):
        page.locator(f"#axis-{name}").get_by_label("The report does not say").check()
    page.get_by_text("Quote a passage").click()
    page.get_by_label("Words of the title or the text").fill("It hangs in forward & never ends")
    page.get_by_role("button", name="Attach it").click()
    expect(page.locator("#quotation-help")).to_contain_text("is not in the title or the text")
    page.get_by_label("Words of the title or the text").fill("It hangs in forward")
    page.get_by_role("button", name="Attach it").click()
    expect(page.locator("#passages li")).to_have_count(1)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert")).to_contain_text("Say how sure you are.")
    page.get_by_label("Fairly sure").check()
    page.get_by_role("button", name="Submit").click()
    expect(page.locator(".receipt")).to_contain_text(Vote.objects.get().receipt)
    assert Evidence.objects.get().quote == "It **hangs** in [forward"


def test_selected_words_become_evidence_for_the_open_axis(open_round_page: OpenRound) -> None:
    page = open_round_page()
    take_next(page)
    page.keyboard.press("s")
    page.evaluate(
        """() => {
            const lines = document.querySelectorAll('#frozen-text pre [data-at]');
            const [from, to] = [lines[2].firstChild, lines[3].firstChild];
            getSelection().setBaseAndExtent(from, from.data.indexOf('took'), to, to.data.length);
        }"""
    )
    page.get_by_role("button", name="Attach as evidence: Symptom").click()
    expect(page.locator("#passages")).to_contain_text("for Symptom")
    saved(page)
    (found,) = Draft.objects.get().content["evidence"]
    words = Item.objects.get(position=1).snapshot.content["body"][found["start"] : found["end"]]
    assert words == "took 2 ms 😀\r\n[rank3]: all_reduce took 3 ms 😀"
    page.locator("#text-words").fill("never ends")
    page.locator("#text-words").press("Control+Enter")
    expect(page.locator("#passages li")).to_have_count(2)
    expect(page.locator("#passages")).to_contain_text("never ends")


def test_a_broken_rule_shows_at_once_and_wants_a_reason(open_round_page: OpenRound) -> None:
    page = open_round_page()
    take_next(page)
    page.keyboard.press("i")
    page.keyboard.press("3")
    reason = page.get_by_label("A question does not hang.")
    expect(reason).to_be_hidden()
    page.locator("#symptom-hang").check()
    expect(reason).to_be_visible()
    reason.fill("They ask why it hangs.")
    saved(page)
    page.locator("#symptom-hang").uncheck()
    expect(reason).to_be_hidden()


def test_keys_can_be_switched_off(open_round_page: OpenRound) -> None:
    page = open_round_page()
    take_next(page)
    page.keyboard.press("?")
    page.get_by_label("Single keys act").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("i")
    page.keyboard.press("1")
    assert chosen(page, "issue_type") == ""
    page.reload()
    expect(page.get_by_label("Single keys act")).not_to_be_checked()


def test_pages_of_work_are_clean(open_round_page: OpenRound) -> None:
    page = open_round_page(color_scheme="light", reduced_motion="reduce")
    found = seen_here(page, "next")
    take_next(page)
    found += seen_here(page, "label")
    page.keyboard.press("s")
    page.keyboard.type("2")
    page.locator("#text-words").fill("hangs")
    page.locator("#text-words").press("Control+Enter")
    saved(page)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert")).to_be_visible()
    found += seen_here(page, "filled in, with faults", is_variant=True)
    for path in ("mine/", "rounds/1/label/guide"):
        page.goto(f"/labeling/hangs/{path}")
        found += seen_here(page, path)
    assert not found, "\n".join(found)


def seen_here(page: Page, name: str, *, is_variant: bool = False) -> list[str]:
    """What is wrong with the page as it stands, in both widths and themes."""
    found = all_faults_of(page, name, is_variant=is_variant)
    page.set_viewport_size({"width": WIDE, "height": 900})
    return found
