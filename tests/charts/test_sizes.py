"""The median's interval against published ranks and in simulation, and the steps of a distribution."""

import random
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.charts.sizes import FILE_STEPS, LINE_STEPS, middle, steps

sizes = st.lists(st.integers(0, 5_000), min_size=1, max_size=200)


class TestMedian:
    @pytest.mark.parametrize(
        ("n", "low", "high"),
        # Ranks of the interval at 95 %: Conover, Practical Nonparametric Statistics, 3rd ed., table A3 with p = 0.5.
        [(6, 1, 6), (8, 1, 8), (9, 2, 8), (10, 2, 9), (15, 4, 12), (20, 6, 15)],
    )
    def test_ranks_are_the_published_ones(self, n: int, low: int, high: int) -> None:
        found = middle(range(1, n + 1))
        assert (found.low, found.high) == (low, high)

    @pytest.mark.parametrize("n", range(1, 6))
    def test_five_are_too_few_for_an_interval(self, n: int) -> None:
        found = middle(range(n))
        assert (found.n, found.low, found.high) == (n, None, None)

    @given(sizes)
    def test_holds_the_median_and_stays_within_the_sizes(self, values: list[int]) -> None:
        found = middle(values)
        assert min(values) <= found.value <= max(values)
        if found.low is not None and found.high is not None:
            assert min(values) <= found.low <= found.value <= found.high <= max(values)

    @given(sizes)
    def test_does_not_care_for_order_and_follows_the_unit(self, values: list[int]) -> None:
        found, turned, doubled = middle(values), middle(values[::-1]), middle([2 * value for value in values])
        assert found == turned
        assert doubled.value == 2 * found.value
        assert found.low is None or doubled.low == 2 * found.low

    @pytest.mark.parametrize("n", [6, 17, 40, 173, 1_000])
    def test_is_as_narrow_as_the_exact_binomial_allows(self, n: int) -> None:
        found = middle(range(1, n + 1))
        assert found.low is not None
        rank = int(found.low)
        outside = [2 * sum(comb(n, k) for k in range(below)) / 2**n for below in (rank, rank + 1)]
        assert outside[0] <= 0.05 < outside[1]

    def test_is_quick_for_very_many(self) -> None:
        found = middle(range(100_000))
        assert found.low is not None
        assert found.low == pytest.approx(50_000 - 1.96 * 100_000**0.5 / 2, abs=2)

    @pytest.mark.parametrize("n", [8, 30, 120])
    def test_covers_the_true_median_at_least_as_often_as_it_says(self, n: int) -> None:
        chance = random.Random(n)  # noqa: S311 - the same draws each time
        true, rounds, held = 2.718281828459045, 3_000, 0
        for _ in range(rounds):
            found = middle([chance.lognormvariate(1, 1.5) for _ in range(n)])
            assert found.low is not None
            assert found.high is not None
            held += found.low <= true <= found.high
        # Three standard errors of a simulation so long.
        assert held / rounds >= 0.95 - 3 * (0.95 * 0.05 / rounds) ** 0.5

    def test_nothing_has_no_middle(self) -> None:
        with pytest.raises(ValueError, match="no middle"):
            middle([])


class TestSteps:
    def test_a_hand_counted_set(self) -> None:
        found = steps([0, 1, 2, 3, 10, 11, 1_000, 1_001, 4_000], LINE_STEPS)
        assert {step.name: step.count for step in found} == {
            "0": 1, "1–2": 2, "3–5": 1, "6–10": 1, "11–20": 1, "21–50": 0, "51–100": 0, "101–200": 0,
            "201–500": 0, "501–1,000": 1, "over 1,000": 2,
        }  # fmt: skip

    def test_ends_without_anything_are_left_out(self) -> None:
        assert [step.name for step in steps([1, 7], FILE_STEPS)] == ["1", "2", "3–5", "6–10", "11–20", "21–50"]

    @given(sizes, st.sampled_from([LINE_STEPS, FILE_STEPS]))
    def test_every_size_falls_on_one_step(self, values: list[int], bounds: tuple[int, ...]) -> None:
        assert sum(step.count for step in steps(values, bounds)) == len(values)
