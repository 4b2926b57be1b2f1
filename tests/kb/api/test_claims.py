"""Claims through the API: listed, chosen, told one by one, each number with the address of its issues."""

import pytest
from django.test import Client

from kb.models import Study
from tests.kb.web.claim_files import ALL, STUDY, claim_files
from tests.support.factories import make_issue, make_label, make_node, make_study

__all__ = ["claim_files"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("claim_files")]
LIST = "/api/v1/claims/"


@pytest.fixture(autouse=True)
def study() -> Study:
    """A study beside 30 described issues that hang."""
    hang = make_node("hang")
    make_node("crash")
    for _ in range(30):
        make_label(make_issue(summary="It stops."), hang)
    return make_study(STUDY, code="P9", title="A study of stalls")


def slugs(client: Client, query: str) -> set[str]:
    return {row["slug"] for row in client.get(f"{LIST}?{query}").json()["results"]}


def test_all_are_listed_in_their_order(client: Client) -> None:
    answer = client.get(LIST).json()
    assert answer["count"] == len(ALL)
    assert [row["slug"] for row in answer["results"]] == [claim["slug"] for claim in ALL]


def test_study_kind_and_verdict_choose(client: Client) -> None:
    assert slugs(client, "kind=recommendation") == {"watch"}
    assert slugs(client, "verdict=holds&kind=accuracy") == {"f1"}
    make_study("p8", code="P8")
    assert slugs(client, "study=p8") == set()


def test_one_is_told_with_the_issues_behind_each_number(client: Client) -> None:
    row = client.get(f"{LIST}{STUDY}/hangs/").json()
    assert (row["verdict"], row["ours"]["value"], row["ours"]["of"]) == ("differs", 1.0, 30)
    assert row["published"]["percent"] == 50
    assert row["measure"] == {"kind": "share", "base": "curated=true", "part": "symptom=hang"}
    assert row["ours"]["counts"][0]["issues_url"].endswith("/issues/?curated=true&symptom=hang")
    assert row["page"].endswith(f"/studies/{STUDY}#claim-hangs")
    assert row["served_by"][0]["page"].endswith("/playbooks/")


def test_a_ratio_without_an_upper_end_has_none(client: Client) -> None:
    ours = client.get(f"{LIST}{STUDY}/more-hangs/").json()["ours"]
    assert (ours["value"], ours["high"]) == (None, None)
    assert ours["low"] > 2


def test_what_cannot_be_asked_says_why(client: Client) -> None:
    row = client.get(f"{LIST}{STUDY}/watch/").json()
    assert (row["ours"], row["measure"], row["published"]) == (None, None, None)
    assert row["sentence"] == "It is advice: nothing of it can be counted."


@pytest.mark.parametrize("query", ["study=nothing", "kind=gossip", "verdict=maybe", "colour=red", "page=0"])
def test_what_is_not_known_is_refused_in_words(client: Client, query: str) -> None:
    answer = client.get(f"{LIST}?{query}")
    assert answer.status_code == 400
    assert answer.json()["errors"]


def test_an_unknown_claim_is_not_found(client: Client) -> None:
    assert client.get(f"{LIST}{STUDY}/nothing/").status_code == 404
    assert client.get(f"{LIST}nothing/hangs/").status_code == 404


def test_the_study_tells_how_many_and_where(client: Client) -> None:
    row = client.get(f"/api/v1/studies/{STUDY}/").json()
    assert row["claims"] == len(ALL)
    assert client.get(row["claims_url"]).json()["count"] == len(ALL)
