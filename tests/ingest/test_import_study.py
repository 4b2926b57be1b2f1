"""Importing a labelled set: what is taken, what is rejected and told, and what a second import does."""

import csv
import json
from typing import Any

import pytest

from ingest.imports.studies.mapping import MappingError
from ingest.models import AnnotatorVote, ImportedFile, ImportedRow, ImportRejection, ImportRun
from kb.models import Framework, Issue, Kind, Label, Source, State
from tests.ingest.row_counts import count_row_pairs, count_rows_by_node
from tests.ingest.row_votes import list_votes
from tests.ingest.small import GOOD, HEADER, ISSUE, MAPPING, ImportText, Write, run_small
from tests.support.factories import make_issue, make_label, make_node


def rejections() -> list[tuple[int, str, str]]:
    run = ImportRun.objects.latest("pk")
    return list(run.rejections.order_by("line", "pk").values_list("line", "reason", "effect"))


def labels() -> set[tuple[str, str]]:
    return set(Label.objects.filter(source__slug="small-labels").values_list("issue__ref", "node__code"))


def state() -> dict[str, list[tuple[Any, ...]]]:
    """Every row that an import writes, with its id."""
    models = (Issue, ImportedRow, ImportedRow.answers.through, AnnotatorVote)
    rows = {model.__name__: list(model.objects.order_by("pk").values_list()) for model in models}
    return rows | {"Label": list(Label.objects.order_by("pk").values_list("pk", "issue", "axis", "node", "source"))}


class TestASoundRow:
    def test_becomes_an_issue_with_labels_and_votes(self, import_text: ImportText) -> None:
        outcome = import_text([HEADER, GOOD])
        issue = Issue.objects.select_related("repository__framework").get()
        assert (issue.url, issue.kind, issue.title) == (f"{ISSUE}1", Kind.UNKNOWN, "")
        assert issue.repository.framework.slug == "deepspeed"
        assert labels() == {("1", "A.1"), ("1", "S1.1")}
        votes = AnnotatorVote.objects.order_by("annotator").values_list("annotator", "node__code")
        assert list(votes) == [(1, "A.1"), (2, "A.1"), (3, "B.1")]
        assert (outcome.read, outcome.taken, outcome.left_out) == (1, 1, 0)

    def test_is_filed_under_the_present_name_of_its_repository(self, import_text: ImportText) -> None:
        import_text([HEADER, GOOD.replace("deepspeedai/", "Microsoft/")])
        assert Issue.objects.get().url == f"{ISSUE}1"

    def test_of_a_pull_request_is_no_issue(self, import_text: ImportText) -> None:
        import_text([HEADER, GOOD.replace("/issues/", "/pull/")])
        assert Issue.objects.get().kind == Kind.PULL_REQUEST

    def test_joins_an_issue_that_is_there_and_leaves_its_facts_alone(self, import_text: ImportText) -> None:
        issue = make_issue(1, title="Ours", kind=Kind.ISSUE, summary="Said before.", state=State.OPEN)
        before = Issue.objects.filter(pk=issue.pk).values().get()
        import_text([HEADER, GOOD], title="v1", source=MAPPING["source"] | {"texts_may_be_kept": True})
        assert Issue.objects.filter(pk=issue.pk).values().get() == before
        assert labels() == {("1", "A.1"), ("1", "S1.1")}

    def test_keeps_a_title_only_with_permission(self, import_text: ImportText) -> None:
        import_text([HEADER, GOOD], title="final", source=MAPPING["source"] | {"texts_may_be_kept": True})
        assert Issue.objects.get().title == "A.1"

    def test_brings_state_and_dates_where_nobody_said_any(self, import_text: ImportText) -> None:
        row = [f"{HEADER},s,o,c", f"{GOOD},Closed,2023-05-01,2023-05-02T10:00:00Z"]
        facts = {"state": {"column": "s", "open": ["open"], "closed": ["closed"]}, "opened": "o", "closed": "c"}
        import_text(row, **facts)
        issue = Issue.objects.get()
        assert (issue.state, f"{issue.opened_at:%F}", f"{issue.closed_at:%F %H}") == (
            "closed", "2023-05-01", "2023-05-02 10",
        )  # fmt: skip

    def test_of_an_unlisted_repository_needs_a_rule_of_the_mapping(self, import_text: ImportText) -> None:
        row = [HEADER, GOOD.replace("deepspeedai/DeepSpeed", "acme/Rocket")]
        import_text(row)
        assert rejections() == [(2, "unknown-repository", "left-out")]
        rule = {"match": "github.com/acme/*", "slug": "acme", "name": "Acme"}
        assert import_text(row, frameworks=[rule]).taken == 1
        assert Issue.objects.get().repository.framework.name == "Acme"

    def test_leaves_the_labels_of_other_sources_alone(self, import_text: ImportText) -> None:
        label = make_label(make_issue(1), make_node())
        import_text([HEADER, GOOD])
        assert Label.objects.filter(pk=label.pk).exists()


