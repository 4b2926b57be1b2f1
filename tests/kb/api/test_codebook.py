"""What the API says about the codebook, studies, cause links and frameworks."""

import pytest

from kb.models import Crosswalk, PublishedCell, PublishedTable
from kb.services.cause_links import rebuild_cause_links
from tests.kb.api.conftest import Reader
from tests.support.factories import (
    make_axis,
    make_issue,
    make_label,
    make_node,
    make_repository,
    make_source,
    make_study,
)

pytestmark = pytest.mark.django_db


class TestNodes:
    def test_a_node_is_addressed_by_scheme_axis_and_code(self, read: Reader) -> None:
        hang = make_node("hang", aliases=["deadlock"])
        start = make_node("hang-start", parent=hang)
        make_label(make_issue(), start)
        make_label(make_issue(kind="pull_request"), start)
        shown = read("nodes/house/symptom/hang/")
        assert shown["page"] == "http://testserver/codebook/house/symptom/hang"
        assert shown["aliases"] == ["deadlock"]
        assert [child["code"] for child in shown["children"]] == ["hang-start"]
        assert shown["issues"] == 1

    def test_a_merged_node_still_answers_and_names_its_successor(self, read: Reader) -> None:
        make_node("freeze", status="merged", merged_into=make_node("hang"))
        shown = read("nodes/house/symptom/freeze/")
        assert (shown["status"], shown["merged_into"]["code"]) == ("merged", "hang")

    def test_a_published_number_comes_with_its_trust(self, read: Reader) -> None:
        axis = make_axis(scheme="p9", study=make_study("p9"))
        make_node("S1", axis=axis, published_count=12, published_trust="secondary")
        make_node("S2", axis=axis, position=1)
        counted, unknown = read("nodes/", scheme="p9")["results"]
        rest = {"percent": None, "percent_of": None, "trust": "secondary"}
        assert counted["published"] == {"count": 12, "counted": "cases"} | rest
        assert unknown["published"] is None

    def test_phrases_that_a_study_lists_are_no_cases(self, read: Reader) -> None:
        study = make_study("p9")
        axis = make_axis("theme", scheme="p9", study=study)
        make_node("A.1.i", axis=axis)
        table = PublishedTable.objects.create(
            study=study, slug="phrases", rows_by="theme", row_keys=["A.1.i"], unit="phrases", trust="primary",
            not_recounted_reason="No case is labelled.",
        )  # fmt: skip
        PublishedCell.objects.create(table=table, row="A.1.i", count=41)
        (listed,) = read("nodes/", scheme="p9")["results"]
        rest = {"percent": None, "percent_of": None, "trust": "primary"}
        assert listed["published"] == {"count": 41, "counted": "phrases"} | rest

    @pytest.mark.parametrize(
        ("params", "codes"),
        [
            ({"q": "deadlock"}, ["hang"]),
            ({"code": "hang,race"}, ["race", "hang"]),
            ({"axis": "root_cause"}, ["race"]),
            ({"status": "retired"}, []),
            ({"code": "-hang"}, ["race"]),
            ({"scheme": "p9"}, []),
        ],
    )
    def test_they_can_be_filtered(self, read: Reader, params: dict[str, str], codes: list[str]) -> None:
        make_node("hang", aliases=["deadlock"])
        make_node("race", axis=make_axis("root_cause"))
        make_axis(scheme="p9")
        assert [node["code"] for node in read("nodes/", **params)["results"]] == codes


class TestCrosswalks:
    def test_a_relation_has_two_ends_and_a_meaning(self, read: Reader) -> None:
        theirs = make_node("S1", axis=make_axis(scheme="p9", study=make_study("p9")))
        relation = Crosswalk.objects.create(from_node=theirs, to_node=make_node("hang"), relation="broad")
        (shown,) = read("crosswalks/", scheme="p9", to="hang", to_axis="symptom", relation="broad")["results"]
        assert (shown["from_node"]["scheme"], shown["relation"], shown["to_node"]["code"]) == ("p9", "broad", "hang")
        assert read(f"crosswalks/{relation.pk}/") == shown
        assert read("crosswalks/", relation="exact")["results"] == []


