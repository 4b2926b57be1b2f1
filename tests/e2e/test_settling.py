"""A disagreement in real browsers: from the conflict over the discussion to the decision, each in their own session."""

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from labeling.models import Decision, Member, Revision, Round
from tests.e2e.axe import all_faults_of
from tests.e2e.conftest import WIDE, OpenPage
from tests.e2e.test_accounts import tab_to
from tests.kb.web.people import PASSWORD
from tests.labeling.test_proposals import Team
from tests.labeling.test_settling import Conflict, bytes_of_votes

pytestmark = pytest.mark.e2e


@pytest.fixture
def site(live_server: LiveServer) -> str:
    """A served site without records: what is seen here is made here."""
    return str(live_server.url)


def enter(open_page: OpenPage, member: Member, path: str, **options: object) -> Page:
    """The page in a session of the member's own."""
    member.user.set_password(PASSWORD)
    member.user.save()
    page = open_page("/account/login/", color_scheme="light", reduced_motion="reduce", **options)
    page.get_by_label("User name or e-mail").fill(member.user.username)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_role("heading", name="Log in")).to_have_count(0)
    page.goto(path)
    return page


def faults(page: Page, name: str) -> list[str]:
    """What is wrong with the page as it stands, wide and narrow, in both themes."""
    found = all_faults_of(page, name)
    page.set_viewport_size({"width": WIDE, "height": 900})
    return found


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_from_conflict_to_decision(open_page: OpenPage, site: str, scripts: bool) -> None:
    conflict = Conflict(rule=Round.Rule.THIRD_EXPERT)
    before = bytes_of_votes()
    home = f"/labeling/{conflict.round.project.slug}/"
    options = {"java_script_enabled": scripts}

    lead = enter(open_page, conflict.lead, f"{home}rounds/1/disagreements/accept/", **options)
    expect(lead.get_by_text("This decides 1 answer")).to_be_visible()
    lead.get_by_role("button", name="Accept unanimous votes").click()
    expect(lead.get_by_role("status")).to_contain_text("1 answer was accepted")

    first = enter(open_page, conflict.first, f"{home}rounds/1/disagreements/", **options)
    first.get_by_role("link", name="It hangs 0").click()
    first.get_by_label("Your post").fill("It **hung overnight**.")
    first.get_by_role("button", name="Post").click()
    expect(first.locator(".post strong")).to_have_text("hung overnight")

    second = enter(open_page, conflict.second, first.url, **options)
    second.locator("#axis-symptom").get_by_text("Give another answer").click()
    second.locator("#axis-symptom details.revise").get_by_label("Hang", exact=True).check()
    second.get_by_role("button", name="Save my answer").click()
    expect(second.locator(".card-revised")).to_contain_text("Now (revised): Hang")
    expect(second.locator(".pairs")).to_contain_text("After discussion: 1 of 1")

    judge = enter(open_page, conflict.adjudicator, f"{home}adjudication/", **options)
    judge.get_by_role("link", name="It hangs 0").click()
    expect(judge.get_by_role("main")).not_to_contain_text("Nobody has said")
    expect(judge.get_by_role("main")).not_to_contain_text("hung overnight")
    judge.get_by_role("checkbox", name="Crash", exact=True).check()
    judge.get_by_role("button", name="Save my opinion").click()
    expect(judge.locator(".card-who").first).to_contain_text("Coder")
    expect(judge.get_by_role("main")).not_to_contain_text(conflict.first.user.username)
    judge.get_by_label("Hang", exact=True).check()
    judge.get_by_label("The guidelines have a gap").check()
    judge.get_by_label("Reason for the decision").fill("The process never ended.")
    judge.get_by_role("button", name="Decide").click()
    expect(judge.locator(".decision")).to_contain_text("Decided: Hang")

    first.reload()
    expect(first.locator(".decision")).to_contain_text("The process never ended.")
    expect(first.locator(".opinions")).to_contain_text("Crash")
    assert Decision.objects.filter(how="adjudication").count() == 1
    assert bytes_of_votes() == before


