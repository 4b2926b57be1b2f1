"""A whole report in, issues with a calibrated probability out; refusals in words."""

import json
from typing import Any

import pytest
from django.test import Client

from kb.models import Issue
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/search/similar/"
LINE = "RuntimeError: fused_moe_kernel: block_shape 128 does not divide intermediate_size 576"
TITLE = "DeepSeek-R1 does not load with tensor parallelism over 32 GPUs"


def ask(client: Client, status: int = 200, **report: Any) -> Any:
    answer = client.post(ADDRESS, report, content_type="application/json")
    assert answer.status_code == status, answer.content
    assert answer["Cache-Control"] == "no-store"
    return answer.json()


@pytest.fixture
def known(search_index: PutIssuesIn) -> Issue:
    """A report among others that share some of its words."""
    known = make_issue(1, title=TITLE, body=f"The server stops.\n\n{LINE}")
    for number in range(2, 12):
        make_issue(number, title=f"DeepSeek-R1 is slow in release {number}", body="The server answers late.")
    search_index()
    return known


class TestMatches:
    def test_the_same_fault_comes_first_with_its_probability_and_why(self, client: Client, known: Issue) -> None:
        found = ask(client, title=TITLE, body=f"Since today.\n\n{LINE}", framework="deepspeed")
        first, *others = found["matches"]
        assert first["url"] == known.url
        assert first["same_fault"] > 0.7
        assert first["same_kind"] >= first["same_fault"]
        assert first["line"] == LINE
        assert first["reasons"][0] == "same error line, of no other"
        assert all(other["same_fault"] < 0.5 for other in others)

    @pytest.mark.usefixtures("known")
    def test_nothing_is_offered_where_nothing_is_near(self, client: Client) -> None:
        assert ask(client, title="The documentation has a broken picture", framework="deepspeed")["matches"] == []

    @pytest.mark.usefixtures("known")
    def test_within_no_known_framework_less_is_certain(self, client: Client) -> None:
        named, unnamed = (
            ask(client, title=TITLE, body=LINE, framework=framework)["matches"][0]["same_fault"]
            for framework in ("deepspeed", "")
        )
        assert unnamed < named

    def test_a_form_that_many_filled_in_makes_no_match(self, client: Client, search_index: PutIssuesIn) -> None:
        form = "\n\n".join(f"Please give detailed information about item {number} of the form." for number in range(9))
        for number in range(1, 9):
            make_issue(number, title="[User] Insert summary of your issue", body=form)
        search_index()
        found = ask(client, title="[User] Insert summary of your issue", body=form, framework="deepspeed")
        assert found["matches"] == []

    def test_a_report_is_no_match_of_itself(self, client: Client, known: Issue) -> None:
        found = ask(client, title=TITLE, body=LINE, framework="deepspeed", url=known.url)
        assert known.url not in [match["url"] for match in found["matches"]]

    def test_while_the_index_is_not_ready_no_probability_is_known(self, client: Client) -> None:
        make_issue(1, title=TITLE)
        found = ask(client, title=TITLE, framework="deepspeed")
        assert [match["same_fault"] for match in found["matches"]] == [None]
        assert "The search index is not ready" in found["not_known"][0]


class TestRefusals:
    @pytest.mark.parametrize(
        ("report", "says"),
        [
            ({}, "neither a title nor a text"),
            ({"title": " "}, "neither a title nor a text"),
            ({"titel": "hang"}, "titel"),
            ({"title": 7}, "title"),
            ({"title": "hang", "framework": "deepsped"}, "/api/v1/frameworks/"),
        ],
    )
    def test_say_what_to_send_instead(self, client: Client, report: Any, says: str) -> None:
        make_issue(1)
        assert says in ask(client, 400, **report)["detail"]

    def test_name_the_limits(self, client: Client) -> None:
        assert "256 kB" in ask(client, 413, title="hang", body="x" * 262_145)["detail"]
        assert "256 kB" in ask(client, 413, title="hang", body="x" * 1_100_000)["detail"]
        assert ask(client, 413, title="hang", setup="x" * 65_537)

    @pytest.mark.usefixtures("known")
    def test_a_report_of_the_largest_size_is_taken(self, client: Client) -> None:
        assert ask(client, title=TITLE, body=("It hangs. " * 26_214)[:262_144])

    @pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
    def test_only_json_is_taken(self, client: Client, kind: str) -> None:
        assert client.post(ADDRESS, json.dumps({"title": "hang"}), content_type=kind).status_code == 415

    def test_parameters_of_the_address_are_refused(self, client: Client) -> None:
        assert (
            client.post(f"{ADDRESS}?title=hang", {"title": "hang"}, content_type="application/json").status_code == 400
        )
