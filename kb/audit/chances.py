"""Tail probabilities of the distributions that the checks need, and Holm's correction."""

from collections.abc import Sequence
from math import erfc, exp, lgamma, log, log1p, sqrt

import numpy as np

TINY = 1e-300


def normal_above(z: float) -> float:
    """P(Z > z) of the standard normal."""
    return 0.5 * erfc(z / sqrt(2))


def binomial_at_most(cases: int, of: int, share: float) -> float:
    """P(X <= cases) for X ~ Binomial(of, share), summed exactly. Raises `ValueError` for counts that are no share."""
    if of < 0 or not 0 <= cases <= of or not 0 <= share <= 1:
        raise ValueError(f"{cases} of {of} at {share} is not binomial")
    if cases == of or share == 0:
        return 1.0
    if share == 1:
        return 0.0
    k = np.arange(1, cases + 1)
    steps = np.log((of - k + 1) / k) + log(share) - log1p(-share)
    terms = of * log1p(-share) + np.concatenate(([0.0], np.cumsum(steps)))
    return min(1.0, float(np.exp(terms).sum()))


def binomial_at_least(cases: int, of: int, share: float) -> float:
    """P(X >= cases) for X ~ Binomial(of, share)."""
    return binomial_at_most(of - cases, of, 1 - share)


def chi_square_above(value: float, freedom: int) -> float:
    """P(X > value) of the chi-square distribution (Numerical Recipes, 3rd edition, section 6.2)."""
    a, x = freedom / 2, value / 2
    if x <= 0 or freedom < 1:
        return 1.0
    front = exp(-x + a * log(x) - lgamma(a))
    if x < a + 1:
        return max(0.0, 1 - front * _lower_series(a, x))
    return min(1.0, front * _upper_fraction(a, x))


def _lower_series(a: float, x: float) -> float:
    term = total = 1 / a
    n = a
    while abs(term) > abs(total) * 1e-15:
        n += 1
        term *= x / n
        total += term
    return total


def _upper_fraction(a: float, x: float) -> float:
    b = x + 1 - a
    c = 1 / TINY
    d = 1 / b
    h = d
    for i in range(1, 10_000):
        an = -i * (i - a)
        b += 2
        d = 1 / _not_zero(an * d + b)
        c = _not_zero(b + an / c)
        step = c * d
        h *= step
        if abs(step - 1) < 1e-15:
            break
    return h


def _not_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY


def inversions_at_most(count: int, of: int) -> float:
    """P(a random order of `of` things has at most `count` inversions), exactly: Kendall's null distribution.

    Kendall 1938. Numbers of orders are whole, so nothing is rounded before the end.
    """
    ways = [1]
    for size in range(2, of + 1):
        ways = [sum(ways[max(0, k - size + 1) : k + 1]) for k in range(len(ways) + size - 1)]
    return sum(ways[: count + 1]) / sum(ways)


def holm(chances: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values (Holm 1979), in the order given: the family-wise error stays below any of them."""
    adjusted = [0.0] * len(chances)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(chances)), key=lambda i: chances[i])):
        highest = max(highest, min(1.0, (len(chances) - rank) * chances[place]))
        adjusted[place] = highest
    return adjusted
