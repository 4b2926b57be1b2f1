"""Intervals for shares of few cases, unrounded. Pure; how they are written is `kb.charts.figures`."""

from dataclasses import dataclass
from math import sqrt

from kb.core.chances import Z_95


@dataclass(frozen=True)
class Interval:
    """A lower and an upper bound."""

    low: float
    high: float


def bounds(interval: Interval | None) -> tuple[float, float] | tuple[None, None]:
    """The lower and the upper bound; None for both without an interval."""
    return (interval.low, interval.high) if interval else (None, None)


def wilson(cases: float, of: int, *, z: float = Z_95) -> Interval:
    """Wilson's score interval for the share `cases` / `of`, at 95 % unless another `z` is given.

    Wilson 1927; Newcombe 1998, method 3. Unlike the textbook interval it stays within 0 and 1 and has a
    width above nothing at 0 and at `of`. Raises `ValueError` for counts that are no share.
    """
    if of < 1 or not 0 <= cases <= of:
        raise ValueError(f"{cases} of {of} is not a share")
    share = cases / of
    z2 = z * z / of
    half = z * sqrt(share * (1 - share) / of + z2 / (4 * of))
    low = 0.0 if cases == 0 else max(0.0, (share + z2 / 2 - half) / (1 + z2))
    high = 1.0 if cases == of else min(1.0, (share + z2 / 2 + half) / (1 + z2))
    return Interval(low, high)


def newcombe(first: int, of_first: int, second: int, of_second: int, *, z: float = Z_95) -> Interval:
    """Interval for the share `first` / `of_first` less `second` / `of_second` of two independent samples, in -1..1.

    Newcombe 1998, Statistics in Medicine 17:873, method 10: the two Wilson intervals' distances from their shares,
    squared and added. Raises `ValueError` for counts that are no share.
    """
    first_bounds, second_bounds = wilson(first, of_first, z=z), wilson(second, of_second, z=z)
    p, q = first / of_first, second / of_second
    low = p - q - sqrt((p - first_bounds.low) ** 2 + (second_bounds.high - q) ** 2)
    high = p - q + sqrt((first_bounds.high - p) ** 2 + (q - second_bounds.low) ** 2)
    return Interval(max(-1.0, low), min(1.0, high))