HOSTILE = {
    "no address": (f"x{GOOD}", [(3, "bad-url", "left-out")]),
    "another site": (GOOD.replace("github.com", "example.org"), [(3, "bad-url", "left-out")]),
    "no number": (GOOD.replace("/1,", "/one,"), [(3, "bad-url", "left-out")]),
    "blank address": (",A.1,A.1,B.1,A.1,Crash", [(3, "blank", "left-out")]),
    "blank final label": (f"{ISSUE}1,A.1,A.1,B.1, ,Crash", [(3, "blank", "left-out")]),
    "unknown final label": (f"{ISSUE}1,A.1,A.1,B.1,C.11,Crash", [(3, "unknown-code", "left-out")]),
    "unknown path": (f"{ISSUE}1,A.1,A.1,B.1,A.1,Crash - Fire", [(3, "unknown-code", "left-out")]),
    "unknown vote": (f"{ISSUE}1,A.1,C.11,B.1,A.1,Crash", [(3, "unknown-code", "cell-left-out")]),
    "too few columns": (f"{ISSUE}1,A.1", [(3, "columns", "left-out")]),
    "too many columns": (f"{GOOD},more", [(3, "columns", "left-out")]),
    "broken quotes": (f'"{GOOD}', [(3, "quotes", "left-out")]),
    "wrong encoding": (GOOD.encode() + b"\xe9", [(3, "encoding", "left-out")]),
    "NUL character": (GOOD.replace("/1,", "/1\0,"), [(3, "bad-url", "left-out")]),
    "blank line": ("", [(3, "blank", "left-out")]),
    "duplicate": (GOOD.replace("/1,", "/7,"), [(3, "duplicate", "counted-only")]),
    "duplicate under an old name": (
        GOOD.replace("deepspeedai", "microsoft").replace("/1,", "/7,"), [(3, "duplicate", "counted-only")]
    ),
}  # fmt: skip


