"""Tail probabilities of the distributions that charts, checks and rankings need, and Holm's correction."""

from collections.abc import Sequence
from math import erfc, exp, lgamma, log, log1p, sqrt

TINY = 1e-300
NEGLIGIBLE = 1e-18
Z_95 = 1.959963984540054


def normal_above(z: float) -> float:
    """P(Z > z) of the standard normal."""
    return 0.5 * erfc(z / sqrt(2))


def binomial_at_most(cases: int, of: int, share: float) -> float:
    """P(X <= cases) for X ~ Binomial(of, share). Raises `ValueError` for counts that are no share."""
    return binomial_at_least(of - cases, of, 1 - share)


def binomial_at_least(cases: int, of: int, share: float) -> float:
    """P(X >= cases) for X ~ Binomial(of, share). Raises `ValueError` for counts that are no share."""
    if of < 0 or not 0 <= cases <= of or not 0 <= share <= 1:
        raise ValueError(f"{cases} of {of} at {share} is not binomial")
    if cases == 0 or share == 1:
        return 1.0
    if share == 0:
        return 0.0
    if cases <= of * share:
        # The other tail is the short one.
        return max(0.0, 1 - _from(of - cases + 1, of, 1 - share))
    return min(1.0, _from(cases, of, share))


def _from(cases: int, of: int, share: float) -> float:
    """The sum of the chances from `cases` upwards; it lies above the middle, so each is smaller than the one before."""
    logarithm = lgamma(of + 1) - lgamma(cases + 1) - lgamma(of - cases + 1)
    term = exp(logarithm + cases * log(share) + (of - cases) * log1p(-share))
    total, odds = 0.0, share / (1 - share)
    for k in range(cases, of + 1):
        total += term
        if term < total * NEGLIGIBLE:
            break
        term *= (of - k) / (k + 1) * odds
    return total


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


def student_95(freedom: int) -> float:
    """The bound of Student's t that 95 % lie within on both sides (Abramowitz & Stegun 1964, 26.7.5).

    Right to 0.01 from 4 degrees on. Raises `ValueError` for fewer than 4.
    """
    if freedom < 4:
        raise ValueError(f"{freedom} degrees of freedom are too few for the expansion")
    z = Z_95
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + float(sum(term / freedom**power for power, term in enumerate(terms, start=1)))
