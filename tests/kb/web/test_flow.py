"""The flow from symptom to fix: what is drawn together, what is not known, and where clicks lead."""

import random

import pytest
from django.http import QueryDict
from django.test import Client

from kb.charts.chart import Drawn, choices
from kb.charts.evidence import gather
from kb.charts.flow import EVERYTHING, KEPT, REST, FlowChart
from kb.models import Node
from tests.kb.web import worlds
from tests.kb.web.test_charts import found_by, page, records_of, words
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_axis, make_issue, make_label, make_node

pytestmark = pytest.mark.django_db
CHART = FlowChart()


def drawn(filters: str = "", **chosen: str) -> Drawn:
    return CHART.draw(gather(QueryDict(filters)), choices(CHART, chosen))


def label(*nodes: Node) -> None:
    issue = make_issue()
    for node in nodes:
        make_label(issue, node)


@pytest.fixture
def many_symptoms() -> list[Node]:
    """More symptoms than are told apart, each in as many issues as its place says, all from one cause."""
    cause = make_node("race", axis=make_axis("root_cause"))
    symptoms = [make_node(f"s{i}") for i in range(KEPT + 3)]
    for i, symptom in enumerate(symptoms):
        for _ in range(i + 1):
            label(symptom, cause)
    label(symptoms[0], symptoms[1], cause)
    return symptoms


class TestWhatIsSmall:
    @pytest.mark.usefixtures("many_symptoms")
    def test_is_drawn_together_counted_once_and_named(self, search_index: PutIssuesIn) -> None:
        search_index()
        found = drawn()
        (rest,) = [record for record in records_of(found) if record["from_code"] == REST]
        # s0, s1 and s2 in 1 + 2 + 3 issues, and one that has both s0 and s1.
        assert (rest["from_name"], rest["issues"]) == ("3 other symptoms", 7)
        assert rest["query"] == "symptom=s1,s2,s0&cause=race"
        assert found_by(rest["query"]) == 7
        assert "3 other symptoms: S0, S1, S2." in found.notes
        assert len(found.records) == KEPT + 1

    @pytest.mark.usefixtures("many_symptoms")
    def test_can_be_drawn_apart(self) -> None:
        found = drawn(flows=EVERYTHING)
        assert len(found.records) == KEPT + 3
        assert REST not in {record["from_code"] for record in found.records}

    @pytest.mark.usefixtures("many_symptoms")
    def test_has_no_click_where_no_query_asks_for_it(self) -> None:
        every = ",".join(f"s{i}" for i in range(KEPT + 3))
        narrowed = drawn(f"symptom={every}")
        assert next(r for r in narrowed.records if r["from_code"] == REST)["query"] == "symptom=s1,s2,s0&cause=race"
        beside = drawn(f"symptom={every.removeprefix('s0,')}")
        (rest,) = [record for record in beside.records if record["from_code"] == REST]
        assert rest["query"] == ""

    def test_is_not_drawn_together_when_it_is_one_alone(self) -> None:
        cause = make_node("race", axis=make_axis("root_cause"))
        for i in range(KEPT + 1):
            label(make_node(f"s{i}"), cause)
        assert len(drawn().records) == KEPT + 1


class TestSmallSamples:
    @pytest.mark.usefixtures("many_symptoms")
    def test_below_five_are_named_and_not_drawn_and_below_ten_are_marked_and_last(self) -> None:
        found = drawn(flows=EVERYTHING)
        labels = found.figure["data"][0]["node"]["label"]
        assert [label for label in labels if label.startswith("S")][-1] == "S4, small sample (n = 5)"
        assert "S10" in labels
        assert "Not drawn, with fewer than 5 issues: S3 (n = 4), S1 (n = 3), S2 (n = 3), S0 (n = 2)." in found.notes
        sources = [row.heading.name for row in found.table.rows]
        assert sources == [f"S{place}" for place in range(10, 3, -1)]
        assert [row.is_weak for row in found.table.rows] == [False, False, *[True] * 5]
        assert {record["from_code"] for record in records_of(found)} == {f"s{place}" for place in range(KEPT + 3)}
        assert {record["small_sample"] for record in records_of(found)} == {True, False}


class TestWhatIsNotKnown:
    def test_is_said_and_a_flow_ends_where_no_fix_is_known(self) -> None:
        hang, race = make_node("hang"), make_node("race", axis=make_axis("root_cause"))
        label(hang, race, make_node("guard", axis=make_axis("fix_pattern")))
        label(hang, race)
        label(hang)
        found = drawn()
        assert [(r["from"], r["to"], r["issues"], r["from_issues"]) for r in found.records] == [
            ("symptom", "cause", 2, 2),
            ("cause", "fix", 1, 1),
        ]
        assert (found.counted.issues, found.counted.all_issues) == (2, 3)
        assert "Of 1 of 2 issues with a symptom and a cause, no fix pattern is known." in found.notes

    def test_at_the_level_is_counted_apart(self) -> None:
        hang, race = make_node("hang"), make_node("race", axis=make_axis("root_cause"))
        make_node("race-start", axis=race.axis, parent=race)
        label(hang, race)
        assert any("labelled only with a group" in note for note in drawn(level="2").notes)

    def test_leaves_nothing_to_draw(self, client: Client) -> None:
        label(make_node("hang"))
        assert drawn().is_empty
        assert "nothing to draw" in words(page(client, "flow"))


@pytest.mark.parametrize("seed", [0])
def test_nodes_and_links_bear_what_their_clicks_find(seed: int, search_index: PutIssuesIn) -> None:
    chance = random.Random(seed)  # noqa: S311
    worlds.build(chance)
    search_index()
    checked = 0
    for filters in chance.sample(worlds.FILTERS, 12):
        found = drawn(filters, level=chance.choice("12"))
        links = [(record["query"], record["issues"]) for record in records_of(found)]
        themes = found.figure.get("themes")
        node = themes["light"]["traces"][0]["node"] if themes else {"customdata": []}
        nodes = [(query, int(hover.split("<br>")[1].split()[0])) for query, hover in node["customdata"]]
        counted = links + nodes
        for query, issues in chance.sample(counted, min(6, len(counted))):
            checked += 1
            assert found_by(query) == issues, (filters, query)
    assert checked > 25
