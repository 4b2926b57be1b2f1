"""Where Explore begins: every panel for the same words and filters, in few statements, with its table and its chart."""

import datetime as dt
import json
import random
import re
from typing import TYPE_CHECKING, Any

import pytest
from django.core.cache import cache
from django.http import QueryDict
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.charts.catalogue import BY_SLUG
from kb.charts.chart import Drawn, choices
from kb.charts.drawings import draw, draw_together
from kb.charts.evidence import gather
from kb.search import search
from kb.search.names import forget
from kb.web.explore.dashboard import PANELS
from tests.kb.web import worlds
from tests.kb.web.test_charts import records_of
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_axis, make_fix, make_issue, make_label, make_node, make_source, make_study

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

pytestmark = pytest.mark.django_db
MOST_QUERIES = 15
NEWEST = dt.datetime(2025, 6, 30, 12, tzinfo=dt.UTC)
NEW = ("issues-over-time", "stages", "distributed-share", "state", "hot-spots")


def page(client: Client, query: str = "", status: int = 200) -> "Response":
    response = client.get(f"/explore/{query}")
    assert response.status_code == status
    return response


def drawn_of(slug: str, query: str = "", **options: str) -> Drawn:
    chart = BY_SLUG[slug]
    return draw(chart, gather(QueryDict(query)), choices(chart, options))


def found_by(query: str) -> int:
    result = search(QueryDict(query), with_facets=False)
    assert not result.errors, (query, result.errors)
    return result.total


