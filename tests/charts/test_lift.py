"""The lift and its interval: hand-counted sets, properties, and how often it covers the truth in simulation."""

from math import log

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kb.charts.lift import lift


@st.composite
def tables(draw: st.DrawFn) -> dict[str, int]:
    """Counts of a fourfold table in which something carries both."""
    both, only_one, only_other, neither = (draw(st.integers(low, 3_000)) for low in (1, 0, 0, 0))
    return {
        "both": both,
        "one": both + only_one,
        "other": both + only_other,
        "of": both + only_one + only_other + neither,
    }


class TestByHand:
    def test_twice_as_often(self) -> None:
        found = lift(both=20, one=40, other=50, of=200)
        assert found.ratio == pytest.approx(2)
        variance = 1 / 20 - 1 / 40 - 1 / 50 + 2 * 20 / (40 * 50) - 1 / 200
        assert log(found.interval.high / found.ratio) == pytest.approx(1.959964 * variance**0.5, rel=1e-6)
        assert found.is_clear

    def test_no_more_than_usual(self) -> None:
        found = lift(both=10, one=40, other=50, of=200)
        assert found.ratio == pytest.approx(1)
        assert not found.is_clear

    def test_what_everything_carries_says_nothing(self) -> None:
        found = lift(both=30, one=30, other=90, of=90)
        assert (found.ratio, found.interval.low, found.interval.high) == (1, 1, 1)

    @pytest.mark.parametrize(
        "counts",
        [
            {"both": 0, "one": 3, "other": 3, "of": 9}, {"both": 4, "one": 3, "other": 5, "of": 9},
            {"both": 1, "one": 5, "other": 6, "of": 9}, {"both": -1, "one": 5, "other": 6, "of": 90},
        ],
    )  # fmt: skip
    def test_counts_that_do_not_nest_are_refused(self, counts: dict[str, int]) -> None:
        with pytest.raises(ValueError, match="do not nest"):
            lift(**counts)


class TestProperties:
    @given(tables())
    def test_holds_the_ratio_and_is_the_same_from_either_side(self, counts: dict[str, int]) -> None:
        found = lift(**counts)
        turned = lift(both=counts["both"], one=counts["other"], other=counts["one"], of=counts["of"])
        assert 0 < found.interval.low <= found.ratio <= found.interval.high
        assert found == turned

    @given(tables())
    def test_narrows_with_ten_times_the_issues(self, counts: dict[str, int]) -> None:
        few, many = lift(**counts), lift(**{name: 10 * count for name, count in counts.items()})
        assume(few.interval.high > few.interval.low * (1 + 1e-9))
        assert many.interval.high / many.interval.low < few.interval.high / few.interval.low
        assert many.ratio == pytest.approx(few.ratio)


@pytest.mark.parametrize(
    ("shares", "true"),
    [((0.05, 0.2, 0.15, 0.6), 1.0), ((0.12, 0.08, 0.18, 0.62), 2.0), ((0.02, 0.18, 0.38, 0.42), 0.25)],
    ids=["independent", "twice", "a quarter"],
)
def test_covers_the_true_lift_as_often_as_it_says(shares: tuple[float, ...], true: float) -> None:
    draws = np.random.default_rng(20_260).multinomial(600, shares, size=4_000)
    found = [lift(both=b, one=b + x, other=b + y, of=600) for b, x, y, _ in draws.tolist() if b]
    covered = sum(one.interval.low <= true <= one.interval.high for one in found) / len(draws)
    assert 0.93 <= covered <= 0.97
