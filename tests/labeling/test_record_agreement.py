"""How far two passes over the curated records agree: the report's numbers, and that the one in docs is current."""

import datetime as dt
from functools import partial
from pathlib import Path

import pytest

from kb.codebook.format import parents_of, read_house
from kb.codebook.load import HERE as CODEBOOK
from kb.core.quality.figures import measured as shown
from kb.starter.circumstances import Reading, RecordCircumstances, SettledFact, read_readings
from kb.starter.passes import Answers, Passes, Pilot, Second, Settled, read_passes, read_pilot
from labeling.agreement.figures import as_figures
from labeling.agreement.records import Parents, document, measured, measured_facts

DOCS = Path(__file__).parents[2] / "docs" / "agreement.md"


@pytest.fixture(scope="module")
def parents() -> Parents:
    return parents_of(read_house(CODEBOOK / "house.yaml"))


def both(number: int, first: Answers, second: Answers, *, is_pilot: bool = False) -> Passes:
    taken = Second(date=dt.date(2026, 2, 1), extent="description", labels=second)
    return Passes(url=f"https://github.com/a/b/issues/{number}", is_pilot=is_pilot, first=first, second=taken)


def half_agreeing(*, is_pilot: bool = False, start: int = 0) -> list[Passes]:
    """Of four records, two get the same symptom; the others two leaves of the same branch."""
    pairs = (
        ("hang-io", "hang-io"),
        ("exception", "exception"),
        ("hang-io", "hang-start"),
        ("exception", "missing-name"),
    )
    return [
        both(start + at, {"symptom": (one,), "theme": ()}, {"symptom": (other,), "theme": ()}, is_pilot=is_pilot)
        for at, (one, other) in enumerate(pairs)
    ]


def test_the_same_answer_is_counted_over_all_records(parents: Parents) -> None:
    found = {report.axis: report for report in measured(half_agreeing())}
    assert found["symptom"].coefficient("percent").value == 0.5
    assert found["symptom"].units == 4


def test_two_leaves_of_one_branch_are_the_same_answer_higher_up(parents: Parents) -> None:
    found = {report.axis: report for report in measured(half_agreeing(), parents)}
    assert found["symptom"].coefficient("percent").value == 1.0


def test_records_on_which_a_reader_left_the_axis_open_can_be_left_out() -> None:
    some = [*half_agreeing(), both(9, {"symptom": ("crash",)}, {})]
    assert {report.axis: report.units for report in measured(some)}["symptom"] == 5
    assert {report.axis: report.units for report in measured(some, if_both_answer=True)}["symptom"] == 4


def test_an_axis_that_neither_answers_has_no_alpha_and_says_why(parents: Parents) -> None:
    found = {report.axis: report for report in measured(half_agreeing())}
    alpha = found["theme"].coefficient("alpha_nominal")
    assert alpha.value is None
    assert alpha.reason in document(half_agreeing(), parents)


def test_an_axis_that_nobody_was_asked_for_has_no_row(parents: Parents) -> None:
    assert "| theme |" in document(half_agreeing(), parents)
    assert "| hardware |" not in document(half_agreeing(), parents)
    asked = both(9, {"symptom": ("crash",), "hardware": ("amd",)}, {"symptom": ("crash",), "hardware": ()})
    assert "| hardware | 1 | 0.0 %" in document([*half_agreeing(), asked], parents)


def test_pilot_and_rest_are_told_apart(parents: Parents) -> None:
    text = document([*half_agreeing(is_pilot=True), *half_agreeing(start=10)], parents)
    assert "## All records: 8" in text
    assert "## The pilot, before rules were rewritten: 4" in text
    assert "## The records after the pilot: 4" in text


def test_a_trial_of_newer_rules_has_its_own_part_and_is_in_no_other(parents: Parents) -> None:
    trial = Pilot(version="1.3.0", passes=tuple(half_agreeing(start=20)))
    text = document(half_agreeing(), parents, trial)
    assert "## All records: 4" in text
    assert "## Two readers of the same material, by version 1.3.0: 4" in text


