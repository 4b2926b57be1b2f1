"""The fast search: short results straight from the index, completions, and issues that are like a draft."""

import datetime as dt
import json
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.models import Issue
from tests.kb.api.conftest import Reader
from tests.support.engines import PutIssuesIn
from tests.support.factories import (
    make_axis,
    make_fix,
    make_issue,
    make_label,
    make_node,
    make_other_report,
    make_repository,
)

pytestmark = pytest.mark.django_db
RESULT_KEYS = {
    "id", "public_id", "url", "page", "name", "title", "framework", "framework_name", "repository", "kind", "state",
    "opened_at", "closed_at", "comments", "curated", "resolved", "start", "fix_line", "certainty", "answered_by",
    "symptoms", "causes", "patterns", "suggested", "fix", "more_fixes", "sources", "passage", "score", "measures",
    "why",
}  # fmt: skip
# What most issues hold tells them apart too little to be looked for, so there are some more.
SLOW, OTHERS = 10, 30


@pytest.fixture
def hang(search_index: PutIssuesIn) -> Issue:
    """An issue that has everything, among others; all of them indexed."""
    issue = make_issue(
        5030,
        heading="ZeRO-3 hangs when experts are skipped",
        summary="Ranks wait for each other in all_gather and never go on.",
        resolution="Mark the block as a leaf module.",
        state="closed",
        opened_at=dt.datetime(2024, 1, 31, tzinfo=dt.UTC),
        closed_at=dt.datetime(2024, 2, 2, tzinfo=dt.UTC),
        comment_count=4,
    )
    make_label(issue, make_node("hang"))
    make_label(issue, make_node("mismatched-collectives", axis=make_axis("root_cause")))
    make_label(issue, make_node("leaf-module", axis=make_axis("fix_pattern")))
    issue.fixes.add(make_fix(4966, additions=60, deletions=9), make_fix(4967))
    vllm = make_repository("vllm-project/vllm", "vllm")
    for i in range(OTHERS):
        title, body = ("Slow start", "The server takes minutes.") if i < SLOW else ("Wrong output", "It says nothing.")
        make_issue(i + 1, repository=vllm, title=f"{title} number {i}", body=body)
    search_index()
    return issue


