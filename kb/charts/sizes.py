"""How large things are: the middle of few sizes with an interval, and how many fall on each step. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from kb.charts.spread import median_rank

# Steps of 1, 2 and 5 are about equally far apart where sizes spread over orders of magnitude.
LINE_STEPS = (0, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
FILE_STEPS = (0, 1, 2, 5, 10, 20, 50)


@dataclass(frozen=True)
class Middle:
    """The median of `n` sizes, and the bounds between which that of all such things plausibly lies.

    The bounds are None where even all of the sizes are too few for 95 %: below six.
    """

    n: int
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Step:
    """Sizes above `over` up to and with `up_to` (None: without end), and how many there are."""

    over: int | None
    up_to: int | None
    count: int

    @property
    def name(self) -> str:
        """The step in words: `3–5`, `1`, `over 1,000`, `up to 2`."""
        if self.over is None:
            return f"{self.up_to:,}"
        if self.up_to is None:
            return f"over {self.over:,}"
        first = self.over + 1
        return f"{first:,}" if first == self.up_to else f"{first:,}–{self.up_to:,}"


def middle(sizes: Sequence[float]) -> Middle:
    """The median with its interval from order statistics, at 95 %.

    The number of sizes below the true median is binomial with one half whatever their distribution, so the interval
    from the k-th smallest to the k-th largest size holds it with probability 1 - 2 P(B < k) at least (Thompson 1936;
    David & Nagaraja, Order Statistics, 2003, section 7.1). Raises `ValueError` when there is no size.
    """
    if not sizes:
        raise ValueError("nothing has no middle")
    ordered = sorted(sizes)
    rank = median_rank(len(ordered))
    if rank is None:
        return Middle(len(ordered), median(ordered))
    return Middle(len(ordered), median(ordered), ordered[rank - 1], ordered[-rank])


def steps(sizes: Sequence[int], bounds: Sequence[int]) -> tuple[Step, ...]:
    """How many sizes fall on each step between ascending bounds, on the first bound and below, and above the last.

    The first and the last step are left out when nothing falls there; the others show their gaps.
    """
    first = Step(None, bounds[0], sum(size <= bounds[0] for size in sizes))
    between = [Step(low, high, sum(low < size <= high for size in sizes)) for low, high in pairwise(bounds)]
    last = Step(bounds[-1], None, sum(size > bounds[-1] for size in sizes))
    return (*([first] if first.count else []), *between, *([last] if last.count else []))