def test_an_adjudicator_needs_no_mouse(open_page: OpenPage, site: str) -> None:
    conflict = Conflict(rule=Round.Rule.THIRD_EXPERT)
    page = enter(open_page, conflict.adjudicator, f"/labeling/{conflict.round.project.slug}/adjudication/")
    tab_to(page, ".line-title")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/disagreement/$"))
    for axis in ("issue_type", "symptom"):
        tab_to(page, f"[name={axis}-opinion-is_undecidable]", most=120)
        page.keyboard.press("Space")
    tab_to(page, "main button[type=submit]", most=10)
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("recorded")
    # The first opinion is carried over.
    tab_to(page, "[name=symptom-decide-cause]", most=160)
    page.keyboard.press("Space")
    tab_to(page, "[name=symptom-decide-reason]")
    page.keyboard.type("Nobody can know.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".decision")).to_contain_text("The report does not say")


def test_what_is_typed_stays_while_another_form_is_sent(open_page: OpenPage, site: str) -> None:
    conflict = Conflict()
    address = f"/labeling/{conflict.round.project.slug}/rounds/1/issues/1/disagreement/"
    page = enter(open_page, conflict.first, address)
    page.get_by_label("Your post").fill("Half a thought")
    page.get_by_text("Give another answer").click()
    page.locator("details.revise").get_by_label("Hang", exact=True).check()
    page.get_by_role("button", name="Save my answer").click()
    expect(page.locator(".card-revised")).to_be_visible()
    expect(page.get_by_label("Your post")).to_have_value("Half a thought")
    page.context.set_offline(True)
    page.get_by_role("button", name="Post").click()
    expect(page.get_by_label("Your post")).to_have_count(0)
    page.context.set_offline(False)
    page.goto(address)
    expect(page.get_by_label("Your post")).to_have_value("Half a thought")
    page.get_by_role("button", name="Post").click()
    expect(page.locator(".post")).to_contain_text("Half a thought")
    expect(page.get_by_label("Your post")).to_have_value("")


def test_one_key_takes_anothers_answer_and_one_stays(open_page: OpenPage, site: str) -> None:
    conflict = Conflict(rule=Round.Rule.DISCUSSION)
    address = f"/labeling/{conflict.round.project.slug}/rounds/1/issues/1/disagreement/"
    second = enter(open_page, conflict.second, address)
    second.get_by_label("Your post").press("a")
    expect(second.get_by_label("Your post")).to_have_value("a")
    second.get_by_label("Your post").blur()
    second.keyboard.press("a")
    expect(second.locator(".card-revised")).to_contain_text("Now (took A's answer): Hang")
    first = enter(open_page, conflict.first, address)
    first.keyboard.press("s")
    expect(first.get_by_text("Everybody has taken part.")).to_be_visible()
    assert list(Revision.objects.order_by("pk").values_list("kind", flat=True)) == ["take", "stay"]


def test_pages_are_clean(open_page: OpenPage, site: str) -> None:
    conflict = Conflict(rule=Round.Rule.DISCUSSION)
    team = Team()
    proposal = team.propose()
    home = f"/labeling/{conflict.round.project.slug}/"
    found: list[str] = []
    first = enter(open_page, conflict.first, f"{home}rounds/1/issues/1/disagreement/")
    first.get_by_text("Give another answer").click()
    found += faults(first, "disagreement")
    for path in ("disagreements/", "rounds/1/disagreements/", "rounds/1/disagreements/effects/"):
        first.goto(home + path)
        found += faults(first, path)
    lead = enter(open_page, conflict.lead, f"{home}rounds/1/disagreements/accept/")
    found += faults(lead, "accept")
    lead.goto(f"{home}rounds/1/disagreements/")
    lead.get_by_text("Deadline, or end the discussions").click()
    found += faults(lead, "ending discussions")
    judge = enter(open_page, conflict.adjudicator, f"{home}rounds/1/issues/1/disagreement/")
    found += faults(judge, "first opinion")
    judge.goto(f"{home}adjudication/")
    found += faults(judge, "desk")
    author = enter(open_page, team.first, f"/labeling/{team.round.project.slug}/proposals/{proposal.pk}/")
    found += faults(author, "draft")
    author.get_by_role("button", name="Open for votes").click()
    found += faults(author, "ballot")
    for path in ("", "new/", "new/?kind=merge&axis=symptom", "new/?kind=split&axis=symptom&node=hang"):
        author.goto(f"/labeling/{team.round.project.slug}/proposals/{path}")
        found += faults(author, f"proposals/{path}")
    assert not found, "\n".join(found)
