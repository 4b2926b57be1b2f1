"""An issue's page says first what to do; what else its record knows has a place, which is never empty."""

import re
from http import HTTPStatus

import pytest
from django.test import Client
from django.urls import reverse

from kb.models import Issue
from tests.support.engines import PutIssuesIn
from tests.support.factories import (
    make_axis,
    make_issue,
    make_issues,
    make_label,
    make_node,
    make_other_report,
    make_repository,
)

pytestmark = pytest.mark.django_db

FIX = "Start the server with `--chat-template FILE`, not with `MODEL`."


def record(**fields: object) -> Issue:
    vllm = make_repository("vllm-project/vllm", "vllm")
    return make_issue(1, repository=vllm, heading="Empty answers", summary="The answer is empty.", **fields)


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def page_of(client: Client, issue: Issue) -> str:
    return client.get(issue.get_absolute_url()).content.decode()


class TestRecord:
    def test_what_to_do_stands_before_symptom_and_cause_with_its_code_to_copy(self, client: Client) -> None:
        issue = record(fix_line=FIX, snippet="vllm serve A\n  -x B", certainty="likely", inferred=["cause"])
        make_label(issue, make_node("crash"))
        html = page_of(client, issue)
        assert html.index('id="now-heading"') < html.index('id="symptom-heading"')
        assert '<code id="fix-line-code">--chat-template FILE</code>, not with <code>MODEL</code>' in html
        assert 'data-copies="fix-line-code"' in html
        assert 'data-copies="fix-line-snippet"' in html
        assert "vllm serve A\n  -x B" in html
        assert "Cause and fix: likely; inferred: cause" in text_of(html)

    def test_a_name_alone_is_nothing_to_copy(self, client: Client) -> None:
        html = page_of(client, record(fix_line="Upgrade `vllm` to 0.6.3."))
        assert "<code>vllm</code>" in html
        assert "fix-line-code" not in html

    def test_what_works_as_designed_says_so(self, client: Client) -> None:
        issue = record(fix_line=FIX)
        assert "Expected behaviour, not a fault" not in page_of(client, issue)
        make_label(issue, make_node("expected-behavior", axis=make_axis("root_cause")))
        assert "Expected behaviour, not a fault" in page_of(client, issue)

    def test_faces_facts_and_neighbours_have_a_place(self, client: Client) -> None:
        other = make_issue(7, heading="A stop token that is no stop token")
        issue = record(
            no_line="Nothing is printed.",
            also_seen=["empty answer", "回答为空"],
            severity="wrong-result",
            model_names=["Llama-3.1-70B"],
            layout="TP 8",
            neighbours=[
                {"url": other.url, "tell": "There `stop` is set."},
                {"url": "https://github.com/a/b/issues/3", "tell": "There it hangs."},
            ],
        )
        make_label(issue, make_node("hopper", axis=make_axis("hardware"), name="Hopper"))
        html = page_of(client, issue)
        text = text_of(html)
        for words in (
            "No error line Nothing is printed.", "Also seen empty answer 回答为空", "Severity Wrong results",
            "Hardware Hopper", "Models Llama-3.1-70B", "Parallel layout TP 8",
            "Looks the same, is not A stop token that is no stop token DeepSpeed#7 There stop is set.",
            "a/b#3 There it hangs.",
        ):  # fmt: skip
            assert words in text
        assert f'href="{other.get_absolute_url()}"' in html

    def test_a_record_without_all_that_shows_no_empty_place(self, client: Client) -> None:
        text = text_of(page_of(client, record(recognise=["no template"])))
        for words in (
            "Do this",
            "Also seen",
            "No error line",
            "Looks the same",
            "Also reported as",
            "Severity",
            "Models",
        ):
            assert words not in text


