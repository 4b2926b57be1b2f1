"""A study with questions and items of its own, from nothing to a release, in real browsers, wide and narrow.

Each annotator casts the first vote on the page; the other votes are cast through the service that the page calls, since
398 of them would take minutes (BROWSER_VOTES=200 casts all of them on the page). What is released is then measured
again by the libraries that others would use.
"""

import csv
import io
import json
import os
import zipfile
from importlib import import_module
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from playwright.sync_api import FilePayload, Page, expect

from labeling.ballots import Ballot, Choice
from labeling.models import Item, Member, OwnItem, Round, Vote
from labeling.rights import Right
from labeling.services.assignment import next_slot
from labeling.services.oversight import give_rights
from labeling.services.voting import submit
from tests.e2e.conftest import NARROW, WIDE, OpenPage
from tests.e2e.test_labeling_journey import _jobs_at_once, clean  # noqa: F401 a fixture
from tests.e2e.test_labeling_setup import log_in
from tests.kb.web.people import make_user

pytestmark = pytest.mark.e2e

HERE = "/labeling/why-texts-fail/"
ITEMS, DISPUTED = 200, 5
BY_BROWSER = int(os.environ.get("BROWSER_VOTES", "1"))
KINDS, STEPS = ("hang", "crash", "slow"), ("mild", "bad", "fatal")
QUESTIONS = (
    ("Fault", "One answer", "Hang: no progress\nCrash: it ends\nSlow: it crawls"),
    ("Harm", "A step on a scale", "Mild\nBad\nFatal"),
    ("Lesson", "Free text", ""),
)


def found_project(page: Page) -> None:
    """Start a project with three questions of its own: one answer, a scale and a text."""
    page.get_by_label("Name", exact=True).fill("Why texts fail")
    page.get_by_label("Question", exact=True).fill("What do our texts tell?")
    for place, (name, kind, answers) in enumerate(QUESTIONS):
        if place:
            page.get_by_role("button", name="Another question").click()
        field = f"#id_question-{place}"
        page.locator(f"{field}-name").fill(name)
        page.locator(f"{field}-kind").select_option(label=kind)
        page.locator(f"{field}-answers").fill(answers)
    page.get_by_role("button", name="Start the project").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Why texts fail")


def upload_items(page: Page) -> None:
    """Upload 200 items and a row that is none, look at what the file would give, and take the good ones in."""
    rows = "".join(f'{number},"Text {number}","It fails, {number} times."\n' for number in range(1, ITEMS + 1))
    page.goto(f"{HERE}items/")
    clean(page)
    file = FilePayload(name="texts.csv", mimeType="text/csv", buffer=f"id,title,text\n{rows}201,,\n".encode())
    page.get_by_label("CSV or JSON lines").set_input_files(file)
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("region", name="Rejected rows")).to_contain_text("Line 202: It has neither title nor text.")
    clean(page)
    page.get_by_label("Leave the rejected rows out").check()
    page.get_by_role("button", name="Take 200 items in").click()
    expect(page.get_by_role("status").filter(has_text="200 new items are in.")).to_be_visible()
    clean(page)


def join(open_page: OpenPage, lead: Page, role: str, name: str, width: int) -> Page:
    """Somebody follows the link of an invitation with this role."""
    lead.goto(f"{HERE}people/")
    lead.get_by_role("link", name="Invite").first.click()
    lead.get_by_label("Annotator", exact=True).set_checked(role == "Annotator")
    lead.get_by_label(role, exact=True).check()
    lead.get_by_role("button", name="Make the link").click()
    make_user(name)
    page = open_page(lead.locator("#new-link").inner_text(), width=width, reduced_motion="reduce")
    page.get_by_role("main").get_by_role("link", name="Log in").click()
    log_in(page, name)
    page.get_by_role("button", name=f"Join as {name}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Why texts fail")
    return page


