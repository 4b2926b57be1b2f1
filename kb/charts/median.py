"""The middle of a sample, and between which of its own values the true middle plausibly lies. Pure: numbers in."""

from collections.abc import Iterable
from dataclasses import dataclass

from kb.charts.intervals import Interval
from kb.charts.spread import median_rank


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
    rank = median_rank(len(ordered))
    interval = Interval(ordered[rank - 1], ordered[-rank]) if rank else None
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return Median(middle, interval, len(ordered))