class TestAHostileRow:
    @pytest.mark.parametrize(("row", "told"), HOSTILE.values(), ids=HOSTILE)
    def test_is_told_with_line_and_reason_and_costs_no_other_row(
        self, row: str | bytes, told: list[tuple[int, str, str]], import_text: ImportText
    ) -> None:
        raw = row if isinstance(row, bytes) else row.encode()
        first, last = GOOD.replace("/1,", "/7,"), GOOD.replace("/1,", "/8,")
        content = b"\xef\xbb\xbf" + b"\n".join([HEADER.encode(), first.encode(), raw, last.encode()]) + b"\n"
        outcome = import_text(content)
        assert rejections() == told
        assert {"7", "8"} <= set(Issue.objects.values_list("ref", flat=True))
        left_out = sum(effect == "left-out" for _, _, effect in told)
        assert (outcome.read, outcome.taken, outcome.left_out) == (3, 3 - left_out, left_out)

    def test_is_told_in_plain_words_with_the_raw_value_cut(self, import_text: ImportText) -> None:
        import_text([HEADER, f"{ISSUE}1,A.1,A.1,B.1,{'x' * 5000},Crash"])
        rejection = ImportRejection.objects.get()
        assert rejection.message.startswith("column 'final': 'xxx")
        assert rejection.message.endswith("is not a node of the axis theme")
        assert len(rejection.value) == 200

    def test_with_a_blank_that_may_be_is_counted(self, import_text: ImportText) -> None:
        outcome = import_text([HEADER, f"{ISSUE}1,A.1,,B.1,A.1,"])
        assert outcome.blanks == {"v2": 1, "symptom": 1}
        assert (outcome.taken, rejections()) == (1, [])

    def test_that_contradicts_itself_counts_but_does_not_label(self, import_text: ImportText) -> None:
        import_text([f"{HEADER},n", f"{GOOD},1", f"{GOOD.replace('/1,', '/2,')},3"], number="n")
        assert rejections() == [(3, "contradiction", "counted-only")]
        assert {ref for ref, _ in labels()} == {"1"}
        assert ImportedRow.objects.count() == 2

    def test_with_an_impossible_date_or_state_is_taken_without_it(self, import_text: ImportText) -> None:
        facts_of_rows = ["open,soon,", "ajar,,", "closed,2024-01-02,2024-01-01", "open,,2024-01-01"]
        rows = [f"{ISSUE}{number},A.1,A.1,A.1,A.1,,{said}" for number, said in enumerate(facts_of_rows, 1)]
        facts = {"state": {"column": "s", "open": ["open"], "closed": ["closed"]}, "opened": "o", "closed": "c"}
        outcome = import_text([f"{HEADER},s,o,c", *rows], **facts)
        assert outcome.taken == 4
        assert rejections() == [
            (2, "date", "cell-left-out"),
            (3, "unknown-code", "cell-left-out"),
            (4, "contradiction", "cell-left-out"),
            (5, "contradiction", "cell-left-out"),
        ]


class TestRepeatedRows:
    ROWS = (HEADER, GOOD, f"{ISSUE}1,B.1,B.1,B.1,B.1,Hang")

    def test_count_in_the_totals_but_label_once(self, import_text: ImportText) -> None:
        import_text([*self.ROWS])
        source = Source.objects.get(slug="small-labels")
        assert labels() == {("1", "A.1"), ("1", "S1.1")}
        assert {(n.code, n.rows) for n in count_rows_by_node(source=source, axis="theme")} == {("A.1", 1), ("B.1", 1)}
        assert [(row.finals, row.votes) for row in list_votes(source=source, axis="theme")] == [
            (("A.1",), ("A.1", "A.1", "B.1")),
            (("B.1",), ("B.1", "B.1", "B.1")),
        ]

    def test_label_together_where_the_mapping_says_so(self, import_text: ImportText) -> None:
        import_text([*self.ROWS], repeats="merge")
        source = Source.objects.get(slug="small-labels")
        assert labels() == {("1", "A.1"), ("1", "S1.1"), ("1", "B.1"), ("1", "S2")}
        pairs = count_row_pairs(source=source, first_axis="symptom", second_axis="theme")
        assert {(p.first, p.second, p.rows) for p in pairs} == {("Crash", "A.1", 1), ("Hang", "B.1", 1)}
        assert rejections() == [(3, "duplicate", "merged")]

    @pytest.mark.usefixtures("small_study")
    def test_in_another_file_of_the_set_are_left_out(self, write: Write) -> None:
        run_small([write([HEADER, GOOD], "one.csv"), write([HEADER, GOOD, GOOD.replace("/1,", "/2,")], "two.csv")])
        told = ImportRejection.objects.get()
        assert (told.file, told.line, told.message) == (
            "two.csv",
            2,
            "the data set already has this issue: one.csv, line 2",
        )
        assert ImportedRow.objects.count() == 2


class TestASecondImport:
    def test_of_the_same_file_changes_nothing(self, import_text: ImportText) -> None:
        rows = [HEADER, GOOD, GOOD, GOOD.replace("/1,", "/2,")]
        import_text(rows)
        before = state()
        outcome = import_text(rows)
        assert state() == before
        assert not any(outcome.written.values())
        assert outcome.taken == 3

    def test_of_a_changed_file_follows_it(self, import_text: ImportText) -> None:
        import_text([HEADER, GOOD, GOOD.replace("/1,", "/2,"), GOOD.replace("/1,", "/3,")])
        ids = dict(ImportedRow.objects.values_list("issue__ref", "pk"))
        outcome = import_text([HEADER, f"{ISSUE}3,B.1,B.1,,B.1,Hang", GOOD])
        assert labels() == {("1", "A.1"), ("1", "S1.1"), ("3", "B.1"), ("3", "S2")}
        assert dict(ImportedRow.objects.values_list("issue__ref", "pk")) == {"1": ids["1"], "3": ids["3"]}
        assert dict(ImportedRow.objects.values_list("issue__ref", "line")) == {"3": 2, "1": 3}
        assert outcome.written["removed rows"] == 1
        assert AnnotatorVote.objects.count() == 5
        assert Issue.objects.filter(ref="2").exists()  # an issue is never lost for being unlabelled


