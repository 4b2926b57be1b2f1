"""The median's interval: published ranks, and how often it holds the truth."""

import random
from statistics import median as middle_of

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.charts.median import median
from kb.core.intervals import Interval


@pytest.mark.parametrize(
    ("of", "low", "high"), [(6, 1, 6), (8, 1, 8), (9, 2, 8), (10, 2, 9), (15, 4, 12), (20, 6, 15), (25, 8, 18)]
)
def test_the_ranks_are_those_of_the_sign_test(of: int, low: int, high: int) -> None:
    """Dixon and Massey, Introduction to Statistical Analysis, table of the sign test at two-sided 5 %."""
    found = median(range(1, of + 1))
    assert found is not None
    assert found.interval == Interval(low, high)


def test_five_numbers_cannot_bound_it_and_none_have_no_median() -> None:
    found = median([3, 1, 2, 5, 4])
    assert found is not None
    assert (found.value, found.interval, found.of) == (3, None, 5)
    assert median([]) is None


@given(st.lists(st.integers(0, 10_000), min_size=6, max_size=60))
def test_it_lies_within_its_interval_whatever_the_order(sample: list[int]) -> None:
    found = median(sample)
    assert found is not None
    assert found.value == middle_of(sample)
    assert found.interval is not None
    assert found.interval.low <= found.value <= found.interval.high
    assert found == median(reversed(sample))


@pytest.mark.parametrize("of", [6, 11, 40])
def test_it_holds_the_true_median_in_95_of_100(of: int) -> None:
    chance = random.Random(11)  # noqa: S311
    held = 0
    for _ in range(2_000):
        found = median(chance.expovariate(0.6931471805599453) for _ in range(of))
        assert found is not None
        assert found.interval is not None
        held += found.interval.low <= 1 <= found.interval.high
    assert held / 2_000 >= 0.945
