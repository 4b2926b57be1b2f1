"""The whole way in real browsers: from a question to a release, five sessions, over the pages only.

What single pages do is tested next to this file; here only that each step leads to the next one.
"""

import hashlib
import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from config.celery import app
from kb.models import Issue
from labeling.models import Vote
from labeling.rights import Right
from labeling.services.oversight import give_rights
from tests.e2e.axe import RULES, faults_of
from tests.e2e.conftest import OpenPage
from tests.e2e.labeling import mirror_all
from tests.e2e.test_labeling_setup import log_in
from tests.kb.web.people import make_user
from tests.labeling.factories import LEADS_RIGHTS

pytestmark = pytest.mark.e2e

HERE = "/labeling/why-runs-hang/"
DISPUTED = f"{HERE}rounds/2/issues/1/disagreement/"


@dataclass(frozen=True)
class Sessions:
    """Everybody's own browser."""

    lead: Page
    ben: Page
    cleo: Page
    judge: Page
    curator: Page


def found_project(page: Page) -> None:
    """Start a project with two questions."""
    page.get_by_label("Name", exact=True).fill("Why runs hang")
    page.get_by_label("Question").fill("What is behind a hang?")
    page.get_by_label("Issue type:").check()
    page.get_by_label("Symptom:").check()
    page.get_by_role("button", name="Start the project").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Why runs hang")


def link_for(lead: Page, role: str, people: int) -> str:
    """The link of an invitation for so many people with this role."""
    lead.goto(f"{HERE}people/")
    lead.get_by_role("link", name="Invite").first.click()
    lead.get_by_label("Annotator", exact=True).set_checked(role == "Annotator")
    lead.get_by_label(role, exact=True).check()
    lead.get_by_label("Number of people").fill(str(people))
    lead.get_by_role("button", name="Make the link").click()
    return lead.locator("#new-link").inner_text()


def join(open_page: OpenPage, link: str, name: str) -> Page:
    """Somebody with an account follows the link."""
    make_user(name)
    page = open_page(link)
    page.get_by_role("main").get_by_role("link", name="Log in").click()
    log_in(page, name)
    page.get_by_role("button", name=f"Join as {name}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Why runs hang")
    return page


def gather(open_page: OpenPage) -> Sessions:
    """Found the project and let everybody join."""
    give_rights(user=make_user("ada"), rights=LEADS_RIGHTS)
    lead = open_page("/labeling/new/", reduced_motion="reduce")
    log_in(lead, "ada")
    found_project(lead)
    link = link_for(lead, "Annotator", 2)
    ben, cleo = (join(open_page, link, name) for name in ("ben", "cleo"))
    judge = join(open_page, link_for(lead, "Adjudicator", 1), "dora")
    give_rights(user=make_user("eve"), rights=[Right.OVERSEE])
    curator = open_page("/labeling/oversight/", reduced_motion="reduce")
    log_in(curator, "eve")
    return Sessions(lead, ben, cleo, judge, curator)


def prepare_round(lead: Page, kind: str, urls: list[str], gate: Mapping[str, str] | None = None) -> None:
    """Prepare a round of two votes an issue, settled by a third person, over these issues."""
    lead.goto(f"{HERE}rounds/")
    lead.get_by_role("link", name="Prepare a round").click()
    lead.get_by_label(f"{kind}.").check()
    lead.get_by_label("Name", exact=True).fill(kind)
    lead.get_by_label("Votes on every issue").fill("2")
    lead.get_by_label("A third expert settles.").check()
    if gate:
        lead.get_by_text("Gate: an earlier round").click()
        lead.get_by_label("Round that must come first").select_option(label=gate["round"])
        lead.get_by_label("Agreement measure").select_option(label=gate["measure"])
        lead.get_by_label("Minimum").fill(gate["at least"])
    lead.get_by_role("button", name="Continue to its issues").click()
    lead.get_by_label("Addresses").fill("\n".join(urls))
    lead.get_by_role("button", name="Take these issues").click()
    expect(lead.get_by_role("heading", level=1)).to_have_text(kind)


def open_round(lead: Page, number: int) -> None:
    """Open a prepared round."""
    lead.goto(f"{HERE}rounds/{number}/")
    lead.get_by_role("button", name="Open for votes").click()
    expect(lead.get_by_role("status").filter(has_text="is open")).to_be_visible()


