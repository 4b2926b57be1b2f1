"""Shares through the crosswalk: which can be compared, Newcombe's interval, and the verdicts."""

import random
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.charts.crosswalked import Category, Side, Standing, Verdict, differ, hindrance, side
from kb.core.intervals import newcombe


@st.composite
def shares(draw: st.DrawFn) -> tuple[int, int]:
    of = draw(st.integers(1, 5_000))
    return draw(st.integers(0, of)), of


class TestNewcombe:
    """Newcombe, Statistics in Medicine 17 (1998), table II, method 10."""

    @pytest.mark.parametrize(
        ("first", "second", "low", "high"),
        [
            ((56, 70), (48, 80), 0.0524, 0.3339),
            ((9, 10), (3, 10), 0.1705, 0.8090),
            ((6, 7), (2, 7), 0.0582, 0.8062),
            ((5, 56), (0, 29), -0.0381, 0.1926),
            ((0, 10), (0, 20), -0.1611, 0.2775),
            ((10, 10), (0, 20), 0.6791, 1.0),
            ((10, 10), (0, 10), 0.6075, 1.0),
        ],
    )
    def test_reproduces_published_values(
        self, first: tuple[int, int], second: tuple[int, int], low: float, high: float
    ) -> None:
        interval = newcombe(*first, *second)
        assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)

    @given(shares(), shares())
    def test_holds_the_difference_and_turns_with_its_sides(self, one: tuple[int, int], other: tuple[int, int]) -> None:
        interval, turned = newcombe(*one, *other), newcombe(*other, *one)
        assert -1 <= interval.low <= one[0] / one[1] - other[0] / other[1] <= interval.high <= 1
        assert interval.low == pytest.approx(-turned.high, abs=1e-12)

    @pytest.mark.parametrize(
        ("p", "n", "q", "m"), [(0.3, 40, 0.3, 60), (0.05, 100, 0.1, 80), (0.5, 30, 0.2, 30), (0.02, 200, 0.02, 700)]
    )
    def test_covers_the_truth_in_about_95_of_100_samples(self, p: float, n: int, q: float, m: int) -> None:
        def weights(share: float, of: int) -> list[float]:
            return [comb(of, k) * share**k * (1 - share) ** (of - k) for k in range(of + 1)]

        drawn = random.Random(7)  # noqa: S311
        firsts = drawn.choices(range(n + 1), weights(p, n), k=4_000)
        seconds = drawn.choices(range(m + 1), weights(q, m), k=4_000)
        intervals = [newcombe(a, n, b, m) for a, b in zip(firsts, seconds, strict=True)]
        covered = sum(i.low <= p - q <= i.high for i in intervals) / len(intervals)
        assert 0.935 <= covered <= 0.99

    def test_what_is_no_share_is_refused(self) -> None:
        with pytest.raises(ValueError, match="not a share"):
            newcombe(1, 0, 1, 2)


def category(code: str, count: int | None, parent: str | None = None, **relations: str) -> Category:
    return Category(code, code.upper(), parent, count, relations)


class TestSide:
    def test_same_meaning_counts_with_what_lies_within(self) -> None:
        found = side(
            "memory",
            within={"memory", "oom"},
            categories=[
                category("a", 10, memory="close"),
                category("b", 5, oom="exact"),
                category("c", 9, hang="exact"),
            ],
            of=100,
        )
        assert (found.standing, found.cases, found.of, found.names) == (Standing.MEANT, 15, 100, ("A", "B"))

    def test_what_stands_below_a_counted_category_is_not_counted_again(self) -> None:
        kept = [category("a", 10, memory="exact"), category("a1", 4, "a", memory="broad")]
        assert side("memory", within={"memory"}, categories=kept, of=20).cases == 10

    @pytest.mark.parametrize(
        ("relations", "standing"),
        [
            ({"memory": "broad"}, Standing.PART),
            ({"oom": "exact"}, Standing.PART),
            ({"memory": "narrow"}, Standing.BROADER),
            ({"memory": "close", "slow": "close"}, Standing.STRADDLES),
            ({"slow": "exact"}, Standing.NONE),
        ],
    )
    def test_no_share_is_made_up(self, relations: dict[str, str], standing: Standing) -> None:
        found = side("memory", within={"memory", "oom"}, categories=[category("a", 3, **relations)], of=9)
        assert found.standing is standing
        assert found.share is None
        assert found.interval is None

    def test_an_unknown_count_or_size_is_unknown(self) -> None:
        kept = [category("a", None, memory="exact")]
        assert side("memory", within={"memory"}, categories=kept, of=9).standing is Standing.UNCOUNTED
        kept = [category("a", 3, memory="exact")]
        assert side("memory", within={"memory"}, categories=kept, of=None).standing is Standing.UNCOUNTED


def meant(cases: int, of: int) -> Side:
    return Side(Standing.MEANT, cases, of, ("A",))


class TestVerdict:
    @pytest.mark.parametrize(
        ("first", "second", "verdict"),
        [
            (meant(500, 1_000), meant(500, 1_000), Verdict.WITHIN),
            (meant(500, 1_000), meant(300, 1_000), Verdict.DIFFER),
            (meant(3, 10), meant(2, 10), Verdict.UNCLEAR),
        ],
    )
    def test_says_what_the_interval_says(self, first: Side, second: Side, verdict: Verdict) -> None:
        assert differ(first, second).verdict is verdict

    @given(shares(), shares())
    def test_turning_the_studies_round_changes_no_verdict(self, one: tuple[int, int], other: tuple[int, int]) -> None:
        assert differ(meant(*one), meant(*other)).verdict is differ(meant(*other), meant(*one)).verdict

    @pytest.mark.parametrize("standing", [each for each in Standing if each is not Standing.MEANT])
    def test_a_side_without_a_share_is_named_with_its_reason(self, standing: Standing) -> None:
        found = differ(meant(1, 2), Side(standing, names=("Broader thing",)))
        assert found.verdict is Verdict.NOT_COMPARABLE
        assert "the second study" in found.why

    def test_a_hindrance_stops_every_comparison(self) -> None:
        found = differ(meant(1, 2), meant(1, 2), hindrance="different units")
        assert (found.verdict, found.interval, found.why) == (Verdict.NOT_COMPARABLE, None, "different units")


class TestHindrance:
    def test_units_denominators_and_overlaps_are_told(self) -> None:
        fine = {"units": ("reports", "reports"), "parts": ("", ""), "sizes": (100, 500), "shared": 5}
        assert hindrance(**fine) == ""  # type: ignore[arg-type]
        assert "different units" in hindrance(**fine | {"units": ("reports", "instances")})  # type: ignore[arg-type]
        assert "of the inference stage" in hindrance(**fine | {"parts": ("", "the inference stage")})  # type: ignore[arg-type]
        assert "6 issues are in both" in hindrance(**fine | {"shared": 6})  # type: ignore[arg-type]
        assert hindrance(**fine | {"shared": None}) == ""  # type: ignore[arg-type]
