"""Known issues of a diagnosis: the starter records' own error lines find them, and nothing irrelevant comes."""

import io
from pathlib import Path
from typing import Any, cast

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from kb.core.diagnosis.pipeline import InputFile, without_known
from kb.core.diagnosis.schema import DiagnosisData
from kb.core.knowledge.causes import MOST_PLAYBOOKS
from kb.core.knowledge.issues import MOST_ISSUES
from kb.core.setups.facts import Setup
from kb.diagnose.answer import answer
from kb.diagnose.knowledge import NO_ANSWER, with_known
from kb.models import CauseLink, Issue, Source
from kb.web.diagnose.result import answer_context, as_text
from tests.kb.diagnose.results import result
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_issue, make_issues, make_other_report

pytestmark = pytest.mark.django_db
# Of the records' signatures, those that are a line of their own.
LEAST_RECORDS, LEAST_FIRST, LEAST_AMONG_FIVE = 20, 0.6, 0.85
UNRELATED = [
    "slurmstepd: error: *** JOB 8812 ON gpu12 CANCELLED DUE TO TIME LIMIT ***",
    "java.lang.NullPointerException: Cannot invoke Invoice.getTotal() because invoice is null",
    "nginx: [emerg] bind() to 0.0.0.0:443 failed (98: Address already in use)",
    "psycopg.errors.UniqueViolation: duplicate key value violates unique constraint users_email_key",
    "error[E0382]: borrow of moved value: `basket`",
    "kernel: EXT4-fs error (device sdb1): htree_dirblock_to_tree: inode 2: comm ls: bad entry in directory",
    "Uncaught ReferenceError: jQuery is not defined at checkout.js",
    "sendmail: Connection refused by mailhub.invalid while delivering newsletter",
]
HOSTILE = ["", "\0\0\0", "a" * 200_000, '-x "unclosed (framework:none OR *) \\', "\ud800 RuntimeError", "ł" * 5_000]


def failed_with(line: str, **more: Any) -> DiagnosisData:
    """A diagnosis in whose made-up log this line failed first."""
    text = f"2026-11-20 10:00:02,000 [rank3]: {line}"
    first = {"file": "job.log", "line": 9, "text": text, "role": "root", "score": 1.0, "signal": None, "why": []}
    data = {"lines": [first | {"indicated": True}], "causes": [], "symptom_code": None, "signature": None}
    return cast("DiagnosisData", result() | data | more)


def offered(line: str) -> list[str]:
    return [one["source_url"] for one in with_known(failed_with(line), Setup())["issues"]]


@pytest.mark.usefixtures("starter")
class TestStarterRecords:
    def test_are_found_by_their_own_error_lines(self, search_index: PutIssuesIn) -> None:
        search_index()
        records = [
            (line, issue.url)
            for issue in Issue.objects.exclude(recognise=[]).order_by("pk")
            for line in issue.recognise[:1]
            if len(line.split()) >= 4
        ][:60]
        places = [(offered(line)[:5], url) for line, url in records]
        missed = [(records[i][0], url, found) for i, (found, url) in enumerate(places) if url not in found]
        assert len(records) >= LEAST_RECORDS
        assert sum(found[:1] == [url] for found, url in places) / len(places) >= LEAST_FIRST, missed
        assert sum(url in found for found, url in places) / len(places) >= LEAST_AMONG_FIVE, missed

    @pytest.mark.parametrize("line", UNRELATED)
    def test_are_not_offered_for_what_none_of_them_is(self, search_index: PutIssuesIn, line: str) -> None:
        search_index()
        assert offered(line) == []

    @pytest.mark.parametrize("line", HOSTILE, ids=range(len(HOSTILE)))
    def test_hostile_lines_do_no_harm(self, search_index: PutIssuesIn, line: str) -> None:
        search_index()
        found = with_known(failed_with(line), Setup())
        assert len(found["issues"]) <= MOST_ISSUES
        assert NO_ANSWER not in found["unknown"]

    def test_say_why_what_fixed_it_and_where(self, search_index: PutIssuesIn) -> None:
        search_index()
        issue = Issue.objects.exclude(recognise=[]).exclude(resolution="").order_by("pk")[0]
        found = with_known(failed_with(issue.recognise[0]), Setup())["issues"]
        one = next(one for one in found if one["source_url"] == issue.url)
        assert one["url"] == issue.get_absolute_url()
        assert one["resolution"][:30] == " ".join(issue.resolution.split())[:30]
        assert (one["relation"], one["why"][:10]) == ("same_error", "Same error")
        assert 0 < one["score"] <= 1

    def test_give_causes_names_numbers_and_playbooks(self) -> None:
        link = CauseLink.objects.filter(source__kind=Source.Kind.CURATED).order_by("-issues", "pk")[0]
        causes = [{"code": link.cause.code, "likelihood": 0.6, "why": "x"}]
        found = with_known(failed_with("it broke", causes=causes, symptom_code=link.symptom.code), Setup())
        cause = found["causes"][0]
        assert (cause["name"], cause["url"]) == (link.cause.name, link.cause.get_absolute_url())
        counted = {"value": link.probability, "n": link.symptom_issues, "source": link.source.name}
        assert cause["probability"] == counted | {"low": link.probability_low, "high": link.probability_high}
        assert 1 <= len(found["playbooks"]) <= MOST_PLAYBOOKS
        assert all(one["url"].startswith("/") and one["why"] for one in found["playbooks"])

    def test_counts_lift_a_cause_and_bring_none_in(self) -> None:
        link = CauseLink.objects.filter(source__kind=Source.Kind.CURATED).order_by("-issues", "pk")[0]
        causes = [{"code": code, "likelihood": 0.5, "why": "x"} for code in ("never-heard-of", link.cause.code)]
        found = with_known(failed_with("it broke", causes=causes, symptom_code=link.symptom.code), Setup())["causes"]
        assert [one["code"] for one in found] == [link.cause.code, "never-heard-of"]

    def test_take_few_queries(self, search_index: PutIssuesIn) -> None:
        search_index()
        with CaptureQueriesContext(connection) as few:
            with_known(failed_with("torch.OutOfMemoryError: CUDA out of memory while loading the model"), Setup())
        assert len(few) <= 16