def label_all(page: Page, number: int, symptoms: list[str]) -> None:
    """Label every issue of a round, in whichever order: a bug each, with the symptom of its place in the sample."""
    page.goto(f"{HERE}mine/")
    page.get_by_role("link", name="Pilot" if number == 1 else "Main", exact=True).click()
    before = page.url
    page.get_by_role("button", name="Take the next issue").click()
    for _ in symptoms:
        expect(page).not_to_have_url(before)
        expect(page).to_have_url(re.compile(rf"{HERE}rounds/{number}/issues/\d+/label$"))
        page.wait_for_load_state()
        before = page.url
        symptom = symptoms[int(before.split("/")[-2]) - 1]
        # One question is open at a time; its letter leads to it.
        page.keyboard.press("i")
        page.get_by_role("radio", name="Bug", exact=True).check()
        page.keyboard.press("s")
        page.get_by_role("checkbox", name=symptom, exact=True).check()
        page.keyboard.press("c")
        page.get_by_role("radio", name="Fairly sure").check()
        page.get_by_role("button", name="Submit").click()
        expect(page.locator(".receipt")).to_be_visible()
    expect(page.get_by_text("You have labelled everything there is for you here.")).to_be_visible()


def close_round(lead: Page, number: int) -> None:
    """Close a round that has all its votes."""
    lead.goto(f"{HERE}rounds/{number}/")
    lead.get_by_role("link", name="Close the round").click()
    expect(lead.get_by_text("Every issue has all its votes.")).to_be_visible()
    lead.get_by_role("button", name="Close the round").click()
    expect(lead.locator(".round-state")).to_have_text("Closed")


def percent(page: Page, number: int, question: str) -> Locator:
    """The percent agreement on a question, as the agreement page tells it in short."""
    page.goto(f"{HERE}results/")
    page.get_by_role("link", name="Pilot" if number == 1 else "Main", exact=True).click()
    row = page.get_by_role("region", name="All questions in short").get_by_role("row").filter(has_text=question)
    return row.get_by_role("cell").first


def discuss(who: Sessions) -> None:
    """Ben says why; Cleo says what she thinks now."""
    who.ben.goto(f"{HERE}disagreements/")
    who.ben.get_by_role("link", name="Main", exact=True).click()
    queue = who.ben.get_by_role("list", name="Issues in conflict")
    expect(queue.get_by_role("link")).to_have_count(1)
    queue.get_by_role("link").click()
    who.ben.get_by_label("Your post").fill("The job **never** ended.")
    who.ben.get_by_role("button", name="Post").click()
    expect(who.ben.locator(".post strong")).to_have_text("never")
    who.cleo.goto(DISPUTED)
    who.cleo.get_by_text("Give another answer").click()
    who.cleo.locator("details.revise").get_by_role("checkbox", name="Hang", exact=True).check()
    who.cleo.get_by_role("button", name="Save my answer").click()
    expect(who.cleo.locator(".card-revised")).to_contain_text("Now (revised): Hang")


def adjudicate(judge: Page) -> None:
    """Give a first opinion, see the votes, decide."""
    judge.goto(f"{HERE}disagreements/")
    judge.get_by_role("link", name="a desk of your own").click()
    judge.get_by_role("main").locator(".line-title").click()
    expect(judge.get_by_role("main")).not_to_contain_text("never ended")
    judge.get_by_role("region", name="Issue type").get_by_role("radio", name="Bug", exact=True).check()
    judge.locator("#axis-symptom").get_by_role("checkbox", name="Hang", exact=True).check()
    judge.get_by_role("button", name="Save my opinions").click()
    expect(judge.locator(".posts")).to_contain_text("never ended")
    judge.locator("#axis-symptom").get_by_role("checkbox", name="Hang", exact=True).check()
    judge.get_by_label("Somebody slipped").check()
    judge.get_by_label("Reason for the decision").fill("All ranks waited.")
    judge.get_by_role("button", name="Decide").click()
    expect(judge.locator(".decision")).to_contain_text("Decided: Hang")


