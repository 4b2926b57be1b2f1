"""Effort: every number is that of the issues which its query finds; the page, its states and its budget."""

import datetime as dt
import json
import random
import re
import statistics
from collections.abc import Iterator
from itertools import product
from typing import Any

import plotly.graph_objects as go  # type: ignore[import-untyped]
import pytest
from django.http import QueryDict
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.charts.catalogue import EFFORT
from kb.charts.chart import Chart, Drawn
from kb.charts.drawings import draw
from kb.charts.evidence import gather
from kb.filters.issues import IssueFilter
from kb.models import Issue
from tests.kb.web import worlds
from tests.kb.web.test_charts import figure_of, page, records_of, words
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_axis, make_fix, make_issue, make_label, make_node, make_study

pytestmark = pytest.mark.django_db
MOST_QUERIES, ON_OWN_PAGE = 15, 20
PATH = "/explore/effort/"
SLUGS = [chart.slug for chart in EFFORT]
OPENED = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
# Around a whole day and around 30 days, rounding to hours would move an issue to another day.
TIMES = [dt.timedelta(days=day, minutes=minutes) for day in (1, 2, 30) for minutes in (-40, -10, 0, 10, 40)]
TIMES += [dt.timedelta(days=60)] * len(TIMES)
# Words are left out: what they match is told by search itself, which `test_charts` asks.
FILTERS = [one for one in worlds.FILTERS if "q=" not in one]


@pytest.fixture
def world() -> random.Random:
    chance = random.Random(7)  # noqa: S311
    worlds.build(chance, issues=60)
    for issue in Issue.objects.filter(closed_at__isnull=False, opened_at__isnull=False):
        assert issue.opened_at
        Issue.objects.filter(pk=issue.pk).update(
            closed_at=issue.opened_at + chance.choice(TIMES), comment_count=chance.choice([None, 9, 10, 40, 41])
        )
    return chance


def every_way(chart: Chart) -> list[dict[str, str]]:
    names = [option.name for option in chart.options]
    values = [[choice.value for choice in option.choices] for option in chart.options]
    return [dict(zip(names, chosen, strict=True)) for chosen in product(*values)]


def drawn(chart: Chart, filters: str = "", **chosen: str) -> Drawn:
    evidence = gather(QueryDict(filters))
    assert not evidence.errors
    return draw(
        chart, evidence, {option.name: option.chosen(chosen.get(option.name)).value for option in chart.options}
    )


def found(query: str) -> list[Issue]:
    form = IssueFilter(QueryDict(query))
    assert form.is_valid(), form.errors
    return list(form.qs.prefetch_related("fixes"))


def number_of(issue: Issue, what: str) -> int | None:
    if what == "comments":
        return issue.comment_count
    if what == "hours":
        return issue.open_duration // dt.timedelta(hours=1) if issue.open_duration is not None else None
    sizes = [fix.lines_changed if what == "lines" else fix.files_changed for fix in issue.fixes.all()]
    return min((size for size in sizes if size is not None), default=None)


def known(query: str, what: str) -> list[int]:
    numbers = (number_of(issue, what) for issue in found(query))
    return [number for number in numbers if number is not None]


def ways(chart: Chart, chance: random.Random) -> Iterator[tuple[str, dict[str, str]]]:
    """Every way to look at the chart, with some filters."""
    for chosen in every_way(chart):
        yield "", chosen
        yield chance.choice(FILTERS), chosen


