"""Charts: every number is what its click finds, whatever the filters; table, files and frame say the same."""

import csv
import io
import json
import random
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from django.http import QueryDict
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.charts.catalogue import BY_SLUG, CHARTS, EFFORT
from kb.charts.chart import Drawn, choices
from kb.charts.drawings import draw
from kb.charts.evidence import gather
from kb.charts.samples import TOO_FEW
from kb.models import Issue
from kb.search import search
from tests.kb.web import worlds
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_axis, make_issue, make_label, make_node, make_repository, make_source

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

pytestmark = pytest.mark.django_db
SLUGS = [chart.slug for chart in CHARTS]
# The starter knows nothing of effort: `test_effort_numbers` draws these from other issues.
DRAWN = [slug for slug in SLUGS if slug not in {chart.slug for chart in EFFORT}]
MOST_QUERIES = 14


def page(client: Client, slug: str, query: str = "", status: int = 200) -> "Response":
    response = client.get(f"/explore/charts/{slug}/{query}")
    assert response.status_code == status
    return response


def words(response: "Response") -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def figure_of(response: "Response", slug: str) -> dict[str, Any]:
    found = re.search(rf'<script id="{slug}-figure" type="application/json">(.*?)</script>', response.content.decode())
    assert found
    figure: dict[str, Any] = json.loads(found[1])
    return figure


def records_of(drawn: Drawn) -> list[dict[str, Any]]:
    """The records, whose values each test knows."""
    return list(drawn.records)


def found_by(query: str) -> int:
    """How many issues search finds."""
    result = search(QueryDict(query), with_facets=False)
    assert not result.errors, (query, result.errors)
    return result.total


@pytest.fixture
def pair() -> None:
    """As many issues that hang because of a race as are drawn."""
    hang, race = make_node("hang", name="Hang"), make_node("race", axis=make_axis("root_cause"), name="=Race")
    for _ in range(TOO_FEW):
        issue = make_issue(opened_at="2024-05-01T00:00Z")
        make_label(issue, hang)
        make_label(issue, race)


class TestEveryNumber:
    @pytest.mark.parametrize("seed", [0])
    def test_is_what_its_click_finds_whatever_the_filters(self, seed: int, search_index: PutIssuesIn) -> None:
        chance = random.Random(seed)  # noqa: S311
        worlds.build(chance)
        search_index()
        checked = 0
        for filters in worlds.FILTERS:
            for chart in chance.sample(CHARTS, 3):
                evidence = gather(QueryDict(filters))
                assert not evidence.errors, (filters, evidence.errors)
                chosen = {o.name: chance.choice(o.choices).value for o in chart.options}
                records = list(draw(chart, evidence, chosen).records)
                asked = [record for record in records if record["query"]]
                for record in chance.sample(asked, min(5, len(asked))):
                    checked += 1
                    assert found_by(str(record["query"])) == record["issues"], (chart.slug, filters, chosen, record)
        assert checked > 200

    def test_of_a_row_adds_up_with_what_the_list_behind_it_holds(self) -> None:
        """Where an issue has one category in each question, a row's cells add up to its n."""
        symptoms = [make_node(f"s{i}") for i in range(3)]
        causes = [make_node(f"c{i}", axis=make_axis("root_cause")) for i in range(3)]
        chance = random.Random(5)  # noqa: S311
        for _ in range(30):
            issue = make_issue()
            make_label(issue, chance.choice(symptoms))
            make_label(issue, chance.choice(causes))
        chart = BY_SLUG["symptom-cause"]
        drawn = draw(chart, gather(QueryDict()), choices(chart, {}))
        for row in drawn.table.rows:
            assert sum(cell.value or 0 for cell in row.cells) == row.heading.issues
        assert sum(row.heading.issues or 0 for row in drawn.table.rows) == drawn.counted.issues == 30


class TestOneIssue:
    def test_counts_once_whoever_labelled_it_and_however_often(self) -> None:
        hang, race = make_node("hang"), make_node("race", axis=make_axis("root_cause"))
        issue = make_issue()
        for source in (make_source(), make_source("round-1", kind="consensus")):
            for node in (hang, make_node(f"hang-{source.slug}", parent=hang), race):
                make_label(issue, node, source)
        chart = BY_SLUG["symptom-cause"]
        for filters in ("", "source=curated", "source=curated,round-1"):
            (record,) = draw(chart, gather(QueryDict(filters)), choices(chart, {})).records
            assert record["issues"] == record["all_issues"] == 1

    def test_does_not_borrow_its_cause_from_another_source(self) -> None:
        hang, race, typo = make_node("hang"), *(make_node(c, axis=make_axis("root_cause")) for c in ("race", "typo"))
        issue, other = make_issue(), make_source("round-1", kind="consensus")
        for node, source in ((hang, make_source()), (race, make_source()), (hang, other), (typo, other)):
            make_label(issue, node, source)
        chart = BY_SLUG["symptom-cause"]
        for slug, cause in (("curated", "race"), ("round-1", "typo")):
            records = draw(chart, gather(QueryDict(f"source={slug}")), choices(chart, {})).records
            assert [record["cause"] for record in records] == [cause]


