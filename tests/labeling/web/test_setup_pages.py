"""Every page by which a project is set up: who may open it, that nothing inline is in it, and what it costs."""

import datetime as dt
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from labeling.models import CrossRule, Member, Project, ProjectNode, Role, Round
from labeling.services.codebooks import write_guideline
from labeling.services.cross_rules import add_rule
from labeling.services.people import invite, leave
from labeling.services.rounds import close_round, fill_round
from tests.kb.web.reading import read
from tests.labeling.factories import cast, make_member, make_project, make_round
from tests.support.factories import make_issue

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("search_in_postgres")]
BrowserOf = Callable[[Member], Client]

ALL, LEAD = frozenset(Role), frozenset({Role.LEAD})
# Name, what comes after the project, and who may open it.
PAGES: list[tuple[str, tuple[int, ...], frozenset[Role]]] = [
    ("project", (), ALL),
    ("settings", (), LEAD),
    ("people", (), ALL),
    ("invite", (), LEAD),
    ("me", (), ALL),
    ("leave", (), ALL),
    ("guidelines", (), ALL),
    ("guideline", (1,), ALL),
    ("guideline-history", (), ALL),
    ("guideline-changes", (2,), ALL),
    ("write-guidelines", (), LEAD),
    ("codebook", (), ALL),
    ("codebook-version", (1,), ALL),
    ("codebook-history", (), ALL),
    ("rules", (), ALL),
    ("rounds", (), ALL),
    ("new-round", (), LEAD),
    ("round", (1,), ALL),
    ("round", (2,), ALL),
    ("round", (3,), LEAD),
    ("edit-round", (3,), LEAD),
    ("sample", (3,), LEAD),
    ("sample-issues", (1,), ALL),
    ("close-round", (2,), LEAD),
]


def make_busy_project() -> Member:
    """A project with everything in it: people, guidelines, a rule, and a round in each state."""
    lead = make_project()
    people = [make_member(lead.project) for _ in range(2)]
    leave(member=make_member(lead.project, Role.OBSERVER))
    invite(lead=lead, roles=[Role.OBSERVER])
    write_guideline(lead=lead, text="# Read\n\nThe thread.")
    write_guideline(lead=lead, text="# Read\n\nThe fix.", change="The fix counts.")
    nodes = {node.code: node for node in ProjectNode.objects.filter(axis__project=lead.project)}
    add_rule(
        lead=lead, when=nodes["hang"], kind=CrossRule.Kind.REQUIRES, others=[nodes["bug"]], reason="A hang is a bug."
    )
    closed = make_round(lead)
    for member in people:
        cast(member, closed)
    close_round(lead=lead, round_=closed)
    cast(people[0], make_round(lead, issues=2))
    make_round(lead, is_open=False)
    return lead


def address(project: Project, name: str, *rest: int) -> str:
    return reverse(f"labeling:{name}", args=[project.slug, *rest])


@pytest.mark.parametrize("role", Role)
def test_a_page_opens_to_those_it_is_for(browser_of: BrowserOf, role: Role) -> None:
    lead = make_busy_project()
    browser = browser_of(make_member(lead.project, role))
    for name, rest, roles in PAGES:
        response = browser.get(address(lead.project, name, *rest))
        assert (response.status_code == 200) is (role in roles), (name, response.status_code)
        if response.status_code == 200:
            page = read(response)
            assert not page.inline, name
            assert response.content.decode().count("<h1") == 1, name


def test_pages_about_one_person_are_for_leads(browser_of: BrowserOf) -> None:
    lead = make_busy_project()
    annotator = make_member(lead.project)
    for name in ("roles", "remove"):
        path = address(lead.project, name, annotator.pk)
        assert browser_of(lead).get(path).status_code == 200
        assert browser_of(annotator).get(path).status_code == 403
        assert browser_of(lead).get(address(make_project().project, name, annotator.pk)).status_code == 404


def test_another_projects_people_and_rounds_are_not_there(browser_of: BrowserOf) -> None:
    lead, other = make_project(), make_busy_project()
    browser = browser_of(lead)
    invitation, _ = invite(lead=other, roles=[Role.LEAD])
    for name, rest in (
        ("roles", other.pk), ("remove", other.pk), ("hide-name", other.pk), ("revoke", invitation.pk),
        ("open-round", 3), ("close-round", 2), ("discard-round", 3), ("votes-wanted", 2), ("deadline", 2),
        ("draw-sample", 3), ("list-sample", 3), ("remove-sample", 3), ("screened-sample", 3),
        ("retire-rule", CrossRule.objects.get().pk),
    ):  # fmt: skip
        assert browser.post(address(lead.project, name, rest)).status_code == 404, name
        assert browser.post(address(other.project, name, rest)).status_code == 404, name


@pytest.mark.parametrize("name", ["project", "rounds", "people", "guideline-history", "codebook-history"])
def test_lists_cost_the_same_however_long(
    browser_of: BrowserOf, django_assert_max_num_queries: DjangoAssertNumQueries, name: str
) -> None:
    lead = make_busy_project()
    browser = browser_of(lead)
    path = address(lead.project, name)
    browser.get(path)
    with django_assert_max_num_queries(27) as few:
        browser.get(path)
    for number in range(6):
        make_member(lead.project)
        invite(lead=lead, roles=[Role.OBSERVER])
        make_round(lead, votes_wanted=1, deadline=dt.date(2020, 1, 1))
        write_guideline(lead=lead, text=f"Version {number}", change="More.")
    with django_assert_max_num_queries(len(few.captured_queries)):
        browser.get(path)


def test_a_rounds_pages_cost_the_same_however_large(
    browser_of: BrowserOf, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    lead = make_busy_project()
    browser = browser_of(lead)
    draft = Round.objects.get(number=3)
    for name in ("round", "sample-issues"):
        path = address(lead.project, name, 3)
        browser.get(path)
        fill_round(lead=lead, round_=draft, urls=[make_issue(title="It hangs").url], sample={"kind": "urls"})
        with django_assert_max_num_queries(23) as few:
            browser.get(path)
        fill_round(
            lead=lead,
            round_=draft,
            urls=[make_issue(title="It hangs").url for _ in range(120)],
            sample={"kind": "urls"},
        )
        # The second page of a list counts once more.
        with django_assert_max_num_queries(len(few.captured_queries)):
            browser.get(path)
