"""The circumstances of a record: their words, what two readers came to, and when a record says something else."""

from pathlib import Path
from typing import get_args

from kb.models import FACTS
from kb.starter.check import check_records
from kb.starter.circumstances import (
    FACT_KEYS,
    READINGS,
    Reading,
    RecordCircumstances,
    SettledFact,
    differences,
    read_readings,
)
from kb.starter.format import record_path
from kb.starter.load import RECORDS
from tests.kb.test_record_keys import SHORT, checked

LOG, MORE = RecordCircumstances(told_by="log"), RecordCircumstances(told_by="log-and-more")
KEPT = SettledFact(fact="told_by", kept="log-and-more", why="The line does not name the setting.")


def reading(first: RecordCircumstances, second: RecordCircumstances, *settled: SettledFact) -> Reading:
    return Reading(url="https://github.com/vllm-project/vllm/issues/1", first=first, second=second, settled=settled)


def test_records_and_tables_have_the_same_words() -> None:
    assert tuple(fact.key for fact in FACTS) == FACT_KEYS
    for fact in FACTS:
        literal, _ = get_args(RecordCircumstances.model_fields[fact.key].annotation)
        assert list(get_args(literal)) == fact.words.values


class TestDifferences:
    def test_what_both_readers_said_is_what_the_record_has_to_say(self) -> None:
        assert list(differences(LOG, reading(LOG, LOG))) == []
        (told,) = differences(RecordCircumstances(), reading(LOG, LOG))
        assert told == "told_by: the record says nothing, its readers came to log"

    def test_where_they_differ_a_record_says_what_was_kept(self) -> None:
        assert list(differences(MORE, reading(LOG, MORE, KEPT))) == []
        (told,) = differences(LOG, reading(LOG, MORE, KEPT))
        assert told == "told_by: the record says log, its readers came to log-and-more"

    def test_what_nobody_settled_stays_open(self) -> None:
        assert list(differences(RecordCircumstances(), reading(LOG, MORE))) == []

    def test_what_nobody_disputes_cannot_be_settled(self) -> None:
        (told,) = differences(LOG, reading(LOG, LOG, KEPT))
        assert told == "told_by: both readers agree, so there is nothing to settle"


class TestChecks:
    def test_a_word_that_is_none_is_told_with_its_line(self, tmp_path: Path) -> None:
        _, faults = checked(tmp_path, SHORT + "circumstances: {told_by: logs}\n")
        assert faults == ["12: circumstances.told_by is not one of: log, log-and-more, not-log; it is 'logs'"]

    def test_a_record_at_odds_with_its_readers_is_told_with_their_line(self, tmp_path: Path) -> None:
        root, readings = tmp_path / "records", tmp_path / READINGS.name
        root.mkdir()
        checked(root, SHORT)
        url = "https://github.com/vllm-project/vllm/issues/1"
        both = "    first: {told_by: log}\n    second: {told_by: log}\n"
        readings.write_text(f"readings:\n  - url: {url}\n{both}", encoding="utf-8")
        (problem,) = [each for each in check_records(root, tmp_path / "passes").problems if each.path == readings]
        assert (problem.line, problem.reason) == (2, "told_by: the record says nothing, its readers came to log")

    def test_a_file_of_another_form_is_told(self, tmp_path: Path) -> None:
        root, readings = tmp_path / "records", tmp_path / READINGS.name
        root.mkdir()
        readings.write_text("readings:\n  - first: {}\n", encoding="utf-8")
        (problem,) = check_records(root, tmp_path / "passes").problems
        assert "url" in problem.reason


def test_every_reading_is_of_a_record_that_there_is() -> None:
    missing = [reading.url for reading in read_readings() if not record_path(RECORDS, reading.url).is_file()]
    assert missing == []
