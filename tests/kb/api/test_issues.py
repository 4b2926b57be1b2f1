"""What the API says about issues and fixes."""

import datetime as dt

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from kb.models import Issue, Node, OtherReport
from kb.search import Match
from tests.kb.api.conftest import Reader
from tests.support.engines import PutIssuesIn
from tests.support.factories import (
    make_axis,
    make_fix,
    make_issue,
    make_label,
    make_node,
    make_repository,
    make_source,
    make_study,
)

pytestmark = pytest.mark.django_db
NO_LISTS = (
    "charts", "check", "diagnose", "docs", "openapi", "openapi_yaml", "search_suggest", "search_similar", "upgrades",
    "priorities", "quality", "check_report",
)  # fmt: skip


@pytest.fixture
def hang() -> Issue:
    """An issue that has everything."""
    issue = make_issue(
        5030,
        title="[BUG] stuck",
        heading="ZeRO-3 hangs when experts are skipped",
        summary="Ranks wait for each other in all_gather.",
        recognise=["Watchdog caught collective operation timeout"],
        resolution="Mark the block as a leaf module.",
        affected_versions=["0.12"],
        state="closed",
        opened_at=dt.datetime(2024, 1, 31, tzinfo=dt.UTC),
        closed_at=dt.datetime(2024, 2, 2, tzinfo=dt.UTC),
        body="The host's own words.",
        evidence=[{"url": "https://example.org/1", "supports": "cause", "by": "maintainer"}],
        related_urls=["https://github.com/deepspeedai/DeepSpeed/issues/1"],
    )
    symptom = make_node("hang")
    cause = make_node("mismatched-collectives", axis=make_axis("root_cause"))
    make_label(issue, symptom, reason="No progress and no exit.")
    make_label(issue, cause)
    issue.fixes.add(make_fix(4966, additions=60, deletions=9, files_changed=5, merged_on=dt.date(2024, 2, 1)))
    return issue


