"""The list of one's projects and the home of one: what there is to do next, by role."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from labeling.models import Member, Role
from labeling.services.codebooks import write_guideline
from labeling.services.people import invite, join
from labeling.services.projects import archive_project
from tests.kb.web.reading import read
from tests.labeling.factories import cast, make_member, make_open_round, make_project, make_round, make_user

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]


def home(browser_of: BrowserOf, member: Member) -> str:
    return read(browser_of(member).get(reverse("labeling:project", args=[member.project.slug]))).words


def test_a_new_project_tells_its_lead_where_to_begin(browser_of: BrowserOf) -> None:
    lead = make_project()
    shown = home(browser_of, lead)
    for step in ("Write the guidelines", "Invite annotators", "Prepare a pilot"):
        assert step in shown
    write_guideline(lead=lead, text="Read the thread.")
    make_member(lead.project)
    make_round(lead, is_open=False)
    shown = home(browser_of, lead)
    for step in ("Write the guidelines", "Invite annotators", "Prepare a pilot"):
        assert step not in shown
    assert "1 round is prepared and not open yet" in shown


def test_an_annotator_is_led_to_their_rounds(browser_of: BrowserOf) -> None:
    round_, (first, second) = make_open_round()
    assert "Main is open for your votes" in home(browser_of, first)
    cast(first, round_)
    shown = home(browser_of, first)
    assert "Nothing waits for you" in shown
    assert "Write the guidelines" not in shown
    assert "Main is open for your votes" in home(browser_of, second)


def test_an_observer_has_nothing_to_do(browser_of: BrowserOf) -> None:
    round_, _ = make_open_round()
    observer = make_member(round_.project, Role.OBSERVER)
    assert "Nothing waits for you" in home(browser_of, observer)


def test_the_newest_guidelines_say_what_is_new(browser_of: BrowserOf) -> None:
    lead = make_project()
    write_guideline(lead=lead, text="One.")
    write_guideline(lead=lead, text="Two.", change="Tests count as well.")
    assert "Tests count as well." in home(browser_of, make_member(lead.project))


def test_an_archived_project_asks_for_nothing(browser_of: BrowserOf) -> None:
    lead = make_project()
    make_round(lead, is_open=False)
    archive_project(lead=lead)
    assert "everything can be read, nothing new begins" in home(browser_of, lead)


def test_the_list_tells_in_a_line_what_waits_and_costs_the_same_however_long(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    user = make_user("ada")
    client.force_login(user)

    def another() -> Member:
        lead = make_project(question="Why?")
        make_member(lead.project)
        make_round(lead, votes_wanted=1)
        _, token = invite(lead=lead, roles=[Role.ANNOTATOR, Role.ADJUDICATOR])
        return join(user=user, token=token)

    another()
    path = reverse("labeling:projects")
    words = read(client.get(path)).words
    assert "Your roles: annotator, adjudicator" in words
    assert "1 round to label" in words
    with django_assert_max_num_queries(12) as few:
        client.get(path)
    for _ in range(5):
        another()
    with django_assert_max_num_queries(len(few.captured_queries)):
        client.get(path)


def test_strangers_find_no_list(client: Client) -> None:
    assert client.get(reverse("labeling:projects"))["Location"].startswith("/account/login/")
    assert client.get(reverse("labeling:new-project"))["Location"].startswith("/account/login/")


def test_who_is_in_no_project_is_told_how_to_get_into_one(client: Client) -> None:
    client.force_login(make_user())
    words = read(client.get(reverse("labeling:projects"))).words
    assert "open the invitation link that its lead sent you" in words
    assert "To start a project of your own, ask this site's staff" in words
