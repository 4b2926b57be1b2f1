"""The circumstances of a fault as readers meet them: on the issue's page, as filters, in the API, as a chart."""

from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from kb.charts.catalogue import BY_SLUG
from kb.charts.drawings import draw
from kb.charts.evidence import gather
from kb.models import Issue, Node
from tests.kb.web.reading import visit
from tests.support.factories import make_issue, make_label, make_node

pytestmark = pytest.mark.django_db


def described(number: int, **facts: Any) -> Issue:
    issue = make_issue(number, heading="Ranks wait for ever", summary="A run on two nodes stalls.", **facts)
    make_label(issue, Node.objects.filter(code="hang").first() or make_node("hang"))
    return issue


class TestPage:
    def test_says_in_one_line_what_is_known_each_a_link_to_its_like(self, client: Client) -> None:
        issue = described(1, found_by="ci", told_by="log-and-more")
        page = visit(client, issue.get_absolute_url())
        assert "Circumstances Found by tests or CI , Told by its log and more" in " ".join(page.text.split())
        assert page.links["/issues/?told_by=log-and-more"].strip() == "Told by its log and more"

    def test_says_nothing_where_nothing_is_known(self, client: Client) -> None:
        assert "Circumstances" not in visit(client, described(1).get_absolute_url()).text


def test_each_is_a_filter(client: Client) -> None:
    described(1, reach="across")
    described(2, reach="one")
    described(3)
    found = client.get("/api/v1/issues/", {"reach": "across"}).json()["results"]
    assert [issue["ref"] for issue in found] == ["1"]


def test_the_api_has_null_for_what_is_not_known(client: Client) -> None:
    described(1, found_by="user", fix_tested_by="by-hand")
    (issue,) = client.get("/api/v1/issues/").json()["results"]
    assert issue["circumstances"] == {
        "found_by": "user",
        "reproduced_with": None,
        "fix_tested_by": "by-hand",
        "told_by": None,
        "reach": None,
    }


class TestChart:
    @pytest.fixture
    def records(self) -> list[dict[str, Any]]:
        for number in range(4):
            described(number, found_by="user", told_by="log")
        for number in range(4, 10):
            described(number, found_by="user", told_by="not-log")
        described(10, found_by="ci")
        described(11)
        return list(draw(BY_SLUG["circumstances"], gather(QueryDict()), {}).records)

    def test_each_fact_has_a_number_of_its_own(self, records: list[dict[str, Any]]) -> None:
        told = [(record["fact"], record["word"], record["issues"], record["all_issues"]) for record in records]
        assert told == [
            ("found_by", "user", 10, 11),
            ("found_by", "ci", 1, 11),
            ("told_by", "log", 4, 10),
            ("told_by", "not-log", 6, 10),
        ]

    def test_each_mark_asks_for_the_issues_behind_it(self, records: list[dict[str, Any]]) -> None:
        assert [record["query"] for record in records][-1] == "told_by=not-log"

    @pytest.mark.usefixtures("records")
    def test_says_of_how_many_anything_is_known(self) -> None:
        drawn = draw(BY_SLUG["circumstances"], gather(QueryDict()), {})
        assert (drawn.counted.issues, drawn.counted.all_issues) == (11, 12)
        assert drawn.sentence.startswith("The log alone tells the cause of 4 of 10 issues, 40 %")
        assert drawn.notes[0].startswith("Known of 11 issues, each fact of so many: Who found it? 11.")

    def test_is_empty_where_nothing_is_known(self) -> None:
        described(1)
        assert draw(BY_SLUG["circumstances"], gather(QueryDict()), {}).is_empty
