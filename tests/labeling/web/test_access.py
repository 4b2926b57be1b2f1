"""The door of a project's pages."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from labeling.models import Member
from labeling.services.people import leave
from tests.labeling.factories import make_member, make_open_round, make_project, take

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]


def test_strangers_are_asked_to_log_in(client: Client) -> None:
    lead = make_project()
    response = client.get(reverse("labeling:project", args=[lead.project.slug]))
    assert response.status_code == 302
    assert response["Location"].startswith(reverse("account_login"))


def test_members_come_in_and_nobody_keeps_a_copy(browser_of: BrowserOf) -> None:
    lead = make_project()
    response = browser_of(lead).get(reverse("labeling:project", args=[lead.project.slug]))
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]


def test_others_do_not_learn_that_the_project_is_there(browser_of: BrowserOf) -> None:
    lead, other = make_project(), make_project()
    assert browser_of(other).get(reverse("labeling:project", args=[lead.project.slug])).status_code == 404


def test_who_left_is_outside(browser_of: BrowserOf) -> None:
    lead = make_project()
    member = make_member(lead.project)
    leave(member=member)
    assert browser_of(member).get(reverse("labeling:project", args=[lead.project.slug])).status_code == 404


def test_what_the_database_cannot_keep_is_refused_with_the_reason(browser_of: BrowserOf) -> None:
    round_, (first, _) = make_open_round()
    item = take(first, round_).item
    address = reverse("labeling:pass", args=[round_.project.slug, round_.number, item.position])
    response = browser_of(first).post(address, {"reason": "Too\x00long."})
    assert (response.status_code, "NUL character" in response.content.decode()) == (400, True)
