"""The studies' pages: published numbers with their trust, what was not found, what is imported."""

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from kb.models import Crosswalk, Kind, Node, Source, Study
from kb.web.studies import mapping_of
from tests.support.factories import make_axis, make_issue, make_label, make_node, make_source, make_study

pytestmark = pytest.mark.django_db
# For the first reader, who has everything counted, claims among it.
MOST_QUERIES = 18
MOST_WARM = 12
MAPPINGS = Path(__file__).parents[3] / "ingest/imports/studies/mappings"


@pytest.fixture
def stalls() -> Node:
    """A study's category with a published count of 3."""
    study = make_study(
        "p9", code="P9", title="A study of stalls", data_url="https://example.org/data", sample_total=12_345,
        sample={"DeepSpeed": 12_000, "vLLM": 345}, not_found=["Fix patterns"], trust_note="Only notes were read.",
        facts=[{"name": "Reports", "value": "12,345", "trust": "secondary", "note": "Rounded."}],
    )  # fmt: skip
    axis = make_axis(scheme="p9", study=study)
    return make_node("P9.S1", axis=axis, name="Stall", published_count=3, published_trust="primary")


def source_of(study: Study) -> Source:
    return make_source(study.slug, name="The labels", kind=Source.Kind.STUDY, study=study)


