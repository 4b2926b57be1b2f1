"""The symptom × cause map: every number on it is what its click shows, for one source at a time."""

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext

from kb.charts.symptom_map import Measure
from kb.models import Node, Source
from kb.search import search
from kb.selectors.cause_links import cause_matrix, sources_with_links
from kb.services.cause_links import rebuild_cause_links
from tests.factories import make_axis, make_issue, make_label, make_node, make_source, make_study

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

pytestmark = pytest.mark.django_db
MOST_QUERIES = 12
LINK = re.compile(r'<a href="(/issues/\?[^"]+)">')


def page(client: Client, query: str = "", status: int = 200) -> "Response":
    response = client.get(f"/map/{query}")
    assert response.status_code == status
    return response


def words(response: "Response") -> str:
    return " ".join(response.content.decode().split())


def figure_of(response: "Response") -> dict[str, Any]:
    found = re.search(r'<script id="map-figure" type="application/json">(.*?)</script>', response.content.decode())
    assert found
    figure: dict[str, Any] = json.loads(found[1])
    return figure


def pairs_of(response: "Response") -> dict[str, int]:
    """Every cell of a map of counts that can be clicked: its address and its number."""
    trace = figure_of(response)["data"][0]
    rows = zip(trace["customdata"], trace["z"], strict=True)
    return {url: int(z) for urls, heights in rows for url, z in zip(urls, heights, strict=True) if url}


def found_by(url: str) -> int:
    """How many issues the search page shows at the address."""
    parts = urlsplit(url)
    assert parts.path == "/issues/"
    return search(QueryDict(parts.query), with_facets=False).total


@pytest.fixture
def nodes() -> dict[str, Node]:
    """Hang and crash, each with a child; two causes, one with a child."""
    causes = make_axis("root_cause")
    hang, crash = make_node("hang", position=0), make_node("crash", position=2)
    race = make_node("race", axis=causes, position=0)
    rows = (
        hang, crash, race,
        make_node("hang-start", parent=hang, position=1), make_node("oops", parent=crash, position=3),
        make_node("stream-race", axis=causes, parent=race, position=1), make_node("typo", axis=causes, position=2),
    )  # fmt: skip
    return {node.code: node for node in rows}


def label(nodes: dict[str, Node], *codes: str, source: Source | None = None) -> None:
    """One issue with these labels."""
    issue = make_issue()
    for code in codes:
        make_label(issue, nodes[code], source)


class TestClicks:
    @pytest.mark.usefixtures("starter")
    @pytest.mark.parametrize("level", [1, 2])
    def test_every_cell_opens_as_many_issues_as_it_says(self, client: Client, level: int) -> None:
        pairs = pairs_of(page(client, f"?level={level}"))
        assert len(pairs) > 30
        for url, number in pairs.items():
            assert found_by(url) == number, url

    @pytest.mark.usefixtures("starter")
    def test_the_search_page_itself_says_the_same(self, client: Client) -> None:
        pairs = sorted(pairs_of(page(client)).items(), key=lambda pair: -pair[1])
        for url, number in pairs[:8]:
            assert client.get(url).context["result"].total == number, url

    def test_a_cell_counts_only_what_its_source_says(self, client: Client, nodes: dict[str, Node]) -> None:
        second = make_source("second", kind=Source.Kind.CONSENSUS)
        issue = make_issue()
        make_label(issue, nodes["hang"])
        make_label(issue, nodes["race"])
        for code in ("hang", "typo"):
            make_label(issue, nodes[code], second)
        label(nodes, "hang", "typo", source=second)
        rebuild_cause_links()
        for source, expected in (("curated", [1]), ("second", [2])):
            pairs = pairs_of(page(client, f"?source={source}"))
            assert list(pairs.values()) == expected
            assert [found_by(url) for url in pairs] == expected

    def test_an_issue_counts_once_for_a_pair_and_in_every_pair_it_is_in(
        self, client: Client, nodes: dict[str, Node]
    ) -> None:
        label(nodes, "hang", "hang-start", "crash", "race", "stream-race")
        rebuild_cause_links()
        pairs = pairs_of(page(client))
        assert sorted(pairs.values()) == [1, 1]
        assert all(found_by(url) == 1 for url in pairs)

    def test_a_studys_cells_open_its_own_categories(self, client: Client) -> None:
        study = make_study("p9", code="P9")
        symptom = make_node("P9.S1", axis=make_axis(scheme="p9", study=study))
        cause = make_node("P9.R1", axis=make_axis("root_cause", scheme="p9", study=study))
        source = make_source("p9-labels", kind=Source.Kind.STUDY, study=study)
        for _ in range(3):
            issue = make_issue()
            make_label(issue, symptom, source)
            make_label(issue, cause, source)
        rebuild_cause_links()
        pairs = pairs_of(page(client, "?source=p9-labels"))
        assert pairs == {"/issues/?node=p9/P9.S1,p9/P9.R1&source=p9-labels": 3}
        assert found_by(next(iter(pairs))) == 3


