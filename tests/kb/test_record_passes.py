"""Two passes over the curated records: how the second is taken in, and when what they say is settled."""

import datetime as dt
import shutil
from io import StringIO
from pathlib import Path
from typing import Any

import pydantic
import pytest
import yaml
from django.core.management import CommandError, call_command

from kb.starter.check import check_records
from kb.starter.format import record_path
from kb.starter.load import RECORDS, read_records
from kb.starter.passes import (
    PASSES,
    Passes,
    SecondPass,
    Settled,
    apart,
    compared,
    first_and_second,
    read_passes,
    unsettled,
    write,
)
from tests.kb.test_record_checks import HANG, Labels, record

OTHER: Labels = HANG | {"symptom": ["hang-collective"]}


def second(labels: Labels) -> SecondPass:
    return SecondPass.model_validate(
        {
            "url": record().url,
            "labels": {
                axis: [{"node": code, "why": "Another reader's reason."} for code in codes]
                for axis, codes in labels.items()
            },
            "read": {"date": dt.date(2026, 2, 1), "extent": "description and 3 comments"},
        }
    )


def passes(labels: Labels, *settled: Settled) -> Passes:
    return first_and_second(record(), second(labels), is_pilot=False).model_copy(update={"settled": settled})


def kept(*codes: str) -> Settled:
    return Settled(axis="symptom", kept=codes, why="The thread shows a stack inside all_reduce.")


class TestSettling:
    def test_passes_that_say_the_same_need_nothing(self) -> None:
        assert list(apart(passes(HANG))) == []
        assert list(unsettled(record(), passes(HANG))) == []

    def test_axes_that_differ_are_told_until_they_are_settled(self) -> None:
        assert list(apart(passes(OTHER))) == ["symptom"]
        (told,) = unsettled(record(), passes(OTHER))
        assert told == "symptom: the passes differ (first hang-start; second hang-collective), and nothing is settled"

    def test_the_record_must_say_what_was_settled_on(self) -> None:
        settled = passes(OTHER, kept("hang-collective"))
        (told,) = unsettled(record(), settled)
        assert told == "symptom: the record says hang-start, which is not the passes' result"
        assert list(unsettled(record(OTHER), settled)) == []

    def test_a_third_answer_may_be_kept(self) -> None:
        settled = passes(OTHER, kept("hang-io"))
        assert list(unsettled(record(HANG | {"symptom": ["hang-io"]}), settled)) == []

    def test_what_nobody_disputed_cannot_be_settled_nor_changed(self) -> None:
        (told,) = unsettled(record(), passes(HANG, kept("hang-start")))
        assert told.startswith("symptom: both passes agree, so there is nothing to settle")
        (told,) = unsettled(record(OTHER), passes(HANG))
        assert told.endswith("which is not the passes' result")

    def test_what_both_said_may_change_once_more_was_read(self) -> None:
        later = kept("hang-collective").model_copy(update={"read_on": dt.date(2026, 3, 1)})
        assert list(unsettled(record(OTHER), passes(HANG, later))) == []
        (told,) = unsettled(record(), passes(HANG, later))
        assert told.endswith("which is not the passes' result")

    def test_what_both_said_may_get_a_better_code_of_a_later_codebook(self) -> None:
        better = kept("hang-collective").model_copy(update={"recoded": ("hang-start",)})
        assert list(unsettled(record(OTHER), passes(HANG, better))) == []
        (told,) = unsettled(record(), passes(HANG, better))
        assert told.endswith("which is not the passes' result")

    def test_an_answer_that_both_left_open_and_a_later_reading_gave_is_told(self) -> None:
        later = Settled(
            axis="fix_pattern", kept=("revert",), why="The change was taken out.", read_on=dt.date(2026, 3, 1)
        )
        assert "fix_pattern" not in compared(passes(HANG))
        assert compared(passes(HANG, later))["fix_pattern"] == ((), (), "The change was taken out.")

    def test_a_reason_is_due(self) -> None:
        with pytest.raises(pydantic.ValidationError, match="at least 10"):
            Settled(axis="symptom", kept=("hang-io",), why="so")


class TestFiles:
    def test_they_come_back_as_they_were_written(self, tmp_path: Path) -> None:
        settled = passes(OTHER, kept("hang-collective"))
        path = write(settled, tmp_path)
        assert read_passes(tmp_path) == {path: settled}

    def test_an_unreadable_one_is_a_problem_of_the_check(self, tmp_path: Path) -> None:
        (tmp_path / "1.yaml").write_text("url: 1\n", encoding="utf-8")
        told = [str(problem) for problem in check_records(tmp_path / "no-records", tmp_path).problems]
        assert f"{tmp_path}/1.yaml:1: url is a number to YAML: put it in quotes" in told
        assert f"{tmp_path}/1.yaml:1: second is missing" in told

    def test_what_is_unsettled_is_a_problem_of_the_check(self, tmp_path: Path) -> None:
        copied = tmp_path / "records" / "deepspeedai__deepspeed"
        copied.mkdir(parents=True)
        shutil.copy(RECORDS / "deepspeedai__deepspeed" / "860.yaml", copied)
        ((_, some),), _ = read_records(copied.parent)
        labels = some.labels.model_copy(update={"symptom": ()})
        answers = SecondPass.model_construct(url=some.url, labels=labels, read=some.read)
        write(first_and_second(some, answers, is_pilot=True), tmp_path / "passes")
        (problem,) = check_records(copied.parent, tmp_path / "passes").problems
        assert problem.reason.startswith("symptom: the passes differ")

    def test_every_kept_one_is_of_a_record_and_in_its_place(self) -> None:
        urls = {one.url for _, one in read_records(RECORDS)[0]}
        for path, one in read_passes().items():
            assert one.url in urls
            assert path == record_path(PASSES, one.url)


class TestCommand:
    @pytest.fixture
    def told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
        """Calls the command with files of these values; passes and records are kept in a folder of their own."""
        for name, root in (("PASSES", tmp_path / "passes"), ("RECORDS", tmp_path / "records")):
            monkeypatch.setattr(f"kb.management.commands.second_pass.{name}", root)
        path = record_path(tmp_path / "records", record().url)
        path.parent.mkdir(parents=True)
        path.write_text(yaml.safe_dump(record().model_dump(mode="json")), encoding="utf-8")

        def call(values: object) -> str:
            file, out = tmp_path / "second.yaml", StringIO()
            file.write_text(yaml.safe_dump(values), encoding="utf-8")
            call_command("second_pass", str(file), stdout=out)
            return out.getvalue()

        return call

    def test_it_keeps_a_pass_and_says_where_it_differs(self, told: Any, tmp_path: Path) -> None:
        assert told(second(OTHER).model_dump(mode="json")).strip().endswith(": symptom")
        (one,) = read_passes(tmp_path / "passes").values()
        assert one.second.labels["symptom"] == ("hang-collective",)

    def test_a_second_pass_is_taken_once(self, told: Any) -> None:
        told(second(OTHER).model_dump(mode="json"))
        with pytest.raises(CommandError, match="already has its second pass"):
            told(second(HANG).model_dump(mode="json"))

    def test_a_wrong_form_or_an_unknown_record_is_refused(self, told: Any) -> None:
        with pytest.raises(CommandError, match=r"second\.yaml:1: labels is missing"):
            told({"url": "https://github.com/a/b/issues/1"})
        with pytest.raises(CommandError, match="No such file"):
            told(second(HANG).model_dump(mode="json") | {"url": "https://github.com/a/b/issues/2"})
