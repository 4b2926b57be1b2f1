"""Claims beside our numbers: on their study's page, on the page of all studies, as CSV, in few statements."""

import csv
import re
from io import StringIO

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.core.quality.figures import figure
from kb.models import Study
from tests.kb.web.claim_files import ALL, STUDY, claim_files
from tests.support.factories import make_issue, make_label, make_node, make_study

__all__ = ["claim_files"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("claim_files")]
PAGE = "/studies/claims"
# The first reader has everything counted; what is asked afterwards is remembered.
MOST_COLD, MOST_WARM = 12, 4


@pytest.fixture
def study() -> Study:
    """A study beside 40 described issues that hang and 20 that crash."""
    hang, crash = make_node("hang", position=0), make_node("crash", position=1)
    for number in range(60):
        make_label(make_issue(summary="It stops."), hang if number < 40 else crash)
    return make_study(STUDY, code="P9", title="A study of stalls")


def words(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def rows(client: Client, query: str = "") -> dict[str, dict[str, str]]:
    content = client.get(f"{PAGE}.csv{query}").content.decode()
    return {row["claim"]: row for row in csv.DictReader(StringIO(content))}


@pytest.mark.usefixtures("study")
class TestVerdicts:
    @pytest.mark.parametrize(
        ("claim", "ours", "verdict"),
        [
            ("hangs", "67 % (54–77 %)", "differs"),
            ("never-crash", "33 % (23–46 %)", "differs"),
            ("more-hangs", "2.0 to 1 (1.2 to 3.4 to 1)", "too few"),
            ("top", "the first 1 and the next, of 60", "holds"),
            ("watch", "", "cannot be asked"),
            ("told", "none of ours answers", "no verdict"),
        ],
    )
    def test_each_kind_of_claim_has_our_number_and_a_verdict(
        self, client: Client, claim: str, ours: str, verdict: str
    ) -> None:
        row = rows(client)[claim]
        assert (row["ours"], row["verdict"]) == (ours, verdict)

    def test_an_evaluation_is_our_measured_figure(self, client: Client) -> None:
        row, measured = rows(client)["f1"], figure(of="diagnosis", name="f1")
        assert (float(row["ours_value"]), int(row["ours_of"])) == (measured.value, measured.n)
        assert row["verdict"] == "holds"

    def test_a_number_leads_to_exactly_its_issues(self, client: Client) -> None:
        (claim, *_) = client.get(f"/studies/{STUDY}").context["claims"]
        for part in claim.ours.parts:
            assert client.get(f"/api/v1/issues/?{part.query}").json()["count"] == part.issues
            assert f'href="/issues/?{part.query.replace("&", "&amp;")}"' in words(client, f"/studies/{STUDY}")


@pytest.mark.usefixtures("study")
class TestStudyPage:
    def test_shows_the_claim_what_was_printed_ours_the_verdict_and_why(self, client: Client) -> None:
        html = words(client, f"/studies/{STUDY}")
        for text in (
            "Half of the reports hang.", "Table 1", "50 %", "67 % (54–77 %)", "Ours lies between 54 and 77 %: 50 % is",
            "Why ours may differ", 'id="claim-hangs"', 'href="/playbooks/">Playbooks</a>', "It is advice",
            "no number printed",
        ):  # fmt: skip
            assert text in html

    def test_a_study_without_claims_has_no_such_section(self, client: Client) -> None:
        make_study("p8", code="P8")
        assert "What it found, and what we see" not in words(client, "/studies/p8")


@pytest.mark.usefixtures("study")
class TestAll:
    def test_counts_verdicts_and_lists_every_claim_once(self, client: Client) -> None:
        html = words(client, PAGE)
        assert "7 claims" in html
        assert re.search(r"<strong>2</strong> differs", html)
        assert len(set(re.findall(r'id="p9-([\w-]+)"', html))) == len(ALL)

    def test_study_and_verdict_choose(self, client: Client) -> None:
        assert rows(client, "?verdict=cannot-be-asked").keys() == {"watch"}
        assert len(rows(client, f"?study={STUDY}")) == len(ALL)
        assert rows(client, f"?verdict=holds&study={STUDY}").keys() == {"top", "f1"}

    @pytest.mark.parametrize("query", ["study=nothing", "verdict=maybe", "verdict=holds&verdict=differs"])
    def test_what_is_not_known_is_refused(self, client: Client, query: str) -> None:
        assert client.get(f"{PAGE}?{query}").status_code == 400

    def test_asks_little(self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
        for most in (MOST_COLD, MOST_WARM):
            with django_assert_max_num_queries(most):
                client.get(PAGE)


def test_nothing_is_loaded(client: Client) -> None:
    assert "No claim fits." in words(client, PAGE)
