"""The order of trust is one: consensus of people before curated labels before studies before rules, in every face."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from kb.charts.counting import sources_of_house
from kb.core.diagnosis.schema import DiagnosedCause
from kb.core.knowledge.causes import likely_causes
from kb.core.search.cards import from_json
from kb.diagnose.stored import StoredKnowledge
from kb.models import Issue, Label, Node, Source
from kb.search import names
from kb.search.documents import documents
from kb.selectors import catalogue, overview
from kb.selectors.cause_link_page import same_pair_elsewhere
from kb.selectors.cause_links import links_of_node
from kb.services.cause_links import rebuild_cause_links
from tests.kb.web.reading import visit
from tests.support.factories import make_axis, make_issue, make_label, make_node, make_source, make_study

pytestmark = pytest.mark.django_db
KINDS = ["consensus", "curated", "study", "rule"]
# Named against every other order: by slug, by name and by the order of being made they stand the other way round.
HOLDERS = {"rule": "rule", "b-study": "study", "curated": "curated", "z-team": "consensus"}
IN_ORDER = ["z-team", "curated", "b-study", "rule"]


@pytest.fixture
def issue() -> Issue:
    """An issue on which a team's consensus, a curated record, a study and rules each hold a symptom and a cause."""
    issue = make_issue(heading="Training stalls", summary="It stalls.")
    study = make_study("b-study")
    axes = [make_axis("symptom"), make_axis("root_cause")]
    shared = [make_node(f"{axis.code}-all", axis=axis, position=9) for axis in axes]
    for place, (slug, kind) in enumerate(HOLDERS.items()):
        source = make_source(slug, name=f"{place} {slug}", kind=kind, study=study if kind == "study" else None)
        for axis, node in zip(axes, shared, strict=True):
            make_label(issue, make_node(f"{axis.code}-{kind}", axis=axis, position=place), source)
            make_label(issue, node, source)
    rebuild_cause_links()
    names.forget()
    return issue


def ordered(found: Iterable[str], wanted: Sequence[str] = IN_ORDER) -> bool:
    """Do those that are found stand in the order of trust, each once, and the first two among them?"""
    seen = list(dict.fromkeys(found))
    return seen == [one for one in wanted if one in seen] and set(wanted[:2]) <= set(seen)


def places(text: str, words: Sequence[str]) -> list[str]:
    """The words that the text holds, by where they stand first."""
    return sorted((word for word in words if word in text), key=text.index)


class TestData:
    def test_the_kinds_stand_in_it(self) -> None:
        assert Source.Kind.values == KINDS

    def test_sources_stand_in_it_alone_and_behind_labels(self, issue: Issue) -> None:
        assert ordered(source.slug for source in Source.objects.all())
        assert ordered(Label.objects.filter(issue=issue).order_by("source").values_list("source__slug", flat=True))
        assert ordered(source.slug for source in sorted(Source.objects.all(), key=lambda source: source.by_trust))

    def test_cause_links_and_their_sources_stand_in_it(self, issue: Issue) -> None:
        del issue
        symptom, cause = Node.objects.get(code="symptom-all"), Node.objects.get(code="root_cause-all")
        assert ordered(link.source.slug for link in catalogue.cause_links())
        assert ordered(one.source.slug for one in links_of_node(node=symptom))
        assert ordered(link.source.slug for link in same_pair_elsewhere(symptom=symptom, cause=cause))

    def test_a_diagnosis_takes_the_probability_from_the_most_trusted(self, issue: Issue) -> None:
        del issue
        said: DiagnosedCause = {"code": "root_cause-all", "likelihood": 0.5, "why": "A line says so."}
        (cause,) = likely_causes([said], "symptom-all", [], StoredKnowledge())
        assert cause["probability"] is not None
        assert cause["probability"]["source"] == Source.objects.get(slug="z-team").name

    def test_what_is_counted_names_its_sources_in_it(self, issue: Issue) -> None:
        del issue
        slugs = dict(Source.objects.values_list("pk", "slug"))
        assert ordered(slugs[pk] for pk in sources_of_house().values())

    def test_a_row_of_results_names_its_sources_in_it(self, issue: Issue) -> None:
        (document,) = documents([issue.pk])
        assert ordered(source.slug for source in from_json(document.card).sources)


