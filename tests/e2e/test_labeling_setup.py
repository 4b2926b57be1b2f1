"""Setting a project up in a real browser: found, invite, join elsewhere, draw and open a round; axe finds nothing."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from labeling.models import Round
from labeling.services.oversight import give_rights
from tests.e2e.axe import RULES, faults_of
from tests.e2e.conftest import NARROW, WIDE, OpenPage
from tests.e2e.labeling import mirror_all
from tests.kb.web.people import PASSWORD, make_user
from tests.labeling.factories import LEADS_RIGHTS

pytestmark = pytest.mark.e2e

HERE = "/labeling/hangs-in-training/"
PAGES = (
    "", "settings/", "people/", "people/invite/", "people/me/", "people/leave/", "guidelines/", "guidelines/write/",
    "codebook/", "codebook/history/", "codebook/rules/", "rounds/", "rounds/new/", "rounds/1/", "rounds/1/edit/",
    "rounds/1/sample/?search=hang&kind=random&size=5&seed=one&fresh=on", "rounds/1/sample/issues/",
)  # fmt: skip


def log_in(page: Page, name: str) -> None:
    """Fill in the log-in form that the page shows."""
    page.get_by_label("User name or e-mail").fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()


def found_project(page: Page) -> None:
    """Start a project by the form."""
    page.get_by_label("Name", exact=True).fill("Hangs in training")
    page.get_by_label("Question").fill("Why do runs hang?")
    page.get_by_label("Issue type:").check()
    page.get_by_label("Symptom:").check()
    page.get_by_role("button", name="Start the project").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hangs in training")


def invited(page: Page) -> str:
    """Make an invitation for two annotators and read its link, which is shown once."""
    page.goto(f"{HERE}people/invite/")
    page.get_by_label("Number of people").fill("2")
    page.get_by_role("button", name="Make the link").click()
    link = page.locator("#new-link").inner_text()
    page.reload()
    expect(page.locator("#new-link")).to_have_count(0)
    return link


def drawn(page: Page) -> None:
    """Prepare a pilot and draw its issues from a search."""
    mirror_all()
    page.goto(f"{HERE}rounds/new/")
    page.get_by_label("Name", exact=True).fill("Pilot 1")
    page.get_by_role("button", name="Continue to its issues").click()
    page.get_by_role("textbox", name="Search").last.fill("hang")
    page.get_by_label("How many issues").fill("5")
    page.get_by_role("button", name="How many match?").click()
    expect(page.get_by_text("match.")).to_be_visible()
    page.get_by_role("button", name="Draw the sample").click()
    expect(page.get_by_text("drawn at random")).to_be_visible()


@pytest.mark.parametrize(("scripts", "width"), [(True, WIDE), (False, NARROW)], ids=["with scripts", "without, narrow"])
def test_from_a_question_to_an_open_pilot(open_page: OpenPage, scripts: bool, width: int) -> None:
    give_rights(user=make_user("ada"), rights=LEADS_RIGHTS)
    lead = open_page("/labeling/new/", java_script_enabled=scripts, width=width)
    log_in(lead, "ada")
    found_project(lead)
    link = invited(lead)
    for name in ("ben", "cleo"):
        make_user(name)
        guest = open_page(link, java_script_enabled=scripts, width=width)
        expect(guest.get_by_text("Why do runs hang?")).to_be_visible()
        guest.get_by_role("main").get_by_role("link", name="Log in").click()
        log_in(guest, name)
        guest.get_by_role("button", name=f"Join as {name}").click()
        expect(guest.get_by_role("heading", level=1)).to_have_text("Hangs in training")
    drawn(lead)
    lead.get_by_role("button", name="Open for votes").click()
    expect(lead.get_by_role("status").filter(has_text="is open")).to_be_visible()
    assert Round.objects.get().state == "open"


def test_axe_finds_nothing(open_page: OpenPage) -> None:
    give_rights(user=make_user("ada"), rights=LEADS_RIGHTS)
    page = open_page("/labeling/new/", reduced_motion="reduce")
    log_in(page, "ada")
    found = in_both_themes(page)
    found_project(page)
    drawn(page)
    for path in (*(f"{HERE}{path}" for path in PAGES), "/labeling/"):
        page.goto(path)
        found += in_both_themes(page)
    assert not found, "\n".join(found)
    assert User.objects.count() == 1


def in_both_themes(page: Page) -> list[str]:
    return [f"{page.url}, {theme}: {fault}" for theme in RULES for fault in faults_of(page, theme)]
