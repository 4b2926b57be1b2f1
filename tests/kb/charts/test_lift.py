"""The lift and its interval: hand-counted sets, properties, and how often it covers the truth in simulation."""

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
        """20 of 40 with the one answer, 30 of 160 without: Wilson's intervals, and MOVER twice, on paper."""
        found = lift(both=20, one=40, other=50, of=200)
        assert found.ratio == pytest.approx(2)
        assert found.interval.low == pytest.approx(1.4620, abs=1e-3)
        assert found.interval.high == pytest.approx(2.5397, abs=1e-3)
        assert found.is_clear

    @pytest.mark.parametrize("others", [0, 1])
    def test_one_issue_is_no_clear_difference(self, others: int) -> None:
        assert not lift(both=1, one=30, other=1 + others, of=108).is_clear

    def test_no_more_than_usual(self) -> None:
        found = lift(both=10, one=40, other=50, of=200)
        assert found.ratio == pytest.approx(1)
        assert not found.is_clear

    def test_what_everything_carries_says_nothing(self) -> None:
        found = lift(both=30, one=30, other=90, of=90)
        assert found.ratio == 1
        assert not found.is_clear

    def test_without_anything_beside_it_cannot_differ(self) -> None:
        found = lift(both=5, one=9, other=5, of=9)
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
    def test_holds_the_ratio(self, counts: dict[str, int]) -> None:
        found = lift(**counts)
        assert 0 < found.interval.low <= found.ratio <= found.interval.high

    @given(tables())
    def test_narrows_with_ten_times_the_issues(self, counts: dict[str, int]) -> None:
        few, many = lift(**counts), lift(**{name: 10 * count for name, count in counts.items()})
        assume(few.interval.high > few.interval.low * (1 + 1e-9))
        assert many.interval.high / many.interval.low < few.interval.high / few.interval.low
        assert many.ratio == pytest.approx(few.ratio)


@pytest.mark.parametrize("of", [60, 600])
@pytest.mark.parametrize(
    ("shares", "true"),
    [
        ((0.05, 0.2, 0.15, 0.6), 1.0),
        ((0.12, 0.08, 0.18, 0.62), 2.0),
        ((0.02, 0.18, 0.38, 0.42), 0.25),
        ((0.1, 0.02, 0.02, 0.86), 0.1 / 0.12**2),
    ],
    ids=["independent", "twice", "a quarter", "nearly always together"],
)
def test_covers_the_true_lift_as_often_as_it_says(shares: tuple[float, ...], true: float, of: int) -> None:
    draws = np.random.default_rng(20_260).multinomial(of, shares, size=4_000)
    found = [lift(both=b, one=b + x, other=b + y, of=of) for b, x, y, _ in draws.tolist() if b]
    covered = sum(one.interval.low <= true <= one.interval.high for one in found) / len(found)
    assert 0.93 <= covered <= 0.98