class TestOneIssue:
    def test_a_pull_request_answers_too_since_fixes_and_relatives_name_it(self, read: Reader) -> None:
        pull = make_issue(7, kind="pull_request")
        assert read(f"issues/{pull.pk}/")["kind"] == "pull_request"
        assert read("issues/")["count"] == 0

    def test_the_original_and_our_page_are_two_addresses(self, read: Reader, hang: Issue) -> None:
        shown = read(f"issues/{hang.pk}/")
        assert shown["url"] == "https://github.com/deepspeedai/DeepSpeed/issues/5030"
        assert shown["page"] == f"http://testserver/issues/{hang.public_id}"

    def test_our_page_is_below_the_sites_address_where_that_is_set(
        self, read: Reader, hang: Issue, settings: Settings
    ) -> None:
        settings.SITE_URL = "https://faultbook.example/"
        assert read(f"issues/{hang.pk}/")["page"].startswith("https://faultbook.example/issues/")

    def test_labels_stand_by_axis_with_who_holds_them_and_why(self, read: Reader, hang: Issue) -> None:
        labels = read(f"issues/{hang.pk}/")["labels"]
        assert labels["symptom"] == [
            {
                "code": "hang",
                "name": "Hang",
                "source": {"slug": "curated", "kind": "curated", "confidence": "high"},
                "reason": "No progress and no exit.",
                "page": "http://testserver/codebook/house/symptom/hang",
            }
        ]
        assert labels["root_cause"][0]["reason"] is None
        assert labels["theme"] == []

    def test_a_studys_labels_are_kept_apart(self, read: Reader, hang: Issue) -> None:
        study = make_study("p9")
        node = make_node("S1", axis=make_axis(scheme="p9", study=study))
        make_label(hang, node, make_source("p9-labels", kind="study", study=study))
        shown = read(f"issues/{hang.pk}/")
        assert [label["code"] for label in shown["study_labels"]["p9"]["symptom"]] == ["S1"]
        assert [label["code"] for label in shown["labels"]["symptom"]] == ["hang"]

    def test_fixes_are_inline_with_their_size(self, read: Reader, hang: Issue) -> None:
        (fix,) = read(f"issues/{hang.pk}/")["fixes"]
        assert fix["url"].endswith("/pull/4966")
        assert (fix["lines_changed"], fix["files_changed"], fix["is_small"], fix["merged_on"]) == (
            69,
            5,
            False,
            "2024-02-01",
        )

    def test_what_is_not_stated_is_null(self, read: Reader, hang: Issue) -> None:
        shown = read(f"issues/{hang.pk}/")
        assert shown["resolution"] == "Mark the block as a leaf module."
        assert [shown[key] for key in ("workaround", "fixed_version", "comment_count", "read_on")] == [None] * 4

    def test_durations_are_seconds(self, read: Reader, hang: Issue) -> None:
        assert read(f"issues/{hang.pk}/")["open_seconds"] == 2 * 24 * 3600

    def test_relatives_are_listed_whether_we_hold_them_or_not(self, read: Reader, hang: Issue) -> None:
        held = make_issue(860, heading="Loading hangs")
        hang.related.add(held)
        unknown, known = read(f"issues/{hang.pk}/")["related"]
        assert (unknown["url"][-8:], unknown["id"], unknown["page"]) == ("issues/1", None, None)
        assert (known["id"], known["title"]) == (held.pk, "Loading hangs")

    def test_what_a_record_says_to_do_and_what_it_answers(self, read: Reader, hang: Issue) -> None:
        neighbours = [{"url": "https://github.com/a/b/issues/3", "tell": "There it ends."}]
        Issue.objects.filter(pk=hang.pk).update(fix_line="Set `A=1`.", model_names=["GPT-2"], neighbours=neighbours)
        OtherReport.objects.create(record=hang, repository=hang.repository, ref="7")
        for shown in (
            read(f"issues/{hang.pk}/"),
            read("issues/", url="https://github.com/deepspeedai/DeepSpeed/issues/7"),
        ):
            shown = shown["results"][0] if "results" in shown else shown
            assert (shown["fix_line"], shown["models"], shown["neighbours"]) == ("Set `A=1`.", ["GPT-2"], neighbours)
            assert shown["same_as"] == ["https://github.com/deepspeedai/DeepSpeed/issues/7"]
            assert (shown["snippet"], shown["also_seen"], shown["certainty"], shown["checked_on"]) == (
                None,
                [],
                None,
                None,
            )

    def test_the_mirrored_text_is_in_the_detail_only(self, read: Reader, hang: Issue) -> None:
        assert read(f"issues/{hang.pk}/")["body"] == "The host's own words."
        assert "body" not in read("issues/")["results"][0]

    @pytest.mark.parametrize("pk", ["0", "99999999", "9" * 40])
    def test_a_number_that_nobody_has_is_not_found(self, read: Reader, pk: str) -> None:
        assert read(f"issues/{pk}/", expect=404)["title"] == "Not Found"


class TestLookingUpAnAddress:
    @pytest.mark.parametrize(
        "address",
        [
            "https://github.com/deepspeedai/DeepSpeed/issues/5030",
            "http://www.github.com/DeepSpeedAI/deepspeed/issues/5030/#issuecomment-1",
            "https://github.com/microsoft/DeepSpeed/issues/5030",
        ],
    )
    def test_every_form_of_the_address_finds_it_and_old_names_too(
        self, read: Reader, hang: Issue, address: str
    ) -> None:
        hang.repository.aliases.create(host="github.com", full_name="microsoft/DeepSpeed")
        found = read("issues/", url=address)
        assert [issue["id"] for issue in found["results"]] == [hang.pk]
        assert (found["query"]["text"], found["query"]["match"]) == (address, "none")

    @pytest.mark.usefixtures("hang")
    def test_an_address_that_is_not_held_gives_an_empty_page(self, read: Reader) -> None:
        assert read("issues/", url="https://github.com/a/b/issues/1")["results"] == []

    def test_something_else_is_refused_with_a_reason(self, read: Reader) -> None:
        (fault,) = read("issues/", url="DeepSpeed", expect=400)["errors"]
        assert fault == {"parameter": "url", "detail": "not a web address: it must begin with https://."}

    def test_it_stands_alone(self, read: Reader) -> None:
        (fault,) = read("issues/", url="https://github.com/a/b/issues/1", q="x", state="open", expect=400)["errors"]
        assert fault["detail"] == "Cannot be combined with: q, state."