class TestPage:
    @pytest.mark.usefixtures("starter")
    @pytest.mark.parametrize("slug", DRAWN)
    def test_says_n_whose_answers_how_computed_and_where_it_lives(
        self, client: Client, slug: str, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_max_num_queries(MOST_QUERIES):
            response = page(client, slug)
        text = words(response)
        for part in ("n = ", "Faultbook automated readers", "An issue counts once", "How it is computed", "Counted"):
            assert part in text
        assert f"http://testserver/explore/charts/{slug}/" in text
        assert 'style="' not in response.content.decode()

    @pytest.mark.usefixtures("starter")
    @pytest.mark.parametrize("slug", [slug for slug in DRAWN if slug != "hot-spots"])
    def test_table_and_figure_lead_to_the_same_issues(self, client: Client, slug: str) -> None:
        response = page(client, slug, "?framework=deepspeed")
        text = json.dumps(figure_of(response, slug))
        links = re.findall(r'<a href="/explore/charts/[^"?]+\?([^"#]+)#issues">', response.content.decode())
        assert links
        assert all(link.replace("&amp;", "&") in text for link in links)

    @pytest.mark.usefixtures("starter")
    def test_a_click_stays_on_the_page_and_shows_the_issues(self, client: Client) -> None:
        response = page(client, "symptom-cause", "?measure=share")
        base, drawn = response.context["base"], response.context["drawn"]
        record = drawn.records[0]
        followed = client.get(f"{base}{record['query']}")
        assert followed.context["result"].total == record["issues"]
        assert followed.context["drawn"].counted.issues == record["issues"]
        assert followed.context["explained"][0].value == "share"

    @pytest.mark.usefixtures("starter")
    def test_every_switch_and_chip_keeps_the_rest_of_the_address(self, client: Client) -> None:
        response = page(client, "symptom-cause", "?framework=deepspeed&measure=lift&level=2")
        urls = [QueryDict(url[1:]).dict() for switch in response.context["switches"] for _, url, _ in switch.choices]
        assert {"framework": "deepspeed", "measure": "count", "level": "2"} in urls
        assert {"framework": "deepspeed", "measure": "lift", "level": "1"} in urls
        (chip,) = response.context["chips"]
        assert QueryDict(chip.without[1:]).dict() == {"measure": "lift", "level": "2"}

    @pytest.mark.usefixtures("pair")
    @pytest.mark.parametrize("query", ["?measure=nope", "?level=9", "?level=&measure=", "?measure=%00"])
    def test_an_option_that_is_not_known_goes_without_saying(self, client: Client, query: str) -> None:
        assert page(client, "symptom-cause", query).context["explained"][0].value == "count"

    def test_names_are_shown_as_text(self, client: Client) -> None:
        evil = "</script><script>alert(1)</script>"
        issue = make_issue()
        make_label(issue, make_node("hang", name=evil))
        make_label(issue, make_node("race", axis=make_axis("root_cause"), name=evil))
        assert "<script>alert" not in page(client, "symptom-cause").content.decode()

    def test_the_old_address_of_the_map_leads_here(self, client: Client) -> None:
        response = client.get("/map/?source=curated")
        assert (response.status_code, response["Location"]) == (301, "/explore/charts/symptom-cause/?source=curated")

    def test_the_list_names_every_chart(self, client: Client) -> None:
        text = client.get("/explore/charts/").content.decode()
        assert all(f"/explore/charts/{slug}/" in text for slug in SLUGS)


class TestSmallSamples:
    """Fewer than 5 issues are not drawn, fewer than 10 are marked and last; files hold all."""

    NUMBERS = (("few", 4), ("small", 9), ("enough", 10))

    @pytest.fixture(autouse=True)
    def _frameworks(self) -> None:
        hang, race = make_node("hang"), make_node("race", axis=make_axis("root_cause"), specific_to_distributed=True)
        bug, late = make_node("bug", axis=make_axis("issue_type")), make_node("train", axis=make_axis("stage"))
        for slug, number in self.NUMBERS:
            repository = make_repository(f"{slug}/{slug}", slug)
            for _ in range(number):
                issue = make_issue(repository=repository, state="closed")
                for node in (hang, race, bug, late):
                    make_label(issue, node)

    @pytest.mark.parametrize("slug", ["framework-symptom", "state", "distributed-share"])
    def test_are_left_out_or_last_in_figure_and_table_and_marked_in_files(self, client: Client, slug: str) -> None:
        response = page(client, slug)
        drawn = response.context["drawn"]
        assert [(row.heading.code, row.is_weak) for row in drawn.table.rows] == [("enough", False), ("small", True)]
        names = drawn.figure["layout"]["yaxis"]["ticktext"]
        assert [name.split("<br>")[0] for name in names] == ["Enough", "Small"]
        assert "small sample (n = 9)" in names[1]
        assert any("Few (n = 4)" in note for note in drawn.notes)
        records = page(client, slug, "?format=json").json()["records"]
        marks = {record["framework"]: record["small_sample"] for record in records}
        assert marks == {"few": True, "small": True, "enough": False}

    @pytest.mark.parametrize("slug", ["stages", "framework-symptom", "flow", "symptom-cause"])
    def test_alone_are_one_line_and_no_chart(self, client: Client, slug: str) -> None:
        response = page(client, slug, "?framework=few")
        assert "Too few to draw: small sample (n = 4)." in words(response)
        assert f'id="{slug}-figure"' not in response.content.decode()

    def test_nothing_that_rises_is_one_line_and_no_chart(self, client: Client) -> None:
        for issue in Issue.objects.all():
            Issue.objects.filter(pk=issue.pk).update(opened_at="2024-05-01T00:00Z")
        response = page(client, "hot-spots")
        assert "Nothing rises more than chance explains" in words(response)
        assert 'id="hot-spots-figure"' not in response.content.decode()


class TestWhatIsWrongOrMissing:
    @pytest.mark.parametrize(
        ("query", "says"),
        [
            ("?state=opne", "opne"),
            ("?symptom=hagn", "hagn"),
            ("?source=rule", "What rules suggest is not counted"),
            (f"?source=curated,{worlds.STUDY}", "different categories"),
        ],
    )
    def test_is_said_and_nothing_is_counted(self, client: Client, query: str, says: str) -> None:
        worlds.build(random.Random(1), issues=5)  # noqa: S311
        text = words(page(client, "symptom-cause", query, status=400))
        assert says in text
        assert "Nothing was counted" in text
        for form in ("csv", "json"):
            assert says in page(client, "symptom-cause", f"{query}&format={form}", status=400).content.decode()

    def test_without_any_label_it_says_how_to_get_some(self, client: Client) -> None:
        response = page(client, "symptom-cause")
        assert "load_starter" in words(response)
        assert "plotly.min.js" not in response.content.decode()

    @pytest.mark.usefixtures("pair")
    def test_filters_that_leave_nothing_can_be_cleared(self, client: Client) -> None:
        assert "Clear all filters" in words(page(client, "symptom-cause", "?state=open"))

    def test_an_unknown_chart_is_not_found(self, client: Client) -> None:
        page(client, "no-such-chart", status=404)

    def test_issues_labelled_more_coarsely_than_the_level_are_counted(self, client: Client) -> None:
        hang, race = make_node("hang"), make_node("race", axis=make_axis("root_cause"))
        make_node("hang-start", parent=hang)
        issue = make_issue()
        make_label(issue, hang)
        make_label(issue, race)
        assert "1 issue is in no cell" in words(page(client, "symptom-cause", "?level=2"))


class TestFiles:
    @pytest.mark.usefixtures("pair")
    def test_json_and_csv_hold_the_same_numbers_with_full_addresses(self, client: Client) -> None:
        told = page(client, "symptom-cause", "?format=json").json()
        (record,) = told["records"]
        assert (record["symptom"], record["cause"], record["issues"], record["share"]) == ("hang", "race", TOO_FEW, 1.0)
        assert record["small_sample"] is True
        assert record["query"] == "http://testserver/issues/?symptom=hang&cause=race"
        assert told["counted"] == {"issues": TOO_FEW, "of": TOO_FEW}
        (row,) = csv.DictReader(io.StringIO(page(client, "symptom-cause", "?format=csv").content.decode()))
        assert row["query"] == record["query"]
        assert row["cause_name"] == "'=Race"


class TestFrame:
    @pytest.mark.usefixtures("pair")
    def test_may_be_shown_by_others_and_only_it(self, client: Client) -> None:
        frame = client.get("/explore/charts/symptom-cause/embed")
        assert "X-Frame-Options" not in frame.headers
        assert "frame-ancestors *" in frame.headers["Content-Security-Policy"]
        assert "script-src 'self'" in frame.headers["Content-Security-Policy"]
        whole = page(client, "symptom-cause")
        assert whole.headers["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in whole.headers["Content-Security-Policy"]

    @pytest.mark.usefixtures("pair")
    def test_code_for_it_is_on_the_page(self, client: Client) -> None:
        url = "http://testserver/explore/charts/symptom-cause/embed?framework=deepspeed&amp;measure=share"
        assert f'src="{url}"' in page(
            client, "symptom-cause", "?framework=deepspeed&measure=share"
        ).content.decode().replace("&amp;amp;", "&amp;")


@pytest.mark.usefixtures("pair")
def test_a_link_to_keep_ends_where_it_says_all(client: Client) -> None:
    context = page(client, "symptom-cause").context
    assert context["permalink"] == "http://testserver/explore/charts/symptom-cause/"
    assert context["embed_url"] == "http://testserver/explore/charts/symptom-cause/embed"


@pytest.mark.usefixtures("pair")
def test_addresses_are_paths_of_ours(client: Client) -> None:
    assert urlsplit(page(client, "symptom-cause").context["base"]).netloc == ""
