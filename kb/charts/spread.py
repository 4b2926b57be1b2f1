"""Distributions of whole numbers: median with interval, quartiles, bins."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from math import floor

from kb.charts.median import median_rank
from kb.core.intervals import Interval

STEPS = (1, 2, 5, 10)


@dataclass(frozen=True)
class Sample:
    """Distinct numbers in ascending order, and how often each occurs."""

    values: tuple[int, ...] = ()
    weights: tuple[int, ...] = ()

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        """How many numbers there are up to each value."""
        return tuple(accumulate(self.weights))

    @property
    def n(self) -> int:
        """How many numbers there are."""
        return self._ends[-1] if self._ends else 0

    def at(self, place: int) -> int:
        """The number at a place in ascending order, counted from 0. Raises `IndexError` where there is none."""
        if not 0 <= place < self.n:
            raise IndexError(f"there is no number {place} of {self.n}")
        return self.values[bisect_right(self._ends, place)]

    def quantile(self, share: float) -> float:
        """The number below which this share lies, between two numbers of the sample by their distance.

        Hyndman & Fan 1996, definition 7; the median is the usual one. Raises `ValueError` for no numbers at all.
        """
        if not self.n or not 0 <= share <= 1:
            raise ValueError(f"there is no quantile {share} of {self.n} numbers")
        place = (self.n - 1) * share
        below = floor(place)
        low, high = self.at(below), self.at(min(below + 1, self.n - 1))
        return low + (high - low) * (place - below)

    @property
    def median(self) -> float:
        """The middle number, or midway between the two middle ones."""
        return self.quantile(0.5)

    @property
    def quartiles(self) -> Interval:
        """Between these lies the middle half."""
        return Interval(self.quantile(0.25), self.quantile(0.75))

    @property
    def median_interval(self) -> Interval | None:
        """The interval of the median at 95 % or a little more, whatever the distribution; None for n < 6.

        As `kb.charts.median` takes it.
        """
        rank = median_rank(self.n)
        return None if rank is None else Interval(self.at(rank - 1), self.at(self.n - rank))

    def within(self, low: int, high: int) -> int:
        """How many numbers are neither below `low` nor above `high`."""
        first, last = bisect_left(self.values, low), bisect_right(self.values, high)
        return sum(self.weights[first:last])


def sample(counts: Mapping[int, int]) -> Sample:
    """The sample in which each number occurs as often as counted."""
    values = tuple(sorted(value for value in counts if counts[value]))
    return Sample(values, tuple(counts[value] for value in values))


@dataclass(frozen=True)
class Bin:
    """The whole numbers from `low` to `high`, both included."""

    low: int
    high: int

    @property
    def text(self) -> str:
        """The bin as people read it."""
        if self.low == self.high:
            return f"{self.low:,}"
        return f"{self.low:,}–{self.high:,}"

    @property
    def asked(self) -> str:
        """The bin as a filter's value."""
        if self.low == self.high:
            return str(self.low)
        return f"{self.low}..{self.high}"


def bins(most: int, *, ends_round: bool = False) -> tuple[Bin, ...]:
    """Bins of 0 to `most`, 2 to 2.5 times as wide from step to step: 0, 1, 2-4, 5-9, 10-19, 20-49 and so on.

    With `ends_round` each ends with the round number instead: 0, 1, 2, 3-5, 6-10, 11-20.
    """
    ranges = [Bin(0, 0)]
    scale = 1
    while True:
        for step, next_step in pairwise(STEPS):
            if ranges[-1].high >= most:
                return tuple(ranges)
            high = step * scale if ends_round else next_step * scale - 1
            ranges.append(Bin(ranges[-1].high + 1, high))
        scale *= 10
