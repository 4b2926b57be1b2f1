"""The labeling page in a real browser: by keyboard alone, without scripts, in two tabs, with a connection that goes."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from kb.models import Axis
from labeling.models import CrossRule, Draft, Evidence, Item, ProjectNode, Role, Round, Vote
from labeling.services.codebooks import adopt_axes, write_guideline
from labeling.services.people import found_project, invite, join
from labeling.services.rounds import fill_round, open_round, prepare_round
from tests.e2e.axe import RULES, faults_of
from tests.e2e.conftest import NARROW, WIDE, OpenPage
from tests.factories import make_issue
from tests.web.people import PASSWORD, make_user

pytestmark = pytest.mark.e2e
OpenRound = Callable[..., Page]

LOG = "\r\n".join(f"[rank{rank}]: all_reduce took {rank} ms 😀" for rank in range(20))
BODY = (
    "### What happens\r\n\r\nIt **hangs** in [forward](https://example.org/f) &amp; never ends.\r\n\r\n"
    f"```\r\n{LOG}\r\n```\r\n\r\n- torch 2.5\r\n- 2 nodes\r\n"
)
OTHER_AXES = "rftch"


@pytest.fixture
def round_(site: str) -> Round:
    """An open round of three issues by the house codebook, for one annotator: ada."""
    lead = found_project(user=make_user("lena"), slug="hangs", name="Hangs", question="Why does it hang?")
    adopt_axes(lead=lead, axes=list(Axis.objects.filter(scheme__slug="house")))
    write_guideline(lead=lead, text="Label what the **report** says.")
    question = ProjectNode.objects.get(axis__project=lead.project, axis__code="issue_type", code="question")
    hang = ProjectNode.objects.get(axis__project=lead.project, axis__code="symptom", code="hang")
    rule = CrossRule.objects.create(
        project=lead.project, when=question, kind="excludes", reason="A question does not hang."
    )
    rule.others.add(hang)
    _, token = invite(lead=lead, roles=[Role.ANNOTATOR], is_senior=False)
    join(user=make_user("ada"), token=token)
    made = prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main", votes_wanted=1)
    urls = [make_issue(title=f"Training hangs {number}", body=BODY).url for number in range(3)]
    fill_round(lead=lead, round_=made, urls=urls, sample={"kind": "urls"})
    return open_round(lead=lead, round_=made)


@pytest.fixture
def open_round_page(open_page: OpenPage, round_: Round) -> OpenRound:
    """Log ada in and open the round."""

    def opened(**options: object) -> Page:
        page = open_page("/account/login/", **options)
        log_in(page)
        page.goto("/labeling/hangs/rounds/1/label/")
        return page

    return opened


def log_in(page: Page) -> None:
    """Fill in the log-in form."""
    page.get_by_label("User name or e-mail").fill("ada")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your account")


def take_next(page: Page) -> None:
    """Take the next issue."""
    page.get_by_role("button", name="Take the next issue").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Training hangs")
    page.wait_for_load_state()


def chosen(page: Page, axis: str) -> str:
    """What stands in an axis's head."""
    return page.locator(f"#axis-{axis} [data-chosen]").inner_text()


def saved(page: Page) -> None:
    """Wait until the draft is on the server."""
    expect(page.locator("#save-state")).to_have_text(re.compile("^Saved"))


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
    tab_to(page, ".receipt button")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Training hangs 0")
    assert chosen(page, "issue_type") == "Bug"
    assert not Vote.objects.exists()


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
    expect(page.locator("#axis-symptom [data-chosen]")).to_have_text("The report does not tell")


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


def test_a_vote_takes_no_scripts(open_round_page: OpenRound) -> None:
    page = open_round_page(java_script_enabled=False, width=NARROW)
    take_next(page)
    page.get_by_role("radio", name="Bug", exact=True).check()
    for name in ("symptom", "root_cause", "fix_pattern", "stage", "component", "theme"):
        page.locator(f"#axis-{name}").get_by_label("The report does not tell").check()
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
    page.locator("#axis-symptom > summary").click()
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
    found += seen_here(page, "filled in")
    saved(page)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert")).to_be_visible()
    found += seen_here(page, "faults")
    for path in ("mine/", "rounds/1/label/guide", "rounds/1/issues/3/label"):
        page.goto(f"/labeling/hangs/{path}")
        found += seen_here(page, path)
    assert not found, "\n".join(found)


def seen_here(page: Page, name: str) -> list[str]:
    """What is wrong with the page as it stands, in both widths and themes."""
    found: list[str] = []
    for width in (WIDE, NARROW):
        page.set_viewport_size({"width": width, "height": 900})
        for theme in RULES:
            found += [f"{name}, {width}, {theme}: {fault}" for fault in faults_of(page, theme)]
        wide = page.evaluate("document.documentElement.scrollWidth")
        found += [f"{name}: {wide} px wide on a screen of {width} px"] if wide > width else []
    page.set_viewport_size({"width": WIDE, "height": 900})
    return found