class TestOtherReports:
    def test_a_record_names_them_and_each_mirrored_one_names_the_record(self, client: Client) -> None:
        issue = record(fix_line=FIX)
        mirrored = make_issue(2, repository=issue.repository, title="No output at all")
        gone = make_issue(3, repository=issue.repository)
        for report in (mirrored, gone):
            make_other_report(issue, report)
        gone.delete()
        html = page_of(client, issue)
        assert "Also reported as No output at all vllm-project/vllm#2 vllm-project/vllm#3" in text_of(html)
        assert f'href="{mirrored.get_absolute_url()}"' in html
        assert 'href="https://github.com/vllm-project/vllm/issues/3"' in html
        text = text_of(page_of(client, mirrored))
        assert "Answered by vllm#1 Empty answers Start the server with --chat-template FILE" in text

    def test_the_address_of_one_that_is_not_mirrored_leads_to_the_record(self, client: Client) -> None:
        issue = record()
        gone = make_issue(3, repository=issue.repository)
        make_other_report(issue, gone)
        address = gone.get_absolute_url()
        gone.delete()
        response = client.get(address)
        assert (response.status_code, response["Location"]) == (
            HTTPStatus.FOUND,
            f"{issue.get_absolute_url()}#reports",
        )
        for typed in ("https://github.com/vllm-project/vllm/issues/3", "vllm#3", "vllm-project/vllm#3"):
            found = client.get(reverse("search"), {"q": typed})
            assert found["Location"] == issue.get_absolute_url()
        assert client.get(address.replace("/3", "/4")).status_code == HTTPStatus.NOT_FOUND


class TestSearch:
    def test_a_result_says_what_to_do_before_anything_else(self, client: Client, search_index: PutIssuesIn) -> None:
        issue = record(fix_line=FIX, certainty="likely", resolution="Pull request 2 adds a check.")
        make_label(issue, make_node("expected-behavior", axis=make_axis("root_cause")))
        search_index()
        result = client.get(reverse("search"), {"q": "empty answers"})
        html = result.content.decode()
        text = text_of(html)
        assert "Expected behaviour, not a fault Start the server with --chat-template FILE , not with MODEL ." in text
        assert text.index("Start the server") < text.index("The answer")
        assert f'data-copies="fix-{issue.pk}"' in html
        assert "likely" in text
        # The fix line stands in its place.
        assert result.context["rows"][0].outcome.text == ""

    def test_a_report_is_folded_under_the_record_that_answers_it(
        self, client: Client, search_index: PutIssuesIn
    ) -> None:
        issue = record(fix_line=FIX)
        for ref in (2, 3):
            report = make_issue(ref, repository=issue.repository, title=f"Empty answers {ref}", comment_count=9)
            make_other_report(issue, report)
        search_index()
        result = client.get(reverse("search"), {"q": "empty answers"})
        (row,) = result.context["rows"]
        assert (row.card.name, sorted(twin.name for twin in row.twins)) == ("vllm#1", ["vllm#2", "vllm#3"])
        assert "Also reported as" in text_of(result.content.decode())

    def test_a_report_that_is_found_without_its_record_says_what_that_says(
        self, client: Client, search_index: PutIssuesIn
    ) -> None:
        issue = record(fix_line=FIX)
        make_other_report(issue, make_issue(2, repository=issue.repository, title="Nothing but blanks"))
        search_index()
        text = text_of(client.get(reverse("search"), {"q": "nothing but blanks"}).content.decode())
        assert "Answered by Empty answers Start the server with --chat-template FILE" in text

    def test_what_people_type_in_chinese_or_in_everyday_words_finds_it(
        self, client: Client, search_index: PutIssuesIn
    ) -> None:
        record(also_seen=["回答全是空的", "the bot says nothing"])
        make_issues(600, title="Training is slow")
        search_index()
        for typed in ("为什么回答全是空的", "bot says nothing"):
            result = client.get(reverse("search"), {"q": typed})
            assert [row.card.name for row in result.context["rows"]][:1] == ["vllm#1"]
            assert result.context["result"].is_close