def accept_unanimous(lead: Page) -> None:
    """Accept at once what nobody disputes: two questions on three issues but one."""
    lead.goto(f"{HERE}rounds/2/disagreements/")
    lead.get_by_role("link", name="Accept at once").click()
    expect(lead.get_by_text("This decides 5 answers")).to_be_visible()
    lead.get_by_role("button", name="Accept unanimous votes").click()
    expect(lead.get_by_role("status")).to_contain_text("5 answers were accepted")


def publish(lead: Page, curator: Page) -> None:
    """Ask for what the main round decided to be published, which a curator accepts; the pilot stays undecided."""
    lead.goto(f"{HERE}results/")
    lead.get_by_role("link", name="Publishing").click()
    lead.get_by_role("button", name="Ask for publication").click()
    expect(lead.get_by_role("status").filter(has_text="Asked.")).to_be_visible()
    clean(lead)
    curator.goto("/labeling/oversight/")
    curator.get_by_role("link", name="Why runs hang").first.click()
    expect(curator.get_by_role("table")).to_contain_text("Hang")
    clean(curator)
    curator.get_by_role("button", name="Accept and publish").click()
    expect(curator.get_by_role("status").filter(has_text="Accepted")).to_be_visible()


def released(lead: Page) -> tuple[bytes, str]:
    """Make a release and download it: the archive, and the hash that the page tells."""
    lead.goto(f"{HERE}releases/")
    lead.get_by_label("Authors").fill("Lovelace, Ada")
    lead.get_by_role("button", name="Make the release").click()
    expect(lead.locator(".job-state")).to_have_text("Done")
    lead.get_by_role("link", name="Back").click()
    lead.get_by_role("link", name="Release 1: Why runs hang").click()
    with lead.expect_download() as download:
        lead.get_by_role("link", name="Download").click()
    return Path(download.value.path()).read_bytes(), lead.locator(".hash code").inner_text()


def wrong_sums(archive: bytes) -> list[str]:
    """Files of a release that are not what SHA256SUMS says, or that it does not name."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        files = {name: opened.read(name) for name in opened.namelist()}
    lines = files.pop("SHA256SUMS").decode().splitlines()
    told = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    return sorted(name for name in told.keys() | files if _sum(files.get(name, b"")) != told.get(name))


def _sum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def clean(page: Page) -> None:
    """Assert that axe finds nothing in either theme."""
    assert [fault for theme in RULES for fault in faults_of(page, theme)] == [], page.url


@pytest.fixture
def _jobs_at_once() -> Iterator[None]:
    """Tasks are done when they are sent, in the server's own thread."""
    before = app.conf.task_always_eager
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = before


@pytest.mark.usefixtures("_jobs_at_once")
def test_from_a_question_to_a_release(open_page: OpenPage) -> None:
    issues = list(Issue.objects.true_issues().order_by("pk")[:5])
    urls = [issue.url for issue in issues]
    mirror_all()
    who = gather(open_page)

    prepare_round(who.lead, "Pilot", urls[:2])
    open_round(who.lead, 1)
    gate = {"round": "Round 1: Pilot", "measure": "Percent agreement", "at least": "0.9"}
    prepare_round(who.lead, "Main", urls[2:], gate)
    for page in (who.ben, who.cleo):
        label_all(page, 1, ["Hang", "Crash"])
    who.lead.goto(f"{HERE}rounds/2/")
    expect(who.lead.get_by_text("This round cannot be opened yet.")).to_be_visible()
    close_round(who.lead, 1)
    expect(percent(who.lead, 1, "Symptom")).to_contain_text("1.000")
    clean(who.lead)

    open_round(who.lead, 2)
    label_all(who.ben, 2, ["Hang", "Hang", "Crash"])
    label_all(who.cleo, 2, ["Crash", "Hang", "Crash"])
    close_round(who.lead, 2)
    discuss(who)
    adjudicate(who.judge)
    accept_unanimous(who.lead)
    expect(percent(who.lead, 2, "Symptom")).to_contain_text("0.667")
    assert Vote.objects.count() == 10

    publish(who.lead, who.curator)
    who.lead.goto(issues[2].get_absolute_url())
    who.lead.get_by_text("How this is known").click()
    known = who.lead.get_by_role("region", name="How it became known")
    expect(known).to_contain_text("2 people voted")
    expect(known).to_contain_text("All ranks waited.")
    clean(who.lead)
    archive, told = released(who.lead)
    assert _sum(archive) == told
    assert wrong_sums(archive) == []
    clean(who.lead)