class TestNamingAnIssue:
    @pytest.mark.parametrize("path", ["issues/", "search/"])
    def test_a_name_or_an_address_finds_it_alone(self, read: Reader, hang: Issue, path: str) -> None:
        make_issue(5242, title="The same as DeepSpeed 5030")
        for q in (
            "DeepSpeed#5030",
            hang.url,
            "deepspeedai/DeepSpeed/issues/5030",
            f"<{hang.url}>",
            "(DeepSpeed#5030).",
        ):
            found = read(path, q=q)
            assert [issue["url"] for issue in found["results"]] == [hang.url]
            assert (found["count"], found["query"]["is_close"], found["query"]["message"]) == (1, True, None)

    @pytest.mark.usefixtures("hang")
    @pytest.mark.parametrize("path", ["issues/", "search/"])
    @pytest.mark.parametrize("q", ["DeepSpeed#5242", "https://github.com/deepspeedai/DeepSpeed/issues/5242"])
    def test_an_unknown_one_finds_nothing_and_says_so(self, read: Reader, path: str, q: str) -> None:
        found = read(path, q=q)
        assert (found["count"], found["results"], found["query"]["is_close"]) == (0, [], False)
        assert found["query"]["message"] == "DeepSpeed#5242 is not known here."

    def test_a_chart_counts_it_alone(self, read: Reader, hang: Issue) -> None:
        make_label(make_issue(2, title="DeepSpeed 5030"), Node.objects.get(code="hang"))
        counted = [read("charts/symptom-cause/", q=q)["counted"]["all_issues"] for q in ("", hang.url, "DeepSpeed#99")]
        assert counted == [2, 1, 0]