class TestFigureAndTable:
    @pytest.mark.usefixtures("starter")
    @pytest.mark.parametrize("measure", list(Measure))
    @pytest.mark.parametrize("level", [1, 2])
    def test_offer_the_same_addresses(self, client: Client, measure: Measure, level: int) -> None:
        response = page(client, f"?measure={measure.value}&level={level}")
        drawn = {url for row in figure_of(response)["data"][0]["customdata"] for url in row if url}
        assert {link.replace("&amp;", "&") for link in LINK.findall(response.content.decode())} == drawn

    @pytest.mark.usefixtures("starter")
    @pytest.mark.parametrize("measure", list(Measure))
    def test_show_the_same_numbers(self, client: Client, measure: Measure) -> None:
        response = page(client, f"?measure={measure.value}")
        drawn = [text for row in figure_of(response)["data"][0]["text"] for text in row if text]
        tabled = re.findall(r'<td class="heat-[^"]+">\s*<a href="[^"]+">([^<]+)</a>', response.content.decode())
        plain = re.findall(r'<td >\s*<a href="[^"]+">([^<]+)</a>', response.content.decode())
        assert sorted(tabled + plain) == sorted(drawn)

    def test_a_share_stands_with_its_basis_and_interval(self, client: Client, nodes: dict[str, Node]) -> None:
        for cause in ("race", "typo", "typo", "typo"):
            label(nodes, "hang", cause)
        rebuild_cause_links()
        html = words(page(client, "?measure=share"))
        for text in ("25 % *", "1 of 4", "5–70 %", "75 % *", "Fewer than 10 issues", "Hang (n = 4)"):
            assert text in html

    def test_names_are_shown_as_text(self, client: Client) -> None:
        evil = "</script><script>alert(1)</script>"
        symptom = make_node("hang", name=evil)
        cause = make_node("race", axis=make_axis("root_cause"), name=evil)
        issue = make_issue()
        make_label(issue, symptom)
        make_label(issue, cause)
        rebuild_cause_links()
        assert "<script>alert" not in page(client).content.decode()


class TestLevels:
    def test_groups_hold_what_is_labelled_below_them(self, client: Client, nodes: dict[str, Node]) -> None:
        label(nodes, "hang-start", "stream-race")
        rebuild_cause_links()
        assert list(pairs_of(page(client))) == ["/issues/?symptom=hang&cause=race&source=curated"]

    def test_categories_are_the_finer_ones_and_groups_without_any(self, client: Client, nodes: dict[str, Node]) -> None:
        label(nodes, "hang-start", "stream-race")
        label(nodes, "oops", "typo")
        rebuild_cause_links()
        assert set(pairs_of(page(client, "?level=2"))) == {
            "/issues/?symptom=hang-start&cause=stream-race&source=curated",
            "/issues/?symptom=oops&cause=typo&source=curated",
        }

    def test_a_group_whose_categories_are_all_retired_stands_for_itself(
        self, client: Client, nodes: dict[str, Node]
    ) -> None:
        label(nodes, "crash", "typo")
        Node.objects.filter(code="oops").update(status=Node.Status.RETIRED)
        rebuild_cause_links()
        assert list(pairs_of(page(client, "?level=2"))) == ["/issues/?symptom=crash&cause=typo&source=curated"]

    def test_issues_too_coarse_for_the_level_are_counted(self, client: Client, nodes: dict[str, Node]) -> None:
        label(nodes, "hang-start", "stream-race")
        label(nodes, "hang", "typo")
        label(nodes, "oops", "race")
        label(nodes, "oops")
        rebuild_cause_links()
        source = Source.objects.get()
        assert cause_matrix(source=source, level=1).beyond == 0
        assert cause_matrix(source=source, level=2).beyond == 2
        assert "2 issues of the source are in no cell" in words(page(client, "?level=2"))

    def test_categories_without_an_issue_are_named(self, client: Client, nodes: dict[str, Node]) -> None:
        label(nodes, "hang", "race")
        rebuild_cause_links()
        html = words(page(client))
        assert "No issue of the source:" in html
        assert nodes["crash"].get_absolute_url() in html


