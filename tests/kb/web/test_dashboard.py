"""Where Explore begins: six cards for the same words and filters, in few statements, whose marks filter them all."""

import datetime as dt
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
from kb.charts.overview import QUESTIONS, overview
from kb.charts.samples import TOO_FEW
from kb.search import search
from kb.search.names import forget
from tests.kb.web import worlds
from tests.kb.web.test_charts import records_of
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_axis, make_fix, make_issue, make_label, make_node, make_source, make_study

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

pytestmark = pytest.mark.django_db
MOST_QUERIES, MOST_QUERIES_FILTERED = 12, 8
MOST_BYTES = 100_000
TOGETHER = ("hot-spots", "stages", "state", "symptom-cause", "frameworks")
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
    def test_is_small_and_needs_no_plotly(self, client: Client) -> None:
        html = page(client, "?framework=deepspeed").content
        assert len(html) < MOST_BYTES
        assert b"plotly.min.js" not in html
        assert b'style="' not in html

    @pytest.mark.usefixtures("starter")
    def test_every_card_has_its_finding_its_marks_and_the_way_to_its_chart(self, client: Client) -> None:
        response = page(client, "?framework=deepspeed")
        html = response.content.decode()
        cards = response.context["overview"].cards
        assert [card.question for card in cards] == [*QUESTIONS]
        for card in cards:
            assert card.finding.headline
            assert card.finding.headline.replace("'", "&#x27;") in html
            chart = card.question.chart
            assert f'href="/explore/charts/{chart.slug}/?framework=deepspeed"' in html
            assert client.get(f"/explore/charts/{chart.slug}/?framework=deepspeed").context["drawn"].counted.issues

    @pytest.mark.usefixtures("starter")
    def test_names_every_chart_with_the_filters_kept(self, client: Client) -> None:
        html = page(client, "?symptom=hang").content.decode()
        assert all(f'href="/explore/charts/{slug}/?symptom=hang"' in html for slug in BY_SLUG)

    @pytest.mark.usefixtures("starter")
    def test_says_what_rises_in_one_line(self, client: Client) -> None:
        text = " ".join(page(client).content.decode().split())
        assert f'<a href="/explore/charts/hot-spots/">Hot spots</a>: {drawn_of("hot-spots").sentence}' in text

    @pytest.mark.usefixtures("starter")
    def test_a_click_does_not_wait_for_what_rises(
        self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        forget()
        cache.clear()
        with django_assert_max_num_queries(MOST_QUERIES_FILTERED):
            html = page(client, "?symptom=hang").content.decode()
        assert '<a href="/explore/charts/hot-spots/?symptom=hang">Hot spots</a> with these filters' in html

    @pytest.mark.usefixtures("starter")
    def test_can_be_embedded_with_its_filters(self, client: Client) -> None:
        whole = page(client, "?framework=deepspeed&symptom=hang")
        address = "http://testserver/explore/embed?framework=deepspeed&symptom=hang"
        assert address.replace("&", "&amp;") in whole.content.decode()
        frame = client.get(address)
        assert "frame-ancestors *" in frame.headers["Content-Security-Policy"]
        assert "X-Frame-Options" not in frame.headers
        assert frame.context["overview"] == whole.context["overview"]

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

    def test_issues_without_a_date_are_in_every_card_but_that_of_time(self, client: Client) -> None:
        axes = ("symptom", "root_cause", "fix_pattern", "component")
        nodes = [make_node(f"{axis}-1", axis=make_axis(axis)) for axis in axes]
        for _ in range(TOO_FEW):
            issue = make_issue()
            for node in nodes:
                make_label(issue, node)
        response = page(client)
        counts = {card.question.slug: card.counted.issues for card in response.context["overview"].cards}
        assert [slug for slug, issues in counts.items() if not issues] == ["issues-over-time"]
        assert "None of these issues has a known year." in response.content.decode()

    @pytest.mark.parametrize(("issues", "says"), [(4, "Too few issues to say: n = 4"), (9, "small sample (n = 9)")])
    def test_few_issues_are_said_to_be_few(self, client: Client, issues: int, says: str) -> None:
        hang = make_node("hang")
        for _ in range(issues):
            make_label(make_issue(), hang)
        html = page(client).content.decode()
        assert says in html
        assert ('id="symptoms-hang"' in html) == (issues >= TOO_FEW)

    @pytest.mark.usefixtures("starter")
    def test_the_menu_leads_here(self, client: Client) -> None:
        assert re.search(r'<a href="/explore/"\s+aria-current="page"', page(client).content.decode())
        assert re.search(r'<a href="/explore/"\s*aria-current="true"', client.get("/explore/charts/").content.decode())


class TestMarks:
    """A mark of a card filters every card by its own question, and takes its own filter off again."""

    @pytest.mark.parametrize("filters", worlds.FILTERS)
    def test_leads_to_as_many_labelled_issues_as_it_says(self, search_index: PutIssuesIn, filters: str) -> None:
        worlds.build(random.Random(2))  # noqa: S311
        search_index()
        for card in overview(gather(QueryDict(filters))).cards:
            if not card.counted.issues:
                continue
            for mark in card.marks:
                if mark.is_chosen:
                    continue
                follows = overview(gather(QueryDict(mark.query)))
                own = next(each for each in follows.cards if each.question == card.question)
                assert f"{own.counted.issues:,}" == mark.issues, (filters, mark)

    def test_that_is_chosen_takes_its_filter_off(self) -> None:
        worlds.build(random.Random(2))  # noqa: S311
        cards = overview(gather(QueryDict("framework=deepspeed&symptom=symptom-a"))).cards
        chosen = [(mark.code, mark.query) for card in cards for mark in card.marks if mark.is_chosen]
        assert chosen == [("symptom-a", "framework=deepspeed"), ("deepspeed", "symptom=symptom-a")]

    def test_names_its_own_filter_alone(self) -> None:
        """The chart of a host's fact asks for a symptom, too, so that its number is what search finds."""
        worlds.build(random.Random(2))  # noqa: S311
        (frameworks,) = [card for card in overview(gather(QueryDict(""))).cards if card.question.slug == "frameworks"]
        assert {mark.query for mark in frameworks.marks} == {f"framework={mark.code}" for mark in frameworks.marks}


class TestChips:
    @pytest.mark.usefixtures("starter")
    def test_many_values_of_a_filter_are_one_chip(self, client: Client) -> None:
        response = page(client, "?symptom=hang,crash,slow,memory,wrong-result&framework=vllm")
        assert [(chip.label, chip.name) for chip in response.context["chips"]] == [
            ("Framework", "vLLM"), ("Symptom", "any of 5"),
        ]  # fmt: skip
        assert response.context["chips"][1].without == "?framework=vllm"

    @pytest.mark.usefixtures("starter")
    def test_words_have_one_that_leaves_filters_where_they_are(self, client: Client, search_index: PutIssuesIn) -> None:
        search_index()
        chips = page(client, "?q=timeout+framework:deepspeed&symptom=hang").context["chips"]
        words = chips[0]
        assert (words.label, words.name) == ("Words", "timeout")
        assert QueryDict(words.without[1:]).dict() == {"framework": "deepspeed", "symptom": "hang"}


class TestTogether:
    @pytest.mark.parametrize("query", ["", "framework=deepspeed", "source=curated,round-1", f"source={worlds.STUDY}"])
    def test_charts_are_what_they_are_alone(self, query: str) -> None:
        worlds.build(random.Random(3))  # noqa: S311
        wanted = [(BY_SLUG[slug], choices(BY_SLUG[slug], {})) for slug in TOGETHER]
        together = draw_together(wanted, gather(QueryDict(query)))
        cache.clear()
        assert together == [drawn_of(slug, query) for slug in TOGETHER]


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
        assert "2 of 4 categories rise" in drawn.sentence

    def test_growth_of_everything_is_no_hot_spot(self) -> None:
        hang, crash = make_node("hang"), make_node("crash")
        for node in (hang, crash):
            self._report(node, 10, 20)
            self._report(node, 200, 5)
        assert drawn_of("hot-spots").sentence == (
            "Nothing rises more than chance explains in the 90 days to 20 June 2025; 4 categories were checked."
        )

    def test_the_window_can_be_chosen_and_ends_with_the_newest_day(self) -> None:
        hang = make_node("hang")
        self._report(hang, 0, 1)
        self._report(hang, 29, 1)
        self._report(hang, 30, 1)
        assert [drawn_of("hot-spots", window=days).records[0]["issues"] for days in ("30", "90")] == [2, 3]

    def test_without_a_year_before_nothing_is_looked_at(self) -> None:
        self._report(make_node("hang"), 0, 9)
        assert drawn_of("hot-spots").sentence.endswith("0 categories were checked.")