class TestCircumstances:
    READINGS = tuple(
        Reading(
            url=f"https://github.com/a/b/issues/{number}",
            first=RecordCircumstances(told_by=first),
            second=RecordCircumstances(told_by=second),
            settled=settled,
        )
        for number, (first, second, settled) in enumerate(
            (
                ("log", "log", ()),
                ("not-log", "not-log", ()),
                ("log", None, ()),
                ("log", "not-log", (SettledFact(fact="told_by", kept="log", why="The line names it."),)),
            )
        )
    )

    def test_a_fact_that_a_reader_left_open_counts_as_another_answer(self) -> None:
        found = {report.axis: report for report in measured_facts(self.READINGS)}
        assert found["told_by"].units == 4
        assert found["told_by"].coefficient("percent").value == 0.5

    def test_records_on_which_a_reader_left_the_fact_open_can_be_left_out(self) -> None:
        found = {report.axis: report for report in measured_facts(self.READINGS, if_both_answer=True)}
        assert found["told_by"].units == 3

    def test_what_became_of_differences_is_counted(self, parents: Parents) -> None:
        text = document(half_agreeing(), parents, readings=self.READINGS)
        assert "## Circumstances: 4 records" in text
        assert "| told_by | 2 | 1 | 1 | 3 |" in text
        assert "## Circumstances" not in document(half_agreeing(), parents)


def test_whose_answer_was_kept_is_counted(parents: Parents) -> None:
    _, _, third, fourth = half_agreeing()
    reason = "The stack shows it."
    third = third.model_copy(update={"settled": (Settled(axis="symptom", kept=("hang-start",), why=reason),)})
    fourth = fourth.model_copy(update={"settled": (Settled(axis="symptom", kept=("crash",), why=reason),)})
    assert "| symptom | 2 | 0 | 1 | 1 |" in document([third, fourth], parents)


def test_disputes_that_two_settled_apart_from_each_other_are_compared(parents: Parents) -> None:
    _, _, third, fourth = half_agreeing()
    say = partial(Settled, axis="symptom", why="The stack shows it.")
    third = third.model_copy(update={"settled": (say(kept=("hang-io",), proposed=(("hang-io",), ("hang-io",))),)})
    fourth = fourth.model_copy(update={"settled": (say(kept=("crash",), proposed=(("exception",), ("crash",))),)})
    text = document([third, fourth], parents)
    assert "Two readers settled 2 of these disputes apart from each other" in text
    assert "came to the same in 1: 50.0 %" in text
    assert "Two readers settled" not in document(half_agreeing(), parents)


def test_answers_that_a_later_reading_changed_are_counted_apart(parents: Parents) -> None:
    first = half_agreeing()[0]
    later = Settled(axis="symptom", kept=("crash",), why="The stack shows it.", read_on=dt.date(2026, 3, 1))
    text = document([first.model_copy(update={"settled": (later,)})], parents)
    assert "| symptom | 0 | 0 | 0 | 0 |" in text
    assert "than either reader had seen (`read_on`): 1, 1 of them where both had been of one mind." in text


def test_answers_with_a_better_code_since_count_as_what_was_kept_before(parents: Parents) -> None:
    agreed, _, disputed, _ = half_agreeing()
    say = partial(Settled, axis="symptom", kept=("hang-serving",), why="Version 2 has a code for it.")
    agreed = agreed.model_copy(update={"settled": (say(recoded=("hang-io",)),)})
    disputed = disputed.model_copy(update={"settled": (say(recoded=("hang-start",)),)})
    text = document([agreed, disputed], parents)
    assert "| symptom | 1 | 0 | 1 | 0 |" in text
    assert "better code for (`recoded`): 2." in text


def test_without_passes_it_says_so(parents: Parents) -> None:
    assert "No record has had its second pass yet." in document([], parents)


def test_the_report_in_docs_is_of_the_passes_that_are_kept(parents: Parents) -> None:
    written = DOCS.read_text(encoding="utf-8")
    is_current = written == document(list(read_passes().values()), parents, read_pilot(), read_readings())
    assert is_current, "a second pass changed: run manage.py record_agreement docs/agreement.md --figures"


def test_the_figures_on_the_site_are_of_the_passes_that_are_kept(parents: Parents) -> None:
    is_current = shown("labels") == as_figures(list(read_passes().values()), parents)
    assert is_current, "a second pass changed: run manage.py record_agreement docs/agreement.md --figures"