class TestResults:
    def test_a_result_is_the_issue_at_a_glance(self, read: Reader, hang: Issue) -> None:
        (shown,) = read("search/", q="experts skipped")["results"]
        assert set(shown) == RESULT_KEYS
        assert shown["url"] == "https://github.com/deepspeedai/DeepSpeed/issues/5030"
        assert shown["public_id"] == hang.public_id
        assert shown["page"] == f"http://testserver/issues/{hang.public_id}"
        assert (shown["opened_at"], shown["comments"]) == ("2024-01-31T00:00:00Z", 4)
        assert (shown["curated"], shown["resolved"], shown["more_fixes"]) == (True, True, 1)
        page = "http://testserver/codebook/house/symptom/hang"
        assert shown["symptoms"] == [{"code": "hang", "name": "Hang", "page": page}]
        assert [node["code"] for node in shown["causes"] + shown["patterns"]] == [
            "mismatched-collectives", "leaf-module",
        ]  # fmt: skip
        assert shown["fix"]["name"] == "deepspeedai/DeepSpeed#4966"
        assert (shown["fix"]["lines"], shown["fix"]["is_small"]) == (69, False)
        assert [source["slug"] for source in shown["sources"]] == ["curated"]

    def test_it_says_what_to_do_and_who_answers_a_report(
        self, read: Reader, hang: Issue, search_index: PutIssuesIn
    ) -> None:
        Issue.objects.filter(pk=hang.pk).update(fix_line="Set `A=1`.", certainty="likely")
        make_other_report(hang, make_issue(7, title="Blanks and nothing else"))
        search_index()
        (shown,) = read("search/", q="experts skipped")["results"]
        assert (shown["fix_line"], shown["certainty"], shown["answered_by"]) == ("Set `A=1`.", "likely", None)
        (shown,) = read("search/", q="blanks")["results"]
        assert (shown["answered_by"]["name"], shown["answered_by"]["fix_line"]) == ("DeepSpeed#5030", "Set `A=1`.")

    @pytest.mark.usefixtures("hang")
    def test_it_says_why_it_was_found(self, read: Reader) -> None:
        (shown,) = read("search/", q="experts all_gather")["results"]
        assert [piece["text"] for piece in shown["passage"] if piece["is_hit"]] == ["all_gather"]
        assert (shown["why"]["title"], shown["why"]["elsewhere"]) == (["experts"], ["all_gather"])
        assert shown["score"] > 0
        assert 0 < shown["measures"]["title"] < 1

    @pytest.mark.usefixtures("hang")
    def test_without_words_there_is_nothing_to_explain(self, read: Reader) -> None:
        shown = read("search/", framework="deepspeed")["results"][0]
        assert (shown["passage"], shown["score"], shown["measures"]) == ([], None, {})
        assert shown["start"].startswith("Ranks wait")

    @pytest.mark.usefixtures("hang")
    def test_only_the_wanted_keys_come_back(self, read: Reader) -> None:
        assert read("search/", q="experts", fields="title,url")["results"][0].keys() == {"url", "title"}

    @pytest.mark.usefixtures("hang")
    def test_it_finds_the_same_in_the_same_order_as_the_full_list(self, read: Reader) -> None:
        for params in ({"q": "hang slow start"}, {"q": "slow", "sort": "discussed"}, {"state": "closed"}):
            short, full = read("search/", page_size="25", **params), read("issues/", **params)
            assert [one["id"] for one in short["results"]] == [one["id"] for one in full["results"]]
            assert (short["count"], short["query"]) == (full["count"], full["query"])

    @pytest.mark.usefixtures("hang")
    def test_a_warm_search_asks_the_database_nothing(
        self, read: Reader, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        address = {"q": "hang symptom:hang", "framework": "deepspeed"}
        first = read("search/", **address)
        with django_assert_num_queries(0):
            assert read("search/", **address) == first

    def test_while_there_is_no_index_the_database_stands_in(self, read: Reader) -> None:
        make_issue(1, title="Training hangs")
        found = read("search/", q="hang")
        assert [one["name"] for one in found["results"]] == ["DeepSpeed#1"]
        assert (found["query"]["engine"], found["query"]["is_fallback"]) == ("postgres", True)


class TestPages:
    @pytest.mark.usefixtures("hang")
    def test_10_results_come_on_a_page_and_links_lead_on(self, read: Reader, client: Client) -> None:
        first = read("search/", framework="vllm")
        assert (first["count"], len(first["results"]), first["previous"]) == (OTHERS, 10, None)
        second = client.get(first["next"]).json()
        third = client.get(second["next"]).json()
        assert (len(third["results"]), third["next"]) == (OTHERS - 20, None)
        assert parse_qs(urlsplit(third["previous"]).query) == {"framework": ["vllm"], "page": ["2"]}
        assert len({one["id"] for page in (first, second, third) for one in page["results"]}) == OTHERS

    def test_a_cursor_is_not_known_here(self, read: Reader) -> None:
        assert read("search/", cursor="", expect=400)["errors"][0]["parameter"] == "cursor"

    @pytest.mark.parametrize(("page", "status"), [("0", 400), ("-1", 400), ("9" * 12, 400), ("1000000", 404)])
    def test_a_page_that_is_not_there_is_refused(self, read: Reader, page: str, status: int) -> None:
        read("search/", page=page, expect=status)


class TestFacets:
    @pytest.mark.usefixtures("hang")
    def test_they_come_unless_they_are_not_wanted(self, read: Reader) -> None:
        groups = {group["key"]: group["values"] for group in read("search/", q="experts")["facets"]}
        (value,) = groups["symptom"]
        assert value["toggle_url"] == "http://testserver/api/v1/search/?q=experts&symptom=hang"
        assert (value["value"], value["count"], value["selected"]) == ("hang", 1, False)
        assert read("search/", q="experts", facets="false")["facets"] is None

    @pytest.mark.usefixtures("hang")
    def test_with_a_long_text_they_have_no_addresses_which_would_repeat_it(self, client: Client) -> None:
        answer = client.get("/api/v1/search/", {"q": "experts skipped\n" * 1_000})
        urls = {value["toggle_url"] for group in answer.json()["facets"] for value in group["values"]}
        assert urls == {None}
        assert len(answer.content) < 60_000


class TestTheQuery:
    @pytest.mark.usefixtures("hang")
    def test_it_says_how_the_results_fit(self, read: Reader) -> None:
        query = read("search/", q="experts skipped")["query"]
        assert (query["match"], query["least"], query["wanted"]) == ("all", 2, 2)
        assert (query["engine"], query["is_fallback"], query["message"]) == ("tantivy", False, None)

    @pytest.mark.usefixtures("hang")
    def test_nothing_close_is_said_to_programs_and_people(self, read: Reader) -> None:
        found = read("search/", q="minutes of rainy bicycle rides near amsterdam")
        assert found["results"]
        assert found["query"]["is_close"] is False
        assert found["query"]["message"] == "Nothing close was found. The results share some of the words."
        assert found["query"]["unknown"]

    @pytest.mark.usefixtures("hang")
    def test_nothing_at_all_is_said_too(self, read: Reader) -> None:
        found = read("search/", q="xyzzy")
        assert (found["count"], found["results"], found["facets"]) == (0, [], [])
        assert (found["query"]["is_close"], found["query"]["message"]) == (False, "Nothing matches.")
        assert found["query"]["unknown"] == ["xyzzy"]

    @pytest.mark.usefixtures("hang")
    def test_a_word_that_was_taken_for_another_is_named(self, read: Reader) -> None:
        query = read("search/", q="sevrer slow")["query"]
        assert query["repairs"] == [{"typed": "sevrer", "taken_for": "server"}]

    @pytest.mark.usefixtures("hang")
    def test_any_word_can_be_enough(self, read: Reader) -> None:
        assert read("search/", q="experts skipped slow")["count"] == 1
        assert read("search/", q="experts skipped slow", match="any")["count"] == SLOW + 1

    def test_a_filter_that_was_begun_is_left_out_and_said(self, read: Reader) -> None:
        (notice,) = read("search/", q="hang symptom:")["query"]["notices"]
        assert "“symptom:” has no value yet" in notice

    @pytest.mark.parametrize(
        ("name", "value", "says"),
        [
            ("facets", "yes", "true, false"),
            ("match", "all", "“any”"),
            ("q", "x" * 100_001, "100,000"),
            ("q", "symtom:hang", "Nearest: “symptom:”"),
            ("symptom", "hangg", "is not a symptom here"),
            ("sort", "up", "relevance"),
            ("fields", "body", "is not a key here"),
            ("page_size", "101", "from 1 to 100"),
        ],
    )
    def test_a_wrong_value_is_refused_with_what_would_be_right(
        self, read: Reader, name: str, value: str, says: str
    ) -> None:
        (fault,) = read("search/", expect=400, **{name: value})["errors"]
        assert fault["parameter"] == name
        assert says in fault["detail"]


class TestHttp:
    @pytest.mark.parametrize("path", ["search/", "search/suggest/?q=hang", "search/similar/?title=hang"])
    def test_it_speaks_as_the_rest_of_the_api_does(self, client: Client, path: str) -> None:
        first = client.get(f"/api/v1/{path}", headers={"origin": "https://example.org"})
        assert first.headers["Content-Type"] == "application/json"
        assert first.headers["Access-Control-Allow-Origin"] == "*"
        assert int(first.headers["RateLimit-Remaining"]) > 0
        again = client.get(f"/api/v1/{path}", headers={"if-none-match": first.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert client.put(f"/api/v1/{path}").status_code == 405
        refused = client.get(f"/api/v1/{path}", headers={"accept": "text/html"})
        assert (refused.status_code, refused.headers["Content-Type"]) == (406, "application/problem+json")

    def test_texts_come_as_they_are(self, client: Client) -> None:
        answer = client.get("/api/v1/search/", {"q": "挂起 Ошибка 🚀"})
        assert json.loads(answer.content)["query"]["text"] == "挂起 Ошибка 🚀"
        assert "挂起" in answer.content.decode()


class TestCompletions:
    def test_a_key_is_completed_then_its_value(self, read: Reader) -> None:
        make_node("hang", aliases=["deadlock"])
        (key,) = read("search/suggest/", q="nccl sympt")["completions"]
        assert (key["insert"], key["start"], key["end"], key["name"]) == ("symptom:", 5, 10, "Symptom")
        (value,) = read("search/suggest/", q="symptom:deadl")["completions"]
        assert (value["insert"], value["name"], value["note"]) == ("hang", "Hang", "also: deadlock")

    def test_the_caret_may_stand_before_the_end(self, read: Reader) -> None:
        (first,) = read("search/suggest/", q="sympt nccl", caret="5")["completions"]
        assert (first["insert"], first["start"]) == ("symptom:", 0)

    def test_a_caret_beyond_the_text_stands_at_its_end(self, read: Reader) -> None:
        assert read("search/suggest/", q="sympt", caret="99")["completions"]

    def test_where_nothing_can_be_offered_the_list_is_empty(self, read: Reader) -> None:
        assert read("search/suggest/")["completions"] == []
        assert read("search/suggest/", q="a\nb")["completions"] == []

    @pytest.mark.parametrize("caret", ["-1", "x", "1000000000000"])
    def test_a_wrong_caret_is_refused(self, read: Reader, caret: str) -> None:
        assert read("search/suggest/", q="x", caret=caret, expect=400)["errors"][0]["parameter"] == "caret"


class TestDrafts:
    def test_the_closest_issues_come_first(self, read: Reader, hang: Issue) -> None:
        found = read("search/similar/", title="Experts skipped under ZeRO-3", body="It hangs in all_gather.")
        assert found["results"][0]["id"] == hang.pk
        assert (found["count"], found["next"], found["facets"]) == (len(found["results"]), None, None)

    @pytest.mark.usefixtures("hang")
    def test_nothing_in_a_draft_is_an_operator(self, read: Reader) -> None:
        assert read("search/similar/", title="-experts symptom:nothing")["results"]

    @pytest.mark.usefixtures("hang")
    def test_nothing_is_like_an_empty_draft(self, read: Reader) -> None:
        found = read("search/similar/", body=" ")
        assert (found["count"], found["results"]) == (0, [])
