"""Tail probabilities are those of scipy; Holm's correction does what it promises."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from kb.core.chances import (
    binomial_at_least,
    binomial_at_most,
    chi_square_above,
    holm,
    inversions_at_most,
    normal_above,
)

shares = st.floats(0, 1)
REL, ABS = 1e-7, 1e-12


@given(st.integers(0, 3_000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))), shares)
def test_binomial_tails_are_those_of_scipy(counts: tuple[int, int], share: float) -> None:
    cases, of = counts
    assert binomial_at_most(cases, of, share) == pytest.approx(stats.binom.cdf(cases, of, share), rel=REL, abs=ABS)
    assert binomial_at_least(cases, of, share) == pytest.approx(stats.binom.sf(cases - 1, of, share), rel=REL, abs=ABS)


@pytest.mark.parametrize(("cases", "of", "share"), [(-1, 3, 0.5), (4, 3, 0.5), (1, 0, 0.5), (1, 3, 1.1)])
def test_what_is_no_share_is_refused(cases: int, of: int, share: float) -> None:
    with pytest.raises(ValueError, match="not binomial"):
        binomial_at_most(cases, of, share)


@given(st.floats(0, 2_000), st.integers(1, 400))
def test_chi_square_is_that_of_scipy(value: float, freedom: int) -> None:
    assert chi_square_above(value, freedom) == pytest.approx(stats.chi2.sf(value, freedom), rel=1e-6, abs=1e-11)


@given(st.floats(-30, 30))
def test_the_normal_tail_is_that_of_scipy(z: float) -> None:
    assert normal_above(z) == pytest.approx(stats.norm.sf(z), rel=REL, abs=ABS)


@pytest.mark.parametrize("of", range(2, 7))
def test_inversions_are_counted_as_by_going_through_all_orders(of: int) -> None:
    orders = list(permutations(range(of)))
    inverted = [sum(a > b for i, a in enumerate(order) for b in order[i + 1 :]) for order in orders]
    for count in range(of * (of - 1) // 2 + 1):
        exactly = sum(one <= count for one in inverted) / len(orders)
        assert inversions_at_most(count, of) == pytest.approx(exactly)


@given(st.lists(shares, max_size=12))
def test_holm_is_never_below_the_chance_nor_above_bonferroni(chances: list[float]) -> None:
    adjusted = holm(chances)
    for one, other in zip(chances, adjusted, strict=True):
        assert one <= other <= min(1.0, max(one * len(chances), max(chances)))
    order = sorted(range(len(chances)), key=lambda place: chances[place])
    assert [adjusted[place] for place in order] == sorted(adjusted)


def test_holm_of_a_known_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