class TestNumbers:
    def test_by_category_are_those_of_the_issues_that_the_row_leads_to(self, world: random.Random) -> None:
        checked = 0
        for filters, chosen in ways(EFFORT[0], world):
            for record in records_of(drawn(EFFORT[0], filters, **chosen)):
                numbers = known(record["query"], chosen["what"])
                assert len(found(record["query"])) == record["issues"], (filters, chosen, record)
                assert len(numbers) == record["known"]
                assert record["median"] == statistics.median(numbers)
                assert (record["median_low"] is None) == (len(numbers) < 6)
                checked += 1
        assert checked > 150

    @pytest.mark.parametrize("what", ["hours", "comments", "lines", "files"])
    def test_of_bars_are_the_issues_that_the_bar_leads_to_and_add_up(self, world: random.Random, what: str) -> None:
        for filters in ("", *world.sample(FILTERS, 8)):
            chart = drawn(EFFORT[1], filters, what=what)
            assert sum(record["issues"] for record in records_of(chart)) == chart.counted.issues
            for record in records_of(chart):
                assert len(found(record["query"])) == record["issues"] > 0, (filters, record)

    @pytest.mark.parametrize("chart", EFFORT[2:])
    def test_of_shares_are_those_of_the_issues_that_the_row_leads_to(self, world: random.Random, chart: Chart) -> None:
        cases = 0
        for filters, chosen in ways(chart, world):
            for record in records_of(drawn(chart, filters, **chosen)):
                issues = found(record["query"])
                assert len(issues) == record["issues"] <= record["known"], (filters, chosen, record)
                assert record["share_low"] <= record["share"] <= record["share_high"]
                cases += record["issues"]
        assert cases > 20

    def test_leave_out_what_nobody_labelled_and_what_is_not_known(self) -> None:
        hang, other = make_node("hang"), make_node("crash")
        for comments, label in ((4, hang), (None, hang), (9, None), (0, other)):
            issue = make_issue(comment_count=comments)
            if label:
                make_label(issue, label)
        chart = drawn(EFFORT[0], what="comments", by="framework")
        (record,) = chart.records
        assert (record["known"], record["unknown"], record["median"]) == (2, 1, 2)
        assert (chart.counted.issues, chart.counted.all_issues) == (2, 3)
        assert chart.counted.condition == "whose symptom and number of comments are both known"
        assert record["query"] == "framework=deepspeed&symptom=crash,hang&comments=0.."

    def test_hard_is_only_what_is_known_to_be_so(self) -> None:
        node = make_node("hang")
        month = dt.timedelta(days=30)
        for time, comments in ((month, 10), (month + dt.timedelta(minutes=1), 10), (month * 2, 9), (None, 50)):
            closed = OPENED + time if time is not None else None
            state = "closed" if closed else "open"
            make_label(make_issue(opened_at=OPENED, closed_at=closed, state=state, comment_count=comments), node)
        make_label(make_issue(opened_at=OPENED, closed_at=OPENED + month * 2, state="closed"), node)
        chart = drawn(EFFORT[3])
        (record,) = chart.records
        assert chart.counted.condition == "whose symptom, time open and number of comments are all known"
        assert (record["issues"], record["known"]) == (1, 3)

    def test_small_fixes_are_named_by_what_most_of_them_do(self) -> None:
        symptom, axis = make_node("hang"), make_axis("fix_pattern")
        patterns = {name: make_node(name, axis=axis) for name in ("guard", "rewrite")}
        for name, lines in (("guard", 3), ("guard", 8), ("rewrite", 10), ("rewrite", 11)):
            issue = make_issue()
            make_label(issue, symptom)
            make_label(issue, patterns[name])
            issue.fixes.add(make_fix(additions=lines, deletions=0, files_changed=1))
        chart = drawn(EFFORT[2])
        assert [(row["fix"], row["issues"], row["known"]) for row in chart.records] == [
            ("guard", 2, 2),
            ("rewrite", 1, 2),
        ]
        assert "3 of 4 are small fixes, 75 % (95 % interval 30–95 %)" in chart.notes[0]
        assert "Guard (2 of 3); Rewrite (1 of 3)" in chart.notes[1]


