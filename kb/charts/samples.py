"""The one rule for small samples, wherever the site shows an estimate: a share, a median, a ratio.

What rests on fewer than `TOO_FEW` is not drawn. What rests on fewer than `SMALL` is faded, hollow and last, and says
so. Files keep everything and mark it. A count is no estimate: a timeline or a histogram shows all of its bars.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import TypeVar

TOO_FEW = 5
SMALL = 10
T = TypeVar("T")


class Sample(Enum):
    """How far a number of cases goes."""

    TOO_FEW = "too few"
    SMALL = "small"
    ENOUGH = "enough"


def sample_of(n: int) -> Sample:
    """What `n` cases are enough for. Raises `ValueError` below 0."""
    if n < 0:
        raise ValueError(f"{n} is no number of cases")
    if n < TOO_FEW:
        return Sample.TOO_FEW
    return Sample.SMALL if n < SMALL else Sample.ENOUGH


def is_small(n: int) -> bool:
    """Whether an estimate from `n` cases needs the words."""
    return sample_of(n) is not Sample.ENOUGH


def is_drawn(n: int) -> bool:
    """Whether an estimate from `n` cases is shown at all."""
    return sample_of(n) is not Sample.TOO_FEW


def small_note(n: int) -> str:
    """The words; empty for enough cases."""
    return f"small sample (n = {n})" if is_small(n) else ""


def unless_too_few(n: int, text: str) -> str:
    """The text of an estimate from `n` cases; a dash where these are too few for one."""
    return text if is_drawn(n) else "–"


def in_order(items: Iterable[T], n_of: Callable[[T], int]) -> list[T]:
    """The items that are drawn, small samples last, in the given order otherwise."""
    return sorted((item for item in items if is_drawn(n_of(item))), key=lambda item: is_small(n_of(item)))


def left_out(cases: Sequence[tuple[str, int]], *, many: str = "issues") -> tuple[str, ...]:
    """A note that names what is not drawn, of all the cases by name; none where everything is."""
    names = [f"{name} (n = {n})" for name, n in cases if not is_drawn(n)]
    return (f"Not drawn, with fewer than {TOO_FEW} {many}: {', '.join(names)}.",) if names else ()