def open_round(lead: Page) -> None:
    """Prepare a round over all items, settled by a third person, and open it."""
    lead.goto(f"{HERE}rounds/")
    lead.get_by_role("link", name="Prepare a round").click()
    lead.get_by_label("Main.").check()
    lead.get_by_label("Name", exact=True).fill("Main")
    lead.get_by_label("Votes on every issue").fill("2")
    lead.get_by_label("A third expert settles.").check()
    lead.get_by_role("button", name="Continue to its issues").click()
    clean(lead)
    lead.get_by_role("button", name="Take own items").click()
    expect(lead.get_by_role("status").filter(has_text="200 own items")).to_be_visible()
    lead.get_by_role("button", name="Open for votes").click()
    expect(lead.get_by_role("status").filter(has_text="is open")).to_be_visible()


def answers(number: int, *, by_second: bool) -> dict[str, str]:
    """What an annotator says of an item: the second differs on every fifth fault and every seventh harm."""
    fault, harm = number % 3, number // 3 % 3
    if by_second:
        fault, harm = (fault + (number % 5 == 0)) % 3, min(2, harm + (number % 7 == 0))
    return {"fault": KINDS[fault], "harm": STEPS[harm], "lesson": f"Look at {number}."}


def label_one(page: Page, *, by_second: bool, is_first: bool) -> None:
    """Vote on the page of the next item: the first is asked for, and looked at by axe; each vote leads to another."""
    if is_first:
        page.goto(f"{HERE}rounds/1/label/")
        page.get_by_role("button", name="Take the next issue").click()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("Text ")
    expect(page.get_by_role("link", name="The original")).to_have_count(0)
    page.wait_for_load_state()
    if is_first:
        clean(page)
    number = int(heading.inner_text().split()[-1])
    given = answers(number, by_second=by_second)
    page.keyboard.press("f")
    page.get_by_role("radio", name=given["fault"].title(), exact=True).check()
    page.keyboard.press("h")
    page.get_by_role("radio", name=given["harm"].title(), exact=True).check()
    page.keyboard.press("l")
    page.locator("[name=text-lesson]").fill(given["lesson"])
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    page.get_by_role("radio", name="Fairly sure").check()
    page.get_by_role("button", name="Submit").click()
    expect(page.locator(".receipt")).to_contain_text(f"Your vote on {number} is recorded")


def label_rest(name: str, *, by_second: bool) -> None:
    """Vote on everything that is left, through the services."""
    member = Member.objects.get(user__username=name)
    round_ = Round.objects.get(project=member.project)
    while slot := next_slot(member=member, round_=round_):
        item = Item.objects.select_related("round", "own").get(pk=slot.item_id)
        given = answers(int(item.subject.short_name), by_second=by_second)
        choices = {"fault": Choice((given["fault"],)), "harm": Choice((given["harm"],))}
        ballot = Ballot(choices | {"lesson": Choice(text=given["lesson"])}, confidence=2)
        submit(member=member, item=item, ballot=ballot)


def settle(lead: Page, judge: Page) -> None:
    """Close the round, accept what is unanimous, and adjudicate one item."""
    lead.goto(f"{HERE}rounds/1/close/")
    lead.get_by_role("button", name="Close the round").click()
    expect(lead.locator(".round-state")).to_have_text("Closed")
    lead.goto(f"{HERE}rounds/1/disagreements/")
    lead.get_by_role("link", name="Accept at once").click()
    lead.get_by_role("button", name="Accept unanimous votes").click()
    expect(lead.get_by_role("status")).to_contain_text("answers were accepted")
    judge.goto(f"{HERE}rounds/1/issues/{DISPUTED}/disagreement/")
    judge.locator("#axis-fault").get_by_role("radio", name="Crash", exact=True).check()
    judge.get_by_role("button", name="Save my opinion").click()
    judge.locator("#axis-fault").get_by_role("radio", name="Crash", exact=True).check()
    judge.get_by_label("Somebody slipped").check()
    judge.get_by_label("Reason for the decision").fill("It ended.")
    judge.get_by_role("button", name="Decide").click()
    expect(judge.get_by_role("status").filter(has_text="Fault of 5 is decided.")).to_be_visible()