class TestSearching:
    def test_it_takes_the_pages_words_and_filters(self, read: Reader, hang: Issue) -> None:
        make_issue(2, title="Something else")
        found = read("issues/", q="all_gather", symptom="hang", framework="deepspeed", has_fix="true", sort="newest")
        assert [issue["id"] for issue in found["results"]] == [hang.pk]
        assert (found["query"]["text"], found["query"]["match"]) == ("all_gather", Match.ALL.value)

    @pytest.mark.usefixtures("hang")
    def test_it_says_when_only_some_words_were_found(self, read: Reader) -> None:
        make_issue(2, title="A zebra crosses")
        query = read("issues/", q="hangs zebra")["query"]
        assert (query["match"], query["least"], query["wanted"]) == ("some", 1, 2)

    @pytest.mark.usefixtures("hang")
    def test_it_names_the_words_that_stand_nowhere(self, read: Reader) -> None:
        assert read("issues/", q="hangs zebra")["query"]["unknown"] == ["zebra"]

    @pytest.mark.usefixtures("hang")
    def test_words_that_all_stand_nowhere_find_nothing_and_not_everything(self, read: Reader) -> None:
        found = read("issues/", q="zebra crossing")
        assert (found["count"], found["query"]["is_close"]) == (0, False)
        assert found["query"]["message"] == "Nothing matches."

    @pytest.mark.usefixtures("hang")
    def test_the_number_of_results_is_that_of_the_page(self, read: Reader) -> None:
        make_issue(2, kind="pull_request")
        assert read("issues/")["count"] == 1
        assert read("issues/", kind="pull_request")["count"] == 1

    @pytest.mark.usefixtures("hang")
    def test_facets_are_counted_only_when_asked_for(self, read: Reader) -> None:
        assert read("issues/")["facets"] is None
        assert read("issues/", facets="true", q="xyzzy")["facets"] == []
        groups = {group["key"]: group for group in read("issues/", facets="true", framework="deepspeed")["facets"]}
        assert groups["symptom"]["label"] == "Symptom"
        assert groups["symptom"]["values"] == [
            {
                "value": "hang",
                "label": "Hang",
                "count": 1,
                "selected": False,
                "toggle_url": "http://testserver/api/v1/issues/?facets=true&framework=deepspeed&symptom=hang",
                "depth": 0,
            }
        ]
        (chosen,) = groups["framework"]["values"]
        assert chosen["selected"]

    @pytest.mark.usefixtures("hang")
    def test_a_facets_count_is_what_its_link_gives(self, read: Reader, client: Client) -> None:
        make_issue(2, repository=make_repository("vllm-project/vllm", "vllm"))
        for group in read("issues/", facets="true", framework="vllm")["facets"]:
            for value in group["values"]:
                if not value["selected"] and group["key"] != "framework":
                    assert client.get(value["toggle_url"]).json()["count"] == value["count"]

    @pytest.mark.parametrize(
        ("name", "value", "says"),
        [
            ("state", "ajar", "open, closed, unknown"),
            ("trust", "blind", "consensus, curated, study, rule"),
            ("sort", "upwards", "relevance, newest"),
            ("year", "2024.5", "whole number"),
            ("year", "2100000", "2100"),
            ("has_fix", "perhaps", "true, false"),
            ("facets", "yes", "true, false"),
            ("framework", "a\x00b", "Null characters"),
            ("q", "x" * 100_001, "100,000"),
            ("match", "all", "any"),
            ("framework", "deepsped", "is not a framework here"),
            ("q", "symtom:x", "Nearest: “symptom:”"),
            ("node", "a/b,a/b,a/b,a/b,a/b,a/b", "At most 5"),
        ],
    )
    def test_a_wrong_value_is_refused_with_what_would_be_right(
        self, read: Reader, name: str, value: str, says: str
    ) -> None:
        (fault,) = read("issues/", expect=400, **{name: value})["errors"]
        assert fault["parameter"] == name
        assert says in fault["detail"]

    def test_only_the_wanted_keys_come_back(self, read: Reader, hang: Issue) -> None:
        assert read("issues/", fields="url,labels")["results"][0].keys() == {"url", "labels"}
        assert read(f"issues/{hang.pk}/", fields="body").keys() == {"body"}

    def test_a_key_that_does_not_exist_is_refused_with_those_that_do(self, read: Reader) -> None:
        (fault,) = read("issues/", fields="url,colour", expect=400)["errors"]
        assert fault["parameter"] == "fields"
        assert "“colour”" in fault["detail"]
        assert "resolution" in fault["detail"]

    def test_a_page_of_25_takes_at_most_12_statements(
        self,
        read: Reader,
        hang: Issue,
        search_index: PutIssuesIn,
        django_assert_max_num_queries: DjangoAssertNumQueries,
    ) -> None:
        for i in range(30):
            one = make_issue(title=f"hang {i}")
            make_label(one, make_node(f"node-{i}"))
            one.fixes.add(make_fix())
            one.related.add(hang)
        search_index()
        with django_assert_max_num_queries(12):
            found = read("issues/", q="hang", facets="true", state="unknown", page_size="25")
        assert len(found["results"]) == 25

    @pytest.mark.usefixtures("hang")
    def test_keys_that_are_left_out_cost_nothing(
        self, read: Reader, search_index: PutIssuesIn, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        search_index()
        with django_assert_num_queries(1):
            read("issues/", fields="url,page,framework,resolution")


@pytest.mark.usefixtures("starter")
class TestTheStarterKnowledgeBase:
    def test_hang_in_zero_3_gives_real_hangs_with_cause_fix_pattern_and_fix(self, read: Reader) -> None:
        found = read("issues/", q="hang in ZeRO-3")
        assert found["query"]["match"] == "all"
        complete = [
            issue
            for issue in found["results"]
            if issue["framework"]["slug"] == "deepspeed"
            and issue["url"].startswith("https://github.com/deepspeedai/DeepSpeed/issues/")
            and "hang" in {label["code"].split("-")[0] for label in issue["labels"]["symptom"]}
            and issue["labels"]["root_cause"]
            and issue["labels"]["fix_pattern"]
            and any("github.com" in fix["url"] for fix in issue["fixes"])
        ]
        assert len(complete) >= 2

    def test_every_list_answers_within_12_statements(
        self,
        client: Client,
        read: Reader,
        search_index: PutIssuesIn,
        django_assert_max_num_queries: DjangoAssertNumQueries,
    ) -> None:
        search_index()
        addresses = {name: url for name, url in read("").items() if name not in NO_LISTS}
        assert len(addresses) == 16
        for url in addresses.values():
            with django_assert_max_num_queries(12):
                page = client.get(url, {"page_size": 100})
            assert page.json()["results"], url