@pytest.mark.django_db
class TestARun:
    def test_keeps_its_counts_and_the_files_fingerprints(self, import_text: ImportText) -> None:
        import_text([HEADER, GOOD, "x"])
        run = ImportRun.objects.get()
        assert (run.status, run.source and run.source.slug) == (ImportRun.Status.DONE, "small-labels")
        assert run.files[0]["reasons"] == {"columns: left-out": 1}
        assert len(ImportedFile.objects.get(run=run).sha256) == 64

    def test_marks_a_killed_one_before_it_as_interrupted(self, import_text: ImportText) -> None:
        import_text([HEADER, GOOD])
        ImportRun.objects.update(status=ImportRun.Status.RUNNING)
        import_text([HEADER, GOOD])
        assert list(ImportRun.objects.order_by("pk").values_list("status", flat=True)) == ["interrupted", "done"]

    @pytest.mark.usefixtures("small_study")
    def test_takes_a_file_whole_or_not_at_all(self, write: Write) -> None:
        files = [write(b'[{"url": "', "bad.json"), write([HEADER, GOOD]), write([f"{HEADER[:-3]}", GOOD], "column.csv")]
        outcome = run_small(files)
        assert [bool(file.error) for file in outcome.files] == [True, False, True]
        assert not outcome.succeeded
        assert "needs 'symptom'" in outcome.files[2].error
        assert ImportRun.objects.get().status == ImportRun.Status.FAILED
        assert ImportRejection.objects.filter(line=0, reason="file").count() == 2
        assert Issue.objects.count() == 1

    @pytest.mark.usefixtures("small_study")
    def test_that_is_dry_keeps_nothing_but_tells_everything(self, write: Write) -> None:
        report = write([], "report.json")
        outcome = run_small([write([HEADER, GOOD, GOOD, "x"])], dry_run=True, report=report)
        assert (outcome.total.taken, outcome.total.written["new labels"]) == (2, 2)
        assert [entry["reason"] for entry in json.loads(report.read_text())["rejections"]] == ["columns", "duplicate"]
        for model in (Issue, ImportRun, Source, Framework):
            assert not model.objects.exists()

    @pytest.mark.usefixtures("small_study")
    @pytest.mark.parametrize("name", ["report.csv", "report.json"])
    def test_writes_every_rejection_to_the_report(self, name: str, write: Write) -> None:
        report = write([], name)
        run_small([write([HEADER, GOOD, "=1+1", GOOD])], report=report)
        text = report.read_text(encoding="utf-8")
        found = json.loads(text)["rejections"] if name.endswith("json") else list(csv.DictReader(text.splitlines()))
        assert [(entry["file"], int(entry["line"]), entry["reason"]) for entry in found] == [
            ("set.csv", 3, "columns"), ("set.csv", 4, "duplicate"),
        ]  # fmt: skip

    def test_refuses_a_study_that_is_not_loaded(self, write: Write) -> None:
        with pytest.raises(MappingError, match="load_codebook"):
            run_small([write([HEADER, GOOD])])

    @pytest.mark.usefixtures("small_study")
    def test_refuses_an_axis_that_the_scheme_has_not(self, write: Write) -> None:
        with pytest.raises(MappingError, match="has no axis 'stage'; it has symptom, theme"):
            run_small([write([HEADER, GOOD])], axes=[{"axis": "stage", "final": "final"}])

    @pytest.mark.usefixtures("small_study")
    def test_refuses_two_files_of_one_name(self, write: Write) -> None:
        with pytest.raises(ValueError, match="two are called set"):
            run_small([write([HEADER, GOOD]), write([HEADER, GOOD])])
