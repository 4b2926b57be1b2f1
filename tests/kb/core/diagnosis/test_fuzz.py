"""Damaged logs do no harm: each is answered or refused. `make bench ONLY=fuzz` tries and times many more."""

from tests.kb.core.diagnosis.fuzz import diagnosed_cases

CASES = 5_000


def test_every_damaged_log_is_answered_or_refused_in_words() -> None:
    answers = [case.answer for case in diagnosed_cases(seed=31, count=CASES)]
    assert len(answers) == CASES
    assert all(answers)
    assert {"failure", "no_evidence", "incomplete", "cancelled"} <= set(answers)
