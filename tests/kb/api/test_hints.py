"""Hints through the API: all of them in pages, by axis, and one category's."""

import pytest
from django.test import Client

from kb.codebook.hints import hints

pytestmark = pytest.mark.django_db
LIST = "/api/v1/hints/"


def test_all_are_listed_and_an_axis_chooses(client: Client) -> None:
    assert client.get(LIST).json()["count"] == len(hints().rows())
    rows = client.get(f"{LIST}?axis=symptom&page_size=100").json()["results"]
    assert [row["code"] for row in rows] == list(hints().symptoms)


def test_a_cause_is_told_in_full(client: Client) -> None:
    row = client.get(f"{LIST}root_cause/collective-mismatch/").json()
    cause = hints().causes["collective-mismatch"]
    assert (row["test"], row["log"]) == (cause.test, cause.log)
    assert row["reproduce"] == cause.reproduce.model_dump()
    assert (row["records"], row["playbooks"]) == (list(cause.records), list(cause.faults))
    assert row["page"].endswith("/codebook/house/root_cause/collective-mismatch#hints")


def test_a_symptom_says_only_how_it_is_shown(client: Client) -> None:
    row = client.get(f"{LIST}symptom/hang/").json()
    assert row["reproduce"]["processes"] == 2
    assert (row["test"], row["log"], row["fix_patterns"]) == (None, None, [])


@pytest.mark.parametrize("path", ["symptom/nothing/", "stage/hang/"])
def test_what_has_no_hints_is_not_found(client: Client, path: str) -> None:
    assert client.get(LIST + path).status_code == 404


def test_an_axis_without_hints_is_refused_in_words(client: Client) -> None:
    answer = client.get(f"{LIST}?axis=theme")
    assert answer.status_code == 400
    assert "Choose one of: root_cause, symptom." in answer.content.decode()
