"""The middle of a sample, and between which of its own values the true middle plausibly lies. Pure: numbers in."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from math import comb, floor, sqrt

from kb.charts.intervals import Z_95, Interval

OUTSIDE = 0.025  # at either end of an interval at 95 %
# From here on the binomial is told from its normal form, which is then exact to the rank.
MANY = 500


@dataclass(frozen=True)
class Median:
    """The middle of `of` numbers; no interval where so few cannot bound it at 95 %."""

    value: float
    interval: Interval | None
    of: int


def median(sample: Iterable[float]) -> Median | None:
    """The median with an interval at 95 % by order statistics; None of nothing.

    Conover, Practical Nonparametric Statistics (1999), section 3.2: whatever the distribution, the interval from the
    r-th smallest to the r-th largest number holds the true median but for twice P(B < r), B binomial (n, 1/2).
    """
    ordered = sorted(sample)
    if not ordered:
        return None
    rank = _rank(len(ordered))
    interval = Interval(ordered[rank - 1], ordered[-rank]) if rank else None
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return Median(middle, interval, len(ordered))


@cache
def _rank(of: int) -> int:
    """The largest r with P(B < r) of 2.5 % at most; 0 where there is none."""
    if of > MANY:
        return floor(of / 2 - Z_95 * sqrt(of) / 2)
    tails = list(accumulate(comb(of, k) for k in range(of // 2 + 1)))
    return bisect_right(tails, OUTSIDE * 2**of)
