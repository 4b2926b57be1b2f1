"""Signals through the API: listed in pages, by words, stack and family, and each by its code."""

import pytest
from django.test import Client

from kb.core.diagnosis.signals.catalogue import catalogue

pytestmark = pytest.mark.django_db
LIST = "/api/v1/signals/"


def codes(client: Client, query: str) -> list[str]:
    return [row["code"] for row in client.get(f"{LIST}?{query}").json()["results"]]


def test_all_are_listed_page_by_page(client: Client) -> None:
    seen: list[str] = []
    address: str | None = f"{LIST}?page_size=100&fields=code"
    while address:
        page = client.get(address).json()
        seen += [row["code"] for row in page["results"]]
        address = page["next"]
    assert seen == [signal.code for signal in catalogue().signals]
    assert page["count"] == len(seen)


def test_words_stack_and_family_choose(client: Client) -> None:
    assert "xid-off-the-bus" in codes(client, "q=fallen+off+the+bus")
    assert set(codes(client, "family=gpu-xid&page_size=100")) == {
        signal.code for signal in catalogue().signals if signal.family == "gpu-xid"
    }
    assert codes(client, "stack=serving&q=xid+79") == []


def test_one_is_told_in_full(client: Client) -> None:
    row = client.get(f"{LIST}xid-off-the-bus/").json()
    signal = catalogue().by_code["xid-off-the-bus"]
    assert (row["means"], row["causes"], row["source"]) == (signal.means, list(signal.causes), signal.source)
    assert row["check"][0] == "Take the node out of the pool and reboot it."
    assert client.get(row["page"]).status_code == 200


@pytest.mark.parametrize("query", ["stack=kitchen", "family=nobody", "page=0", "colour=red", "q=" + "x" * 201])
def test_what_is_not_known_is_refused_in_words(client: Client, query: str) -> None:
    answer = client.get(f"{LIST}?{query}")
    assert answer.status_code == 400
    assert answer.json()["errors"]


def test_an_unknown_code_and_a_page_beyond_the_last_are_not_found(client: Client) -> None:
    assert client.get(f"{LIST}nothing-of-the-kind/").status_code == 404
    assert client.get(f"{LIST}?page=999").status_code == 404
