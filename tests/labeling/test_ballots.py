"""Ballots: whole, from the codebook, and by the rules, or with what to do about it."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.ballots import (
    Ballot,
    BallotAxis,
    BallotRule,
    Choice,
    Passage,
    ballot_of,
    broken,
    content_of,
    faults,
    hash_of,
)

SYMPTOM = BallotAxis("symptom", "Symptom", several=True, codes=frozenset({"hang", "crash"}))
KIND = BallotAxis("issue_type", "Issue type", several=False, codes=frozenset({"bug", "question"}))
AXES = [SYMPTOM, KIND]
A_QUESTION_DOES_NOT_CRASH = BallotRule(
    "1", ("issue_type", "question"), "excludes", frozenset({("symptom", "crash")}), "A question has no symptom."
)
A_BUG_IS_SEEN = BallotRule(
    "2", ("issue_type", "bug"), "requires", frozenset({("symptom", "hang"), ("symptom", "crash")}), "A bug is seen."
)


def ballot(symptom: Choice, kind: Choice, **fields: object) -> Ballot:
    return Ballot(**{"choices": {"symptom": symptom, "issue_type": kind}, "confidence": 2} | fields)  # type: ignore[arg-type]


def test_a_whole_ballot_has_no_faults() -> None:
    assert faults(ballot(Choice(("hang", "crash")), Choice(("bug",))), AXES, [A_BUG_IS_SEEN]) == {}


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        (Choice(), "choose an answer"),
        (Choice(("bug", "question")), "only one answer"),
        (Choice(("bug", "bug")), "twice"),
        (Choice(("defect",)), "“defect” is not in this round's codebook"),
        (Choice(("bug",), is_undecidable=True), "either choose"),
    ],
)
def test_a_fault_says_where_it_is_and_what_to_do(choice: Choice, says: str) -> None:
    found = faults(ballot(Choice(("hang",)), choice), AXES, [])
    assert list(found) == ["axis:issue_type"]
    assert says in found["axis:issue_type"]


def test_an_axis_that_is_not_asked_is_a_fault() -> None:
    extra = Ballot(
        choices={"symptom": Choice(("hang",)), "issue_type": Choice(("bug",)), "mood": Choice()}, confidence=1
    )
    assert faults(extra, AXES, []) == {"axis:mood": "This project does not ask this."}


def test_a_broken_rule_needs_a_reason() -> None:
    against = ballot(Choice(("crash",)), Choice(("question",)))
    assert list(faults(against, AXES, [A_QUESTION_DOES_NOT_CRASH])) == ["rule:1"]
    explained = ballot(Choice(("crash",)), Choice(("question",)), rule_reasons={"1": "The asker quotes a crash."})
    assert faults(explained, AXES, [A_QUESTION_DOES_NOT_CRASH]) == {}
    assert broken(explained, [A_QUESTION_DOES_NOT_CRASH]) == [A_QUESTION_DOES_NOT_CRASH]


def test_a_rule_may_require_an_answer_on_another_axis() -> None:
    unseen = ballot(Choice(is_undecidable=True), Choice(("bug",)))
    assert list(faults(unseen, AXES, [A_BUG_IS_SEEN])) == ["rule:2"]


def test_how_sure_one_is_must_be_said() -> None:
    assert "confidence" in faults(ballot(Choice(("hang",)), Choice(("bug",)), confidence=0), AXES, [])


def test_notes_and_evidence_have_limits() -> None:
    long = ballot(Choice(("hang",)), Choice(("bug",)), note="x" * 10_001, evidence=[Passage("body", 0, 1)] * 51)
    assert set(faults(long, AXES, [])) == {"note", "evidence"}


codes = st.lists(st.sampled_from(["hang", "crash", "bug", "question", "other"]), max_size=4).map(tuple)
choices = st.builds(Choice, codes, st.booleans())


@given(st.dictionaries(st.sampled_from(["symptom", "issue_type", "mood"]), choices), st.integers(-1, 5))
def test_a_ballot_without_faults_answers_every_axis_from_its_codes(filled: dict[str, Choice], confidence: int) -> None:
    found = faults(Ballot(filled, confidence), AXES, [])
    if not found:
        for axis in AXES:
            choice = filled[axis.code]
            assert set(choice.codes) <= axis.codes
            assert choice.is_undecidable is not bool(choice.codes)
            assert axis.several or len(choice.codes) <= 1


passages = st.builds(Passage, st.sampled_from(["title", "body"]), st.integers(0, 99), st.integers(0, 99), st.text())
filled_in = st.builds(
    Ballot,
    choices=st.dictionaries(st.text(), choices.filter(lambda choice: choice != Choice())),
    confidence=st.integers(0, 3),
    note=st.text(),
    evidence=st.lists(passages),
    rule_reasons=st.dictionaries(st.text(), st.text()),
)


@given(filled_in)
def test_a_ballot_comes_back_from_what_a_draft_holds(ballot: Ballot) -> None:
    assert ballot_of(content_of(ballot)) == ballot


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"choices": []},
        {"choices": {"symptom": 3}},
        {"evidence": [{"start": "0"}, 7]},
        {"confidence": "3", "note": 1},
    ],
)
def test_what_cannot_be_read_counts_as_not_filled_in(content: dict[str, object]) -> None:
    assert ballot_of(content) == Ballot(choices={}, confidence=0, evidence=[])


def test_ballots_that_say_the_same_have_one_hash() -> None:
    one = ballot(Choice(("hang", "crash")), Choice(is_undecidable=True), note=" as said\n", rule_reasons={"1": " "})
    other = ballot(Choice(("crash", "hang")), Choice(is_undecidable=True), note="as said")
    assert hash_of(one) == hash_of(other)


@pytest.mark.parametrize(
    "change",
    [
        {"note": "Note"},
        {"confidence": 3},
        {"evidence": [Passage("body", 0, 6)]},
        {"rule_reasons": {"1": "so it is"}},
        {"choices": {"symptom": Choice(("hang",))}},
        {"choices": {"symptom": Choice(("hang",)), "issue_type": Choice(is_undecidable=True)}},
    ],
)
def test_every_part_of_a_ballot_changes_its_hash(change: dict[str, Any]) -> None:
    whole = ballot(Choice(("hang",)), Choice(("bug",)), note="note")
    assert hash_of(replace(whole, **change)) != hash_of(whole)
    assert hash_of(ballot_of(content_of(replace(whole, **change)))) == hash_of(replace(whole, **change))