def test_an_issue_tells_what_to_do_and_a_report_is_told_as_the_record_that_answers_it(
    search_index: PutIssuesIn,
) -> None:
    line = "RuntimeError: the shuttle left the warp beam at pick 7"
    record = make_issue(1, heading="A loom too small", summary="It ends.", fix_line="Set `YARN=2`.", certainty="likely")
    for ref in (2, 3):
        report = make_issue(ref, title="It ends", body=f"The log:\n```\n{line}\n```\n")
        make_other_report(record, report)
    make_issues(60, title="Training is slow")
    search_index()
    (known,) = with_known(failed_with(line), Setup())["issues"]
    assert (known["title"], known["url"]) == ("A loom too small", record.get_absolute_url())
    assert (known["fix_line"], known["relation"]) == ("Set `YARN=2`.", "same_error")
    html = render_to_string("kb/diagnose/_answer.html", dict(answer_context(failed_with(line, issues=[known]))))
    assert '<code id="known-fix-code">YARN=2</code>' in html
    assert "Set YARN=2" in as_text(failed_with(line, issues=[known])).replace("`", "")


def test_an_issue_that_quotes_no_line_is_found_by_the_lines_message_with_its_numbers(search_index: PutIssuesIn) -> None:
    told = make_issue(1, title="Looms of 2019 refuse a shuttle of warp8e4")
    make_issue(2, title="Looms of 2019 refuse a shuttle of weft4")
    make_issues(60, title="Training is slow")
    search_index()
    assert offered("RuntimeError: shuttle warp8e4 refuses")[0] == told.url


class TestWithoutAnAnswer:
    def test_the_index_gone_postgres_answers(self, settings: Settings, tmp_path: Path) -> None:
        settings.SEARCH_ENGINE, settings.SEARCH_INDEX_DIR = "tantivy", tmp_path / "nowhere"
        assert with_known(failed_with("CUDA error: illegal memory access"), Setup())["issues"] == []

    def test_a_database_that_fails_costs_nothing_else(self) -> None:
        """The table is really gone, within this test."""
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE kb_node RENAME TO kb_node_away")
        data = failed_with("CUDA error", causes=[{"code": "config-error", "likelihood": 1.0, "why": "x"}])
        found = with_known(data, Setup())
        assert (found["issues"], found["playbooks"]) == ([], [])
        assert NO_ANSWER in found["unknown"]
        assert found["causes"][0]["name"] == "config-error"

    def test_nothing_is_asked_where_nothing_failed(self) -> None:
        with CaptureQueriesContext(connection) as none:
            found = with_known(failed_with("all is well", verdict="healthy"), Setup())
        assert (len(none), found["issues"], found["unknown"]) == (0, [], [])

    def test_the_log_alone_has_the_same_keys(self) -> None:
        data = failed_with("CUDA error")
        assert without_known(data).keys() == with_known(data, Setup()).keys()


class TestEarlierJobs:
    LOG = "step 1 | loss: 2.5\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate {} GiB\n"

    def answer(self) -> DiagnosisData:
        return answer(files=[InputFile("job.log", io.BytesIO(self.LOG.format("2.00").encode()))])

    def test_of_the_server_tell_whether_a_failure_came_before(self, settings: Settings, tmp_path: Path) -> None:
        (tmp_path / "monday.log").write_text(self.LOG.format("3.50"))
        settings.DIAGNOSE_PAST_RUNS = str(tmp_path)
        restart = self.answer()["restart"]
        assert restart is not None
        assert restart["recurs"] == {"of": 1, "same": 1, "last": "monday.log"}
        assert "monday.log" in render_to_string("kb/diagnose/_restart.html", {"data": {"restart": restart}})

    def test_whose_folder_is_gone_are_told_to_be_missing(self, settings: Settings, tmp_path: Path) -> None:
        settings.DIAGNOSE_PAST_RUNS = str(tmp_path / "nowhere")
        told = self.answer()["unknown"]
        assert any("Earlier jobs were not compared" in sentence for sentence in told)
        assert not any(str(tmp_path) in sentence for sentence in told)