class TestPages:
    def test_an_issues_labels_and_explanations_stand_in_it(self, client: Client, issue: Issue) -> None:
        html = client.get(issue.get_absolute_url()).content.decode()
        table = html.partition('id="labels-heading"')[2].partition("</table>")[0]
        for group in table.split('scope="rowgroup"')[1:]:
            assert ordered(re.findall(r'class="held held-(\w+)"', group), KINDS)

    def test_a_teams_way_to_its_answers_stands_above_the_two_passes(self) -> None:
        template = (settings.BASE_DIR / "templates/kb/issue/_issue_provenance.html").read_text(encoding="utf-8")
        assert template.index("_issue_known.html") < template.index("_issue_read_twice.html")

    def test_the_page_about_the_data_tells_it(self, client: Client, issue: Issue) -> None:
        del issue
        html = client.get("/about/").content.decode().partition('id="trust"')[2]
        assert ordered(re.findall(r'class="held held-(\w+)"', html), KINDS)
        assert ordered(row.source.slug for row in overview.quality().sources)

    def test_explore_offers_and_names_sources_in_it(self, client: Client, issue: Issue) -> None:
        del issue
        html = client.get("/explore/charts/symptom-cause/").content.decode()
        for key, wanted in (("trust", KINDS), ("source", IN_ORDER)):
            offered = re.search(rf'<select[^>]*name="{key}".*?</select>', html, re.DOTALL)
            assert offered is not None
            assert ordered(filter(None, re.findall(r'<option value="([^"]*)"', offered[0])), wanted)
        words = visit(client, "/explore/charts/symptom-cause/").words.partition("Answers in the house codebook by")[2]
        assert ordered(places(words, list(Source.objects.values_list("name", flat=True))), _names())

    def test_a_report_names_its_sources_in_it(self, client: Client, issue: Issue) -> None:
        del issue
        response = client.get("/explore/report/")
        assert ordered(source.slug for source in response.context["sources"])


class TestApi:
    def test_sources_and_an_issues_labels_stand_in_it(self, client: Client, issue: Issue) -> None:
        listed = client.get("/api/v1/sources/").json()["results"]
        assert ordered(source["slug"] for source in listed)
        labels = client.get(f"/api/v1/issues/{issue.pk}/").json()["labels"]
        for axis in ("symptom", "root_cause"):
            assert ordered(label["source"]["slug"] for label in labels[axis])

    def test_all_cause_links_are_read_in_it_page_by_page(self, client: Client, issue: Issue) -> None:
        del issue
        whole = client.get("/api/v1/cause-links/?page_size=50").json()["results"]
        read: list[dict[str, Any]] = []
        address = "/api/v1/cause-links/?page_size=1&cursor="
        while address:
            page = client.get(address).json()
            read += page["results"]
            address = page["next"]
        assert read == whole
        assert ordered(link["source"]["slug"] for link in whole)

    def test_a_chart_names_its_sources_in_it(self, client: Client, issue: Issue) -> None:
        del issue
        drawn = client.get("/api/v1/charts/symptom-cause/").json()
        assert ordered((one["name"] for one in drawn["sources"]), _names())

    def test_its_description_tells_it(self, client: Client) -> None:
        schemas = client.get("/api/v1/openapi.json").json()["components"]["schemas"]
        assert schemas["SourceKind"]["enum"] == KINDS
        said = schemas["SourceRef"]["properties"]["kind"]["description"]
        assert "most trusted first" in said
        assert places(said, [f"`{kind}`" for kind in KINDS]) == [f"`{kind}`" for kind in KINDS]


def test_documents_tell_it() -> None:
    handbook, searching = (
        (settings.BASE_DIR / "docs" / name).read_text(encoding="utf-8") for name in ("handbook.md", "searching.md")
    )
    assert "most trusted first: consensus, curated, study, rule" in handbook
    assert "| `trust` | `consensus`, `curated`, `study`" in searching


def _names() -> list[str]:
    by_slug = dict(Source.objects.values_list("slug", "name"))
    return [by_slug[slug] for slug in IN_ORDER]