class TestState:
    @pytest.mark.usefixtures("starter")
    def test_is_in_the_address_and_every_switch_keeps_the_rest(self, client: Client) -> None:
        response = page(client, "?source=curated&measure=lift&level=2")
        switches = {switch["label"]: switch["choices"] for switch in response.context["switches"]}
        assert [c["name"] for s in switches.values() for c in s if c["selected"]][1:] == ["Lift", "Categories"]
        (groups,) = (choice["url"] for choice in switches["Level"] if not choice["selected"])
        assert QueryDict(groups[1:]).dict() == {"source": "curated", "measure": "lift", "level": "1"}

    @pytest.mark.usefixtures("starter")
    @pytest.mark.parametrize("query", ["?measure=nope", "?level=nine", "?level=3&measure=", "?measure=%00"])
    def test_what_is_not_known_falls_back(self, client: Client, query: str) -> None:
        assert page(client, query).context["measure"]["value"] == "count"

    def test_the_most_trusted_source_comes_first(self, nodes: dict[str, Node]) -> None:
        sources = [make_source(kind.value, kind=kind) for kind in (Source.Kind.RULE, Source.Kind.CONSENSUS)]
        for source in (*sources, make_source()):
            label(nodes, "hang", "race", source=source)
        rebuild_cause_links()
        assert [row.source.kind for row in sources_with_links()] == ["curated", "consensus"]

    def test_what_rules_suggest_is_on_the_map_only_for_who_asks_for_it(self, nodes: dict[str, Node]) -> None:
        rules = make_source("rule", kind=Source.Kind.RULE)
        label(nodes, "hang", "race", source=rules)
        assert rebuild_cause_links() == 0
        assert rebuild_cause_links(source=rules) == 1

    @pytest.mark.usefixtures("starter")
    def test_n_source_trust_and_time_are_stated(self, client: Client) -> None:
        html = words(page(client))
        known = sources_with_links()[0].issues
        assert f"n = {known} issues" in html
        for text in ("Faultbook curators", "confidence high", "counts once in each cell", "never pooled", "Links last"):
            assert text in html


class TestEmpty:
    def test_no_links_at_all_says_how_to_get_some(self, client: Client) -> None:
        html = words(page(client))
        assert "nothing to draw" in html
        assert "load_starter" in html
        assert "plotly" not in html.split("</head>")[1]

    def test_an_unknown_source_is_not_found_and_the_known_ones_are_offered(
        self, client: Client, nodes: dict[str, Node]
    ) -> None:
        label(nodes, "hang", "race")
        rebuild_cause_links()
        html = words(page(client, "?source=<b>nope", status=404))
        assert "&lt;b&gt;nope" in html
        assert "?source=curated" in html


@pytest.mark.usefixtures("starter")
@pytest.mark.parametrize("query", ["", "?measure=share", "?level=2&measure=lift", "?source=nope"])
def test_takes_few_queries(client: Client, query: str) -> None:
    with CaptureQueriesContext(connection) as queries:
        client.get(f"/map/{query}")
    assert len(queries) <= MOST_QUERIES
