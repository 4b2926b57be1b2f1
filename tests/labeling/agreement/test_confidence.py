"""Confidence of a published answer: every row of docs/confidence.md; nothing raises what something else lowers."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.agreement import Basis, BootstrapInterval, Coefficient, Confidence, Measure, confidence
from labeling.agreement.confidence import AXIS_ISSUES, CATEGORY_ISSUES, by_agreement, by_votes

LOW, MEDIUM, HIGH = Confidence


def alpha(value: float | None, low: float | None, issues: int = 50) -> Measure:
    interval = None if low is None else BootstrapInterval(low, 1.0, 1_000, 0)
    reason = "" if value is not None else "Everybody said the same."
    return Measure(Coefficient("alpha_nominal", "Alpha", value, reason, None, None, 50, 100, 0, interval), issues)


SURE = alpha(0.9, 0.8)


@pytest.mark.parametrize(
    ("value", "low", "expected"),
    [
        (0.8, 0.667, HIGH), (0.8, 0.66, MEDIUM), (0.79, 0.7, MEDIUM), (0.667, 0.4, MEDIUM), (0.667, 0.39, LOW),
        (0.66, 0.5, LOW), (0.5, 0.3, LOW), (0.95, 0.1, LOW), (0.95, None, LOW), (None, None, LOW),
    ],
)  # fmt: skip
def test_agreement_counts_with_the_lower_end_of_its_interval(
    value: float | None, low: float | None, expected: Confidence
) -> None:
    assert by_agreement(alpha(value, low), AXIS_ISSUES) == expected


@pytest.mark.parametrize(
    ("wanted", "issues", "expected"),
    [
        (AXIS_ISSUES, 2, LOW), (AXIS_ISSUES, 9, LOW), (AXIS_ISSUES, 10, MEDIUM), (AXIS_ISSUES, 29, MEDIUM),
        (AXIS_ISSUES, 30, HIGH), (CATEGORY_ISSUES, 4, LOW), (CATEGORY_ISSUES, 5, MEDIUM), (CATEGORY_ISSUES, 10, HIGH),
    ],
)  # fmt: skip
def test_a_handful_of_issues_shows_too_little(wanted: tuple[int, int], issues: int, expected: Confidence) -> None:
    assert by_agreement(alpha(1.0, 1.0, issues), wanted) == expected


@pytest.mark.parametrize(
    ("votes", "support", "expected"),
    [(1, 1, LOW), (2, 2, HIGH), (2, 1, LOW), (3, 3, HIGH), (3, 2, MEDIUM), (3, 1, LOW), (3, 0, LOW), (4, 2, LOW)],
)
def test_the_answers_own_votes_count(votes: int, support: int, expected: Confidence) -> None:
    assert by_votes(votes, support) == expected


def test_an_adjudicator_against_every_vote_is_of_low_confidence() -> None:
    assert confidence(Basis(SURE, [SURE], votes=3, support=0)) == LOW


@pytest.mark.parametrize(
    ("origin", "expected"),
    [({}, HIGH), ({"is_pilot": True}, MEDIUM), ({"is_from_file": True}, LOW), ({"is_demo": True}, LOW)],
)
def test_origin_is_an_upper_bound(origin: dict[str, bool], expected: Confidence) -> None:
    assert confidence(Basis(SURE, [SURE], votes=3, support=3, **origin)) == expected


def test_what_was_not_measured_is_of_low_confidence() -> None:
    assert confidence(Basis(None, [SURE], votes=3, support=3)) == LOW
    assert confidence(Basis(SURE, [SURE, None], votes=3, support=3)) == LOW


coefficients = st.one_of(
    st.none(),
    st.builds(alpha, st.floats(-1, 1), st.one_of(st.none(), st.floats(-1, 1)), st.integers(0, 60)),
    st.just(alpha(None, None)),
)


@given(st.lists(coefficients, min_size=1, max_size=4), st.integers(1, 9), st.data())
def test_the_answer_is_never_surer_than_any_of_its_parts(
    measured: list[Measure | None], votes: int, data: st.DataObject
) -> None:
    support = data.draw(st.integers(0, votes))
    level = confidence(Basis(measured[0], measured[1:], votes, support))
    of_categories = [by_agreement(one, CATEGORY_ISSUES) for one in measured[1:]]
    assert level == min([by_votes(votes, support), by_agreement(measured[0], AXIS_ISSUES), *of_categories])


def test_more_agreement_never_lowers_it() -> None:
    steps = [number / 20 for number in range(-20, 21)]
    for low, (worse, better) in itertools.product((0.1, 0.5, 0.7), itertools.pairwise(steps)):
        assert by_agreement(alpha(worse, low), AXIS_ISSUES) <= by_agreement(alpha(better, low), AXIS_ISSUES)