class TestCauseLinks:
    def test_a_share_comes_with_its_n_source_and_interval(self, read: Reader) -> None:
        hang, race = make_node("hang"), make_node("race", axis=make_axis("root_cause"))
        misuse = make_node("misuse", axis=make_axis("root_cause"))
        for cause in (race, race, race, misuse):
            issue = make_issue()
            make_label(issue, hang)
            make_label(issue, cause)
        rebuild_cause_links()
        (link,) = read("cause-links/", source="curated", symptom="hang", min_issues="2")["results"]
        assert (link["issues"], link["symptom_issues"], link["all_issues"]) == (3, 4, 4)
        assert link["probability"] == 0.75
        assert 0 < link["probability_low"] < 0.75 < link["probability_high"] < 1
        assert link["source"] == {"slug": "curated", "kind": "curated", "confidence": "high"}
        assert read(f"cause-links/{link['id']}/") == link


class TestStudiesAndSources:
    def test_a_study_says_what_was_not_found(self, read: Reader) -> None:
        make_study("p9", not_found=["per-node counts"], facts=[{"name": "kappa", "value": "0.8", "trust": "primary"}])
        shown = read("studies/p9/")
        assert shown["not_found"] == ["per-node counts"]
        assert shown["facts"] == [{"name": "kappa", "value": "0.8", "trust": "primary", "note": None}]
        assert (shown["authors"], shown["scheme"], shown["imported_issues"]) == (None, None, 0)

    def test_a_source_counts_its_labels_and_issues(self, read: Reader) -> None:
        issue = make_issue()
        make_label(issue, make_node("hang"))
        make_label(issue, make_node("crash"))
        make_label(make_issue(kind="pull_request"), make_node("noise"))
        make_source("silent", kind="consensus")
        sources = {source["slug"]: source for source in read("sources/")["results"]}
        assert (sources["curated"]["labels"], sources["curated"]["issues"]) == (3, 1)
        assert (sources["silent"]["labels"], sources["silent"]["issues"]) == (0, 0)

    def test_a_scheme_lists_its_axes_in_order(self, read: Reader) -> None:
        for code, position in (("stage", 2), ("symptom", 1)):
            axis = make_axis(code)
            axis.position = position
            axis.save()
        shown = read("schemes/house/")
        assert [axis["code"] for axis in shown["axes"]] == ["symptom", "stage"]
        assert (shown["is_house"], shown["study"]) == (True, None)


class TestFrameworks:
    def test_a_framework_counts_true_issues_over_its_repositories(self, read: Reader) -> None:
        examples = make_repository("deepspeedai/DeepSpeedExamples")
        make_issue()
        make_issue(repository=examples)
        make_issue(repository=examples, kind="pull_request")
        make_repository("vllm-project/vllm", "vllm")
        deepspeed, vllm = read("frameworks/")["results"]
        assert (deepspeed["issues"], vllm["issues"]) == (2, 0)
        assert {one["full_name"] for one in deepspeed["repositories"]} == {
            "deepspeedai/DeepSpeed",
            "deepspeedai/DeepSpeedExamples",
        }
        assert read("frameworks/deepspeed/") == deepspeed

    def test_a_repository_lists_its_old_names(self, read: Reader) -> None:
        repository = make_repository()
        repository.aliases.create(host="github.com", full_name="microsoft/DeepSpeed")
        make_repository("vllm-project/vllm", "vllm")
        (shown,) = read("repositories/", framework="deepspeed")["results"]
        assert shown["aliases"] == [{"host": "github.com", "full_name": "microsoft/DeepSpeed"}]
        assert read(f"repositories/{repository.pk}/") == shown


@pytest.mark.usefixtures("starter")
def test_what_there_is_can_be_found_from_the_root(read: Reader) -> None:
    addresses = read("")
    assert addresses["issues"] == "http://testserver/api/v1/issues/"
    assert {"cause-links", "openapi", "docs"} <= set(addresses)
    assert read("schemes/")["count"] >= 9
    assert read("cause-links/", source="curated")["count"] > 20