class TestPage:
    @pytest.mark.usefixtures("starter")
    @pytest.mark.parametrize("query", ["", "?framework=deepspeed&year=2023..2025", "?source=curated"])
    def test_is_counted_in_few_statements(
        self, client: Client, query: str, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        cache.clear()
        forget()
        with django_assert_max_num_queries(MOST_QUERIES):
            page(client, query)

    @pytest.mark.usefixtures("starter")
    def test_every_panel_has_its_figure_table_sentence_and_the_way_to_its_chart(self, client: Client) -> None:
        response = page(client, "?framework=deepspeed")
        html = response.content.decode()
        assert 'style="' not in html
        assert [panel.chart.slug for panel in response.context["panels"]] == [*PANELS]
        for panel in response.context["panels"]:
            assert panel.drawn.sentence
            assert panel.drawn.sentence.replace("'", "&#x27;").replace("<", "&lt;") in html
            assert f'href="/explore/charts/{panel.chart.slug}/?framework=deepspeed"' in html
            if panel.drawn.instead:
                continue
            if panel.drawn.instead:
                continue
            figure = re.search(rf'<script id="{panel.chart.slug}-figure" type="application/json">(.*?)</script>', html)
            assert figure
            assert json.loads(figure[1])["data"]
            assert client.get(panel.url).context["drawn"] == panel.drawn

    def test_of_an_empty_database_says_how_to_fill_it(self, client: Client) -> None:
        response = page(client)
        assert "load_starter" in response.content.decode()
        assert "plotly.min.js" not in response.content.decode()

    @pytest.mark.usefixtures("starter")
    def test_where_filters_leave_nothing_they_can_be_cleared(self, client: Client) -> None:
        assert "Clear all filters" in page(client, "?framework=deepspeed&year=2009").content.decode()

    @pytest.mark.parametrize("query", ["?state=opne", "?source=rule", "?year=1066"])
    def test_a_wrong_value_is_named(self, client: Client, query: str) -> None:
        make_source("rule", kind="rule")
        response = page(client, query, status=400)
        assert "Correct this first" in response.content.decode()

    def test_issues_without_a_date_are_in_every_panel_but_those_of_time(self, client: Client) -> None:
        issue = make_issue(state="closed")
        for axis in ("symptom", "root_cause", "stage", "issue_type"):
            make_label(issue, make_node(f"{axis}-1", axis=make_axis(axis)))
        panels = {panel.chart.slug: panel.drawn for panel in page(client).context["panels"]}
        assert {slug for slug, drawn in panels.items() if not drawn.is_empty} == {
            "symptom-cause", "framework-symptom", "stages", "state",
        }  # fmt: skip
        assert "Not shown, because the day of opening is not known: 1 issue." in panels["issues-over-time"].notes[0]

    @pytest.mark.usefixtures("starter")
    def test_the_menu_leads_here(self, client: Client) -> None:
        assert re.search(r'<a href="/explore/"\s+aria-current="page"', page(client).content.decode())
        assert re.search(r'<a href="/explore/"\s*aria-current="true"', client.get("/explore/charts/").content.decode())


class TestTogether:
    @pytest.mark.parametrize("query", ["", "framework=deepspeed", "source=curated,round-1", f"source={worlds.STUDY}"])
    def test_charts_are_what_they_are_alone(self, query: str) -> None:
        worlds.build(random.Random(3))  # noqa: S311
        wanted = [(BY_SLUG[slug], choices(BY_SLUG[slug], {})) for slug in PANELS]
        together = draw_together(wanted, gather(QueryDict(query)))
        cache.clear()
        assert together == [drawn_of(slug, query) for slug in PANELS]


class TestEveryMark:
    @pytest.mark.parametrize("seed", [0])
    def test_is_what_its_query_finds(self, seed: int, search_index: PutIssuesIn) -> None:
        chance = random.Random(seed)  # noqa: S311
        worlds.build(chance)
        search_index()
        checked = 0
        for filters in (
            *worlds.FILTERS,
            "opened=2023-03..2025-02",
            "q=opened:>2023-05&opened=<2025-03",
            "stage=-stage-b",
        ):
            for slug in chance.sample(NEW, 2):
                chart = BY_SLUG[slug]
                chosen = {o.name: chance.choice(o.choices).value for o in chart.options}
                records = list(drawn_of(slug, filters, **chosen).records)
                for record in chance.sample(records, min(4, len(records))):
                    checked += 1
                    assert found_by(str(record["query"])) == record["issues"], (slug, filters, chosen, record)
        assert checked > 100

    def test_states_of_a_framework_add_up(self) -> None:
        worlds.build(random.Random(9))  # noqa: S311
        records = records_of(drawn_of("state"))
        for framework in {record["framework"] for record in records}:
            own = [record for record in records if record["framework"] == framework]
            assert sum(record["issues"] for record in own) == own[0]["all_issues"]

    def test_a_fix_of_unknown_size_is_a_known_fix(self) -> None:
        issue = make_issue(state="closed")
        make_label(issue, make_node("bug", axis=make_axis("issue_type")))
        issue.fixes.add(make_fix(additions=None))
        (record,) = records_of(drawn_of("state"))
        assert record["state"] == "fixed"
        assert found_by(record["query"]) == 1


class TestDistributed:
    @pytest.fixture
    def causes(self) -> None:
        """Two marked causes and one that is not, each of one issue; one issue has both kinds."""
        axis = make_axis("root_cause")
        codes = {"race": True, "sharding": True, "typo": False}
        nodes = [make_node(code, axis=axis, specific_to_distributed=mark) for code, mark in codes.items()]
        for node in nodes:
            make_label(make_issue(), node)
        both = make_issue()
        make_label(both, nodes[0])
        make_label(both, nodes[2])

    @pytest.mark.usefixtures("causes")
    @pytest.mark.parametrize(
        ("query", "issues", "of", "has_query"),
        [("", 3, 4, True), ("cause=race", 2, 2, True), ("cause=race,sharding", 3, 3, True), ("cause=-typo", 2, 2, True),
         ("cause=typo,race", 2, 3, False)],
    )  # fmt: skip
    def test_any_marked_cause_counts_and_a_mark_without_a_query_is_no_link(
        self, query: str, issues: int, of: int, has_query: bool
    ) -> None:
        (record,) = records_of(drawn_of("distributed-share", query))
        assert (record["issues"], record["all_issues"]) == (issues, of)
        assert bool(record["query"]) is has_query
        assert not has_query or found_by(record["query"]) == issues

    def test_a_study_that_marks_nothing_has_no_share(self) -> None:
        study = make_study()
        node = make_node("C1", axis=make_axis("root_cause", scheme="a-study", study=study))
        make_label(make_issue(), node, make_source("a-study", kind="study", study=study))
        assert drawn_of("distributed-share", "source=a-study").is_empty


class TestHotSpots:
    def _report(self, symptom: Any, days_ago: int, times: int) -> None:
        for _ in range(times):
            make_label(make_issue(opened_at=NEWEST - dt.timedelta(days=days_ago)), symptom)

    def test_what_rises_is_told_with_its_numbers_and_leads_to_its_issues(self) -> None:
        hang, crash = make_node("hang"), make_node("crash")
        self._report(hang, 10, 14)
        self._report(hang, 200, 4)
        self._report(crash, 10, 20)
        self._report(crash, 200, 80)
        drawn = drawn_of("hot-spots")
        hot = [record for record in records_of(drawn) if record["is_hot"]]
        assert {record["what"] for record in hot} == {"symptom/hang", "symptom/deepspeed/hang"}
        assert (hot[0]["issues"], hot[0]["all_issues"], hot[0]["issues_before"]) == (14, 34, 4)
        assert found_by(hot[0]["query"]) == 14
        assert drawn.sentence.startswith(
            "Hang (symptom): 8.6× as often as in the year before, 14 issues of 34; unlikely"
        )
        assert "2 of 4 things that were looked at rise" in drawn.sentence

    def test_growth_of_everything_is_no_hot_spot(self) -> None:
        hang, crash = make_node("hang"), make_node("crash")
        for node in (hang, crash):
            self._report(node, 10, 20)
            self._report(node, 200, 5)
        assert drawn_of("hot-spots").sentence == (
            "Nothing rises more than chance explains in the 90 days to 2025-06-20; 4 things were looked at."
        )

    def test_the_window_can_be_chosen_and_ends_with_the_newest_day(self) -> None:
        hang = make_node("hang")
        self._report(hang, 0, 1)
        self._report(hang, 29, 1)
        self._report(hang, 30, 1)
        assert [drawn_of("hot-spots", window=days).records[0]["issues"] for days in ("30", "90")] == [2, 3]

    def test_without_a_year_before_nothing_is_looked_at(self) -> None:
        self._report(make_node("hang"), 0, 9)
        assert drawn_of("hot-spots").sentence.endswith("0 things were looked at.")
