"""Effort: every number is that of the issues which its query finds; the page shows them within its budget."""

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
from django.db import transaction
from django.http import QueryDict
from django.test import Client
from pytest_django import DjangoAssertNumQueries, DjangoDbBlocker

from kb.charts.catalogue import EFFORT
from kb.charts.chart import Chart, Drawn
from kb.charts.drawings import draw
from kb.charts.evidence import gather
from kb.filters.issues import IssueFilter
from kb.models import HOUSE, Issue, IssueFacts
from tests.kb.web import worlds
from tests.kb.web.test_charts import page, records_of, words
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_study

pytestmark = pytest.mark.django_db
# One is the codebook's version, which every caption names.
MOST_QUERIES, ON_OWN_PAGE = 16, 20
PATH = "/explore/effort/"
SLUGS = [chart.slug for chart in EFFORT]
# Around a whole day and around 30 days, rounding to hours would move an issue to another day.
TIMES = [dt.timedelta(days=day, minutes=minutes) for day in (1, 2, 30) for minutes in (-40, -10, 0, 10, 40)]
TIMES += [dt.timedelta(days=60)] * len(TIMES)
# Words are left out: what they match is told by search itself, which `test_charts` asks.
FILTERS = [one for one in worlds.FILTERS if "q=" not in one]


@pytest.fixture(scope="module", autouse=True)
def _world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Issues for all tests here, made once: each test only reads them."""
    chance = random.Random(7)  # noqa: S311
    with django_db_blocker.unblock(), transaction.atomic():
        worlds.build(chance, issues=60)
        for issue in Issue.objects.filter(closed_at__isnull=False, opened_at__isnull=False):
            assert issue.opened_at
            Issue.objects.filter(pk=issue.pk).update(
                closed_at=issue.opened_at + chance.choice(TIMES), comment_count=chance.choice([None, 9, 10, 40, 41])
            )
        yield
        transaction.set_rollback(True)


@pytest.fixture
def chance() -> random.Random:
    return random.Random(8)  # noqa: S311


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


def known(issues: list[Issue], what: str) -> list[int]:
    numbers = (number_of(issue, what) for issue in issues)
    return [number for number in numbers if number is not None]


def ways(chart: Chart, chance: random.Random) -> Iterator[tuple[str, dict[str, str]]]:
    """Every way to look at the chart, with some filters."""
    for chosen in every_way(chart):
        yield "", chosen
        yield chance.choice(FILTERS), chosen


class TestNumbers:
    def test_by_category_are_those_of_the_issues_that_the_row_leads_to(self, chance: random.Random) -> None:
        checked = 0
        for filters, chosen in ways(EFFORT[0], chance):
            for record in records_of(drawn(EFFORT[0], filters, **chosen)):
                issues = found(record["query"])
                numbers = known(issues, chosen["what"])
                assert len(issues) == record["issues"], (filters, chosen, record)
                assert len(numbers) == record["known"]
                assert record["median"] == statistics.median(numbers)
                assert (record["median_low"] is None) == (len(numbers) < 6)
                checked += 1
        assert checked > 150

    @pytest.mark.parametrize("what", ["hours", "comments", "lines", "files"])
    def test_of_bars_are_the_issues_that_the_bar_leads_to_and_add_up(self, chance: random.Random, what: str) -> None:
        for filters in ("", *chance.sample(FILTERS, 8)):
            chart = drawn(EFFORT[1], filters, what=what)
            assert sum(record["issues"] for record in records_of(chart)) == chart.counted.issues
            for record in records_of(chart):
                assert len(found(record["query"])) == record["issues"] > 0, (filters, record)

    @pytest.mark.parametrize("chart", EFFORT[2:])
    def test_of_shares_are_those_of_the_issues_that_the_row_leads_to(self, chance: random.Random, chart: Chart) -> None:
        cases = 0
        for filters, chosen in ways(chart, chance):
            for record in records_of(drawn(chart, filters, **chosen)):
                issues = found(record["query"])
                assert len(issues) == record["issues"] <= record["known"], (filters, chosen, record)
                assert record["share_low"] <= record["share"] <= record["share_high"]
                cases += record["issues"]
        assert cases > 20


class TestEveryIssue:
    """Where the host alone states what is asked, labels are not: mirrored issues count, too."""

    @pytest.mark.parametrize("what", ["hours", "comments"])
    @pytest.mark.parametrize("filters", ["", "framework=deepspeed", "year=2023", "kind=pull_request", "state=closed"])
    def test_counts_by_framework_what_is_known_whoever_labelled_it(self, what: str, filters: str) -> None:
        issues = found(filters)
        n = len(known(issues, what))
        for chart in (drawn(EFFORT[0], filters, what=what, by="framework"), drawn(EFFORT[1], filters, what=what)):
            assert (chart.counted.issues, chart.counted.all_issues) == (n, len(issues))
            assert chart.counted.population == "issues, labelled or not"
        labelled = [issue for issue in issues if IssueFacts.objects.filter(issue_id=issue.pk, holder=HOUSE).exists()]
        m = len(known(labelled, what))
        note = f"{m:,} of these {n:,} issues are labelled, {n - m:,} only mirrored."
        assert any(note in text for text in chart.notes), chart.notes

    @pytest.mark.parametrize("filters", ["source=curated", f"source={worlds.STUDY}"])
    def test_does_not_where_a_source_is_asked_for(self, filters: str) -> None:
        assert drawn(EFFORT[1], filters).counted.population == "labelled issues"

    def test_does_not_where_rows_or_numbers_come_from_labels_or_fixes(self) -> None:
        for chart in (drawn(EFFORT[0], by="symptom"), drawn(EFFORT[0], by="framework", what="lines"), drawn(EFFORT[2])):
            assert chart.counted.population == "labelled issues"
        assert drawn(EFFORT[3], by="framework").counted.population == "issues, labelled or not"


class TestFigures:
    @pytest.mark.parametrize("chart", EFFORT)
    def test_are_taken_by_plotly_in_both_themes_and_hold_what_the_table_holds(self, chart: Chart) -> None:
        for chosen in every_way(chart):
            shown = drawn(chart, **chosen)
            assert not shown.is_empty
            if shown.instead:
                continue
            figure: dict[str, Any] = json.loads(json.dumps(shown.figure))
            for theme in ("light", "dark"):
                traces = figure["themes"][theme]["traces"]
                data = [trace | own for trace, own in zip(figure["data"], traces, strict=True)]
                go.Figure(data=data, layout=figure["layout"])
            text = json.dumps(shown.figure)
            links = {cell.query for row in shown.table.rows for cell in row.cells if cell.query}
            assert all(link in text for link in links)
            assert {len(row.cells) for row in shown.table.rows} == {len(shown.table.columns)}


class TestPage:
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

    @pytest.mark.parametrize("slug", SLUGS)
    def test_each_chart_has_its_own_page_with_all_that_charts_have(
        self, client: Client, slug: str, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_max_num_queries(ON_OWN_PAGE):
            response = page(client, slug, "?framework=-vllm")
        for part in ("n = ", "The same numbers as a table", "How it is computed", "Link, embed, cite"):
            assert part in words(response)

    def test_a_click_leads_to_the_charts_page_with_as_many_issues(self, client: Client) -> None:
        for panel in client.get(f"{PATH}?what=comments&framework=deepspeed").context["panels"]:
            assert panel.drawn.records
            for record in panel.drawn.records[:2]:
                followed = client.get(f"{panel.base}{record['query']}")
                assert followed.context["result"].total == record["issues"]
            assert client.get(panel.url).context["drawn"].counted == panel.drawn.counted
