"""How whole numbers are spread: median with interval, quartiles, bins. Pure: numbers with how often in, numbers out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, count
from math import floor

from kb.charts.intervals import Interval
from kb.charts.median import median_rank

STEPS = (1, 2, 5)


@dataclass(frozen=True)
class Sample:
    """Numbers in ascending order, each with how often it occurs; both as long as each other."""

    values: tuple[int, ...] = ()
    weights: tuple[int, ...] = ()

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        return tuple(accumulate(self.weights))

    @property
    def n(self) -> int:
        """How many numbers there are."""
        return self._ends[-1] if self._ends else 0

    def at(self, place: int) -> int:
        """The number at a place in ascending order, counted from 0. Raises `IndexError` where there is none."""
        if not 0 <= place < self.n:
            raise IndexError(f"there is no number {place} of {self.n}")
        low, high = 0, len(self._ends) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self._ends[middle] > place else (middle + 1, high)
        return self.values[low]

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
        return sum(n for value, n in zip(self.values, self.weights, strict=True) if low <= value <= high)


def sample(counts: Mapping[int, int]) -> Sample:
    """The sample in which each number occurs so often."""
    ordered = sorted((value, n) for value, n in counts.items() if n)
    return Sample(tuple(value for value, _ in ordered), tuple(n for _, n in ordered))


@dataclass(frozen=True)
class Bin:
    """The whole numbers from `low` to `high`, both included."""

    low: int
    high: int

    @property
    def text(self) -> str:
        """The bin as people read it."""
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,}–{self.high:,}"

    @property
    def asked(self) -> str:
        """The bin as filters ask for it."""
        return str(self.low) if self.low == self.high else f"{self.low}..{self.high}"


def bins(most: int, *, ends_round: bool = False) -> tuple[Bin, ...]:
    """Bins of 0 to `most`, 2 to 2.5 times as wide from step to step: 0, 1, 2-4, 5-9, 10-19, 20-49 and so on.

    With `ends_round` each ends with the round number instead: 0, 1, 2, 3-5, 6-10, 11-20.
    """
    found = [Bin(0, 0)]
    starts = _steps()
    start = next(starts)
    while found[-1].high < most:
        following = next(starts)
        low = found[-1].high + 1
        found.append(Bin(low, start if ends_round else following - 1))
        start = following
    return tuple(found)


def _steps() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50 and so on."""
    return (step * 10**power for power in count() for step in STEPS)