class TestFigures:
    @pytest.mark.usefixtures("world")
    @pytest.mark.parametrize("chart", EFFORT)
    def test_are_taken_by_plotly_in_both_themes_and_hold_what_the_table_holds(self, chart: Chart) -> None:
        for chosen in every_way(chart):
            shown = drawn(chart, **chosen)
            assert not shown.is_empty
            figure: dict[str, Any] = json.loads(json.dumps(shown.figure))
            for theme in ("light", "dark"):
                traces = figure["themes"][theme]["traces"]
                data = [trace | own for trace, own in zip(figure["data"], traces, strict=True)]
                go.Figure(data=data, layout=figure["layout"])
            text = json.dumps(shown.figure)
            links = {cell.query for row in shown.table.rows for cell in row.cells if cell.query}
            assert all(link in text for link in links)
            assert {len(row.cells) for row in shown.table.rows} == {len(shown.table.columns)}

    def test_show_names_as_text(self, client: Client) -> None:
        evil = "</script><script>alert(1)</script><b>x"
        issue = make_issue(comment_count=3)
        make_label(issue, make_node("hang", name=evil))
        make_label(issue, make_node("race", axis=make_axis("root_cause"), name=evil))
        html = client.get(f"{PATH}?what=comments&by=symptom").content.decode()
        assert "<script>alert" not in html
        figure = figure_of(page(client, "effort", "?what=comments"), "effort")
        assert "&lt;b&gt;x" in figure["data"][-1]["hovertext"][0]


class TestPage:
    @pytest.mark.usefixtures("world")
    @pytest.mark.parametrize("query", ["", "?what=lines&by=framework&level=2", "?q=hangs&by=fix", "?source=curated"])
    def test_shows_the_four_charts_with_n_in_few_queries(
        self,
        client: Client,
        query: str,
        search_index: PutIssuesIn,
        django_assert_max_num_queries: DjangoAssertNumQueries,
    ) -> None:
        search_index()
        make_study("p1-distributed-frameworks", code="P1", facts=[])
        with django_assert_max_num_queries(MOST_QUERIES):
            response = client.get(PATH + query)
        assert response.status_code == 200
        html = response.content.decode()
        assert html.count("n = ") >= len(SLUGS)
        assert 'style="' not in html
        assert re.findall(r'<h2 class="h4" id="([a-z-]+)-heading"', html) == [*SLUGS, "beside"]

    @pytest.mark.usefixtures("world")
    @pytest.mark.parametrize("slug", SLUGS)
    def test_each_chart_has_its_own_page_with_all_that_charts_have(
        self, client: Client, slug: str, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_max_num_queries(ON_OWN_PAGE):
            response = page(client, slug, "?framework=-vllm")
        for part in ("n = ", "The same numbers as a table", "How it is computed", "Link, embed, cite"):
            assert part in words(response)

    @pytest.mark.usefixtures("world")
    def test_a_click_leads_to_the_charts_page_with_as_many_issues(self, client: Client) -> None:
        for panel in client.get(f"{PATH}?what=comments&framework=deepspeed").context["panels"]:
            assert panel.drawn.records
            for record in panel.drawn.records[:2]:
                followed = client.get(f"{panel.base}{record['query']}")
                assert followed.context["result"].total == record["issues"]
            assert client.get(panel.url).context["drawn"].counted == panel.drawn.counted

    @pytest.mark.usefixtures("starter")
    def test_sets_what_was_published_beside_ours_with_its_trust_and_says_what_is_not_known(
        self, client: Client
    ) -> None:
        text = words(client.get(PATH))
        assert "Fixes of at most 10 changed lines 48% primary" in text
        assert "not known of any issue here" in text
        assert "Not known of any issue yet" in text
        assert "6%" not in text, "that number was never seen in a source to rely on"

    def test_without_anything_it_says_so(self, client: Client) -> None:
        response = client.get(PATH)
        assert words(response).count("nothing to draw") == len(SLUGS)
        assert "plotly.min.js" not in response.content.decode()

    def test_what_is_wrong_is_said_and_nothing_is_counted(self, client: Client) -> None:
        response = client.get(f"{PATH}?state=opne")
        assert response.status_code == 400
        assert "Nothing was counted" in words(response)
