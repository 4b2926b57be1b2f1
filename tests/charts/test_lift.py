"""The interval of a lift against a published value, its properties, and how often it holds the truth."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.charts.lift import lift


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int, int, int]:
    """Cases of a part, and of the whole that holds the part."""
    of = draw(st.integers(1, 5_000))
    cases = draw(st.integers(1, of))
    rest = draw(st.integers(0, 5_000))
    return cases, of, cases + draw(st.integers(0, rest)), of + rest


def test_a_ratio_of_two_shares_has_the_interval_of_the_log_method() -> None:
    """By hand: ln 2 and sqrt(1/20 - 1/100 + 1/40 - 1/400) = 0.25."""
    found = lift(20, 100, 40, 400)
    assert found.ratio == pytest.approx(2)
    assert found.interval.low == pytest.approx(1.2252, abs=1e-4)
    assert found.interval.high == pytest.approx(3.2647, abs=1e-4)
    assert found.differs


@given(counts())
def test_the_interval_holds_the_ratio_and_is_never_a_point(found: tuple[int, int, int, int]) -> None:
    made = lift(*found)
    assert 0 < made.interval.low < made.ratio < made.interval.high


@given(counts())
def test_both_bounds_are_equally_many_times_away(found: tuple[int, int, int, int]) -> None:
    made = lift(*found)
    assert made.ratio / made.interval.low == pytest.approx(made.interval.high / made.ratio)


@given(counts())
def test_more_issues_of_the_same_shares_narrow_it(found: tuple[int, int, int, int]) -> None:
    few, many = lift(*found), lift(*(10 * count for count in found))
    assert many.interval.high / many.interval.low < few.interval.high / few.interval.low


@pytest.mark.parametrize("wrong", [(0, 5, 1, 9), (6, 5, 6, 9), (1, 5, 0, 9), (1, 5, 10, 9)])
def test_what_is_no_lift_is_refused(wrong: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="no lift"):
        lift(*wrong)


@pytest.mark.parametrize(("of", "whole", "share"), [(12, 60, 0.4), (30, 200, 0.1), (30, 200, 0.4), (80, 120, 0.25)])
def test_of_what_is_independent_it_holds_1_in_95_of_100(of: int, whole: int, share: float) -> None:
    chance = random.Random(7)  # noqa: S311
    held = made = 0
    for _ in range(3_000):
        within = sum(chance.random() < share for _ in range(of))
        beside = sum(chance.random() < share for _ in range(whole - of))
        if within:
            made += 1
            held += not lift(within, of, within + beside, whole).differs
    assert held / made >= 0.95
