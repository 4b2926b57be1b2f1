"""Quantiles, the median's interval and bins against definitions, other implementations and simulation."""

import random
import statistics
from collections import Counter
from itertools import pairwise
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.charts.log_axis import ZERO_PLACE, place
from kb.charts.median import FEWEST_FOR_INTERVAL, median_rank
from kb.charts.spread import bins, sample

NUMBERS = st.lists(st.integers(0, 100_000), min_size=1, max_size=60)


def of(values: list[int]) -> Counter[int]:
    return Counter(values)


class TestQuantiles:
    @given(NUMBERS, st.floats(0, 1))
    def test_are_numpys_of_the_numbers_one_by_one(self, values: list[int], share: float) -> None:
        assert sample(of(values)).quantile(share) == pytest.approx(float(np.quantile(values, share)), abs=1e-6)

    @given(NUMBERS)
    def test_the_median_is_that_of_statistics(self, values: list[int]) -> None:
        assert sample(of(values)).median == statistics.median(values)

    @given(st.lists(st.integers(0, 50), min_size=2, max_size=60))
    def test_quartiles_are_those_of_statistics(self, values: list[int]) -> None:
        low, _, high = statistics.quantiles(values, n=4, method="inclusive")
        found = sample(of(values)).quartiles
        assert [found.low, found.high] == pytest.approx([low, high])

    @given(NUMBERS)
    def test_every_place_holds_the_number_that_sorting_puts_there(self, values: list[int]) -> None:
        taken = sample(of(values))
        assert [taken.at(i) for i in range(taken.n)] == sorted(values)

    @given(NUMBERS, st.integers(0, 50), st.integers(0, 100_000))
    def test_counts_within_bounds(self, values: list[int], low: int, high: int) -> None:
        assert sample(of(values)).within(low, high) == sum(low <= value <= high for value in values)

    @pytest.mark.parametrize("share", [-0.1, 1.1])
    def test_there_are_none_beyond_all_or_of_nothing(self, share: float) -> None:
        with pytest.raises(ValueError, match="quantile"):
            sample({1: 1}).quantile(share)
        with pytest.raises(ValueError, match="of 0 numbers"):
            sample({}).quantile(0.5)


class TestIntervalOfTheMedian:
    @pytest.mark.parametrize("n", [*range(FEWEST_FOR_INTERVAL, 200), 999, 1000])
    def test_has_the_largest_rank_that_covers_95_percent_exactly(self, n: int) -> None:
        def outside(rank: int) -> int:
            return 2 * sum(comb(n, heads) for heads in range(rank))

        rank = median_rank(n)
        assert rank
        assert 20 * outside(rank) <= 2**n < 20 * outside(rank + 1)

    @pytest.mark.parametrize(("n", "rank"), [(6, 1), (10, 2), (20, 6), (50, 18), (100, 40)])
    def test_has_the_ranks_of_published_tables(self, n: int, rank: int) -> None:
        assert median_rank(n) == rank

    @pytest.mark.parametrize("n", range(FEWEST_FOR_INTERVAL))
    def test_there_is_none_for_fewer_than_six(self, n: int) -> None:
        assert sample({3: n}).median_interval is None

    def test_a_million_numbers_have_one_as_wide_as_the_normal_distribution_says(self) -> None:
        rank = median_rank(1_000_000)
        assert rank
        assert 500_000 - rank == pytest.approx(980, abs=3)

    @given(st.lists(st.integers(0, 1000), min_size=FEWEST_FOR_INTERVAL, max_size=80))
    def test_holds_the_median_and_ends_with_numbers_of_the_sample(self, values: list[int]) -> None:
        taken = sample(of(values))
        interval = taken.median_interval
        assert interval
        assert interval.low <= taken.median <= interval.high
        assert {interval.low, interval.high} <= set(values)

    @pytest.mark.parametrize("n", [6, 9, 25, 80])
    def test_covers_the_true_median_in_95_of_100_samples_or_more(self, n: int) -> None:
        chance = random.Random(n)  # noqa: S311
        runs, held, median = 2000, 0, round(10_000 * 2**0.5)
        for _ in range(runs):
            # Pareto's distribution with a heavy tail, whose median is known.
            interval = sample(of([round(10_000 * chance.paretovariate(2)) for _ in range(n)])).median_interval
            assert interval
            held += interval.low <= median <= interval.high
        assert held / runs >= 0.94


class TestBins:
    @given(st.integers(0, 10**7), st.booleans())
    def test_hold_every_number_once_and_none_beyond_need(self, most: int, ends_round: bool) -> None:
        found = bins(most, ends_round=ends_round)
        assert found[0].low == 0
        assert all(following.low == one.high + 1 for one, following in pairwise(found))
        assert found[-1].low <= most <= found[-1].high

    def test_begin_or_end_with_round_numbers(self) -> None:
        assert [one.text for one in bins(60)] == ["0", "1", "2–4", "5–9", "10–19", "20–49", "50–99"]
        assert [one.asked for one in bins(25, ends_round=True)] == ["0", "1", "2", "3..5", "6..10", "11..20", "21..50"]


class TestAxis:
    @given(st.floats(0, 1e6), st.floats(0, 1e6))
    def test_keeps_the_order(self, one: float, other: float) -> None:
        low, high = sorted((one, other))
        assert ZERO_PLACE <= place(low) <= place(high)

    def test_has_zero_at_its_left_and_nothing_below(self) -> None:
        assert (place(0), place(1), place(100)) == (ZERO_PLACE, 0, 2)
        with pytest.raises(ValueError, match="no place"):
            place(-1)