def words(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


class TestPage:
    @pytest.mark.usefixtures("stalls")
    def test_shows_sample_method_numbers_trust_and_what_was_not_found(self, client: Client) -> None:
        html = words(client, "/studies/p9")
        for text in (
            "A study of stalls", "12,345", "DeepSpeed: 12,000", "Two coders.", "Only notes were read.", "Rounded.",
            "Fix patterns", "none stated", "secondary", "Seen in somebody else",
        ):  # fmt: skip
            assert text in html

    @pytest.mark.usefixtures("stalls")
    def test_says_not_found_where_nothing_is_known(self, client: Client) -> None:
        html = words(client, "/studies/p9")
        assert "Authors not found" in html
        assert "venue not found" in html
        assert "<dt>Period</dt> <dd> not found" in html

    def test_a_study_without_a_scheme_has_a_page_too(self, client: Client) -> None:
        make_study("p8", code="P8", title="A study without categories")
        assert "No categories of this study are known here." in words(client, "/studies/p8")
        listed = words(client, "/studies/")
        assert "none known" in listed
        assert "?scheme=" not in listed
        assert client.get("/api/v1/studies/p8/").json()["scheme"] is None

    def test_names_studies_whose_samples_may_overlap(self, client: Client, stalls: Node) -> None:
        study = stalls.axis.scheme.study
        assert study
        study.overlaps.add(make_study("p8", code="P8"))
        assert "/studies/p8" in words(client, "/studies/p9")

    def test_an_unknown_study_is_not_found(self, client: Client) -> None:
        assert client.get("/studies/nope").status_code == 404

    def test_shows_text_as_text(self, client: Client) -> None:
        evil = "<script>alert(1)</script>"
        study = make_study("p9", title=evil, method=evil, trust_note=evil, not_found=[evil], licence=evil)
        make_node("S1", axis=make_axis(scheme="p9", study=study), name=evil, no_crosswalk_reason=evil)
        assert evil not in words(client, "/studies/p9")
        assert evil not in words(client, "/studies/")


class TestImported:
    @pytest.mark.usefixtures("stalls")
    def test_a_set_that_is_not_imported_comes_with_the_command(self, client: Client) -> None:
        html = words(client, "/studies/p9")
        assert "not imported here" in html
        assert "import_study p9 FILES" in html

    def test_a_study_without_a_data_set_says_so(self, client: Client) -> None:
        study = make_study("p9")
        make_node("S1", axis=make_axis(scheme="p9", study=study))
        html = words(client, "/studies/p9")
        assert "nothing to import" in html
        assert "import_study" not in html

    def test_imported_counts_stand_beside_the_published_ones_with_the_difference(
        self, client: Client, stalls: Node
    ) -> None:
        study = stalls.axis.scheme.study
        assert study
        for kind in (Kind.ISSUE, Kind.PULL_REQUEST):
            make_label(make_issue(kind=kind), stalls, source_of(study))
        (axis,) = client.get("/studies/p9").context["axes"]
        assert [(row.imported, row.difference) for row in axis.rows] == [(2, -1)]
        html = words(client, "/studies/p9")
        assert "1 fewer" in html
        assert "<strong>2 reports</strong>" in html

    @pytest.mark.parametrize(("issues", "said"), [(3, "same"), (5, "2 more")])
    def test_equal_and_larger_counts_are_said_in_words(
        self, client: Client, stalls: Node, issues: int, said: str
    ) -> None:
        study = stalls.axis.scheme.study
        assert study
        for _ in range(issues):
            make_label(make_issue(), stalls, source_of(study))
        assert f">{said}</span>" in words(client, "/studies/p9")

    @pytest.mark.usefixtures("codebook")
    def test_the_command_names_a_mapping_that_ships(self) -> None:
        named = {mapping_of(study) for study in Study.objects.exclude(data_url="")}
        assert named == {path.stem for path in MAPPINGS.glob("*.yaml")}


class TestCrosswalk:
    def test_every_category_has_its_counterpart_or_the_reason_for_none(self, client: Client, stalls: Node) -> None:
        hang = make_node("hang", name="Hang")
        Crosswalk.objects.create(from_node=stalls, to_node=hang, relation="broad")
        make_node("P9.S2", axis=stalls.axis, no_crosswalk_reason="Too vague.")
        html = words(client, "/studies/p9")
        assert f'is narrower than <a href="{hang.get_absolute_url()}">Hang</a>' in html
        assert "no counterpart: Too vague." in html

    @pytest.mark.usefixtures("codebook")
    def test_no_shipped_category_is_without_one(self, client: Client) -> None:
        for study in Study.objects.all():
            assert "reason not stated" not in words(client, study.get_absolute_url())


class TestList:
    def test_stands_in_the_order_of_the_codes(self, client: Client) -> None:
        for slug in ("zebra", "ant", "mole"):
            make_axis(scheme=slug, study=make_study(slug, code={"zebra": "P1", "ant": "P3", "mole": "P2"}[slug]))
        assert [study.code for study in client.get("/studies/").context["studies"]] == ["P1", "P2", "P3"]

    @pytest.mark.usefixtures("stalls")
    def test_shows_size_licence_and_what_is_imported(self, client: Client) -> None:
        make_axis(scheme="p8", study=make_study("p8", code="P8"))
        html = words(client, "/studies/")
        for text in ("A study of stalls", "12,345", "none stated", "not imported", "no data set found"):
            assert text in html

    def test_an_empty_knowledge_base_says_what_to_do(self, client: Client) -> None:
        assert "load_codebook" in words(client, "/studies/")


@pytest.mark.usefixtures("codebook")
@pytest.mark.parametrize(
    "path",
    ["/studies/", "/studies/p1-distributed-frameworks", "/studies/p5-llm-challenges", "/studies/open-llm-failures"],
)
def test_takes_few_queries(client: Client, path: str) -> None:
    for most in (MOST_QUERIES, MOST_WARM):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(path).status_code == 200
        assert len(queries) <= most


def test_a_sample_of_unknown_size_is_said_to_be_not_found(client: Client) -> None:
    study = make_study("p8", code="P8", title="A study without numbers", sample_total=None)
    make_axis(scheme="p8", study=study)
    assert 'data-column="Sample">not found</td>' in words(client, "/studies/")
    assert "<dt>Sample</dt> <dd> not found" in words(client, "/studies/p8")
    assert "sample: not found" in words(client, "/about/")
