"""What programs look for at fixed addresses."""

import datetime as dt

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

pytestmark = pytest.mark.django_db


def test_crawlers_are_told_what_to_leave_alone(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        response = client.get("/robots.txt")
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    lines = response.content.decode().splitlines()
    assert lines[0] == "User-agent: *"
    assert {"Disallow: /account/", "Disallow: /admin/", "Disallow: /issues/?"} <= set(lines)
    assert "Disallow: /" not in lines


def test_a_weakness_can_be_told_to_the_contact(client: Client, settings: Settings) -> None:
    settings.CONTACT_EMAIL, settings.SITE_URL = "lead@example.org", "https://faults.example.org"
    response = client.get("/.well-known/security.txt")
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in response.content.decode().splitlines())
    assert fields["Contact"] == "mailto:lead@example.org"
    assert fields["Canonical"] == "https://faults.example.org/.well-known/security.txt"
    expires = dt.datetime.fromisoformat(fields["Expires"])
    assert timezone.now() < expires < timezone.now() + dt.timedelta(days=365)


def test_without_a_contact_there_is_no_such_page(client: Client) -> None:
    assert client.get("/.well-known/security.txt").status_code == 404