def released(lead: Page) -> dict[str, bytes]:
    """Make a release and download it: its files."""
    lead.goto(f"{HERE}releases/")
    lead.get_by_label("Authors").fill("Lovelace, Ada")
    lead.get_by_role("button", name="Make the release").click()
    expect(lead.locator(".job-state")).to_have_text("Done")
    lead.get_by_role("link", name="Back").click()
    lead.get_by_role("link", name="Release 1: Why texts fail").click()
    with lead.expect_download() as download:
        lead.get_by_role("link", name="Download").click()
    with zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def matrix(
    votes: list[dict[str, str]], axis: str, codes: tuple[str, ...]
) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    """Annotators × items: the places of their answers among the codes."""
    rows = [row for row in votes if row["axis"] == axis]
    items = sorted({row["issue"] for row in rows})
    given = {(row["annotator"], row["issue"]): codes.index(row["nodes"]) for row in rows}
    return np.array([[given[person, item] for item in items] for person in sorted({row["annotator"] for row in rows})])


def check_agreement(files: dict[str, bytes]) -> None:
    """The released coefficients are those that the libraries make of the released votes, to six decimals."""
    votes = list(csv.DictReader(io.StringIO(files["votes/votes.csv"].decode(), newline="")))
    told: dict[tuple[str, str], float] = {}
    for round_ in json.loads(files["agreement/agreement.json"]):
        for axis, coefficients in round_["axes"].items():
            told |= {(axis, each["key"]): each["value"] for each in coefficients}
    fault, harm = matrix(votes, "fault", KINDS), matrix(votes, "harm", STEPS)
    assert fault.shape == harm.shape == (2, ITEMS)
    raters, metrics = import_module("statsmodels.stats.inter_rater"), import_module("sklearn.metrics")
    counts = {axis: raters.aggregate_raters(cells.T)[0] for axis, cells in (("fault", fault), ("harm", harm))}
    theirs = {
        ("fault", "alpha_nominal"): krippendorff.alpha(reliability_data=fault, level_of_measurement="nominal"),
        ("harm", "alpha_ordinal"): krippendorff.alpha(reliability_data=harm, level_of_measurement="ordinal"),
        ("fault", "fleiss"): raters.fleiss_kappa(counts["fault"]),
        ("fault", "cohen_mean"): metrics.cohen_kappa_score(*fault),
        ("harm", "cohen_quadratic_mean"): metrics.cohen_kappa_score(*harm, weights="quadratic"),
    }
    assert {key: told[key] for key in theirs} == pytest.approx(theirs, abs=1e-6)


@pytest.mark.usefixtures("open_round_page", "_jobs_at_once")
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_study_of_own_items_from_nothing_to_a_release(open_page: OpenPage, width: int) -> None:
    give_rights(user=make_user("lin"), rights=[Right.FOUND])
    lead = open_page("/labeling/new/", width=width, reduced_motion="reduce")
    log_in(lead, "lin")
    found_project(lead)
    upload_items(lead)
    people = {name: join(open_page, lead, "Annotator", name, width) for name in ("ben", "cleo")}
    judge = join(open_page, lead, "Adjudicator", "dora", width)
    open_round(lead)
    for name, page in people.items():
        for turn in range(BY_BROWSER):
            label_one(page, by_second=name == "cleo", is_first=turn == 0)
        label_rest(name, by_second=name == "cleo")
    assert (OwnItem.objects.count(), Vote.objects.count()) == (ITEMS, 2 * ITEMS)
    settle(lead, judge)
    files = released(lead)
    assert b"item:5,fault,crash" in files["data/labels.csv"]
    assert not [name for name, content in files.items() if b"It fails" in content]
    check_agreement(files)
