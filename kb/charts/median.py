"""The median of a sample with its interval."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import floor, sqrt

from kb.core.chances import binomial_at_most
from kb.core.intervals import Interval

# With fewer numbers, even the smallest and the largest together enclose the median in less than 95 of 100 samples.
FEWEST_FOR_INTERVAL = 6
NOT_COVERED = 0.05
HALF_95 = 0.98  # half of 1.96: the standard deviation of a fair coin's heads is half the root of n


@dataclass(frozen=True)
class Median:
    """The median of `of` numbers; no interval where they are too few for one at 95 %."""

    value: float
    interval: Interval | None
    of: int


def median(sample: Iterable[float]) -> Median | None:
    """The median with an interval at 95 % by order statistics; None without any number.

    Conover, Practical Nonparametric Statistics (1999), section 3.2: whatever the distribution, the interval from the
    r-th smallest to the r-th largest number holds the true median but for twice P(B < r), B binomial (n, 1/2).
    """
    ordered = sorted(sample)
    if not ordered:
        return None
    rank = median_rank(len(ordered))
    interval = Interval(ordered[rank - 1], ordered[-rank]) if rank else None
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return Median(middle, interval, len(ordered))


@lru_cache(maxsize=4096)
def median_rank(n: int) -> int | None:
    """The rank r so that the r-th smallest and the r-th largest of n numbers enclose the median at 95 %.

    The largest r with 2 P(X < r) <= 5 %, where X is binomial with n and one half; None when there is none (n < 6).
    """
    if n < FEWEST_FOR_INTERVAL:
        return None
    rank = max(1, floor(n / 2 - HALF_95 * sqrt(n)))
    while 2 * binomial_at_most(rank - 1, n, 0.5) > NOT_COVERED:
        rank -= 1
    while 2 * binomial_at_most(rank, n, 0.5) <= NOT_COVERED:
        rank += 1
    return rank
