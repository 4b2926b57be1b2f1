"""Counts sizes by steps that grow by orders of magnitude."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

# Steps of 1, 2 and 5 are about equally far apart where sizes spread over orders of magnitude.
LINE_STEPS = (0, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
FILE_STEPS = (0, 1, 2, 5, 10, 20, 50)


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


def steps(sizes: Sequence[int], bounds: Sequence[int]) -> tuple[Step, ...]:
    """How many sizes fall on each step between ascending bounds, on the first bound and below, and above the last.

    The first and the last step are left out when nothing falls there; the others show their gaps.
    """
    first = Step(None, bounds[0], sum(size <= bounds[0] for size in sizes))
    between = [Step(low, high, sum(low < size <= high for size in sizes)) for low, high in pairwise(bounds)]
    last = Step(bounds[-1], None, sum(size > bounds[-1] for size in sizes))
    shown = [first, *between, last]
    if not last.count:
        shown.pop()
    if not first.count:
        shown.pop(0)
    return tuple(shown)
