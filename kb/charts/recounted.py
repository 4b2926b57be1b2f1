"""A published table against the same table counted again: what is equal and what differs, in numbers and in words.

A key is that of a row and that of a column; an empty one stands for the sum.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

Key = tuple[str, str]
SUM = ""
TOTAL: Key = (SUM, SUM)
# More differences than this are counted, not listed.
LISTED = 5
# Half a unit of the last digit is where rounding may go either way; binary fractions need a little more.
SLACK = 1e-9


@dataclass(frozen=True)
class Printed:
    """A number as it was published; the percentage is of the table's total."""

    count: int | None
    percent: float | None = None
    is_doubtful: bool = False


@dataclass(frozen=True)
class Cell:
    """A published number beside ours. `recounted` counts as the study did; `issues` as the site does; None: unknown."""

    key: Key
    printed: Printed | None
    recounted: int | None
    recounted_percent: float | None
    issues: int | None
    digits: int

    @property
    def difference(self) -> int | None:
        """Recounted minus published; None unless both are known."""
        if self.recounted is None or self.printed is None or self.printed.count is None:
            return None
        return self.recounted - self.printed.count

    @property
    def percent_difference(self) -> float | None:
        """The same of the percentages."""
        if self.recounted_percent is None or self.printed is None or self.printed.percent is None:
            return None
        return self.recounted_percent - self.printed.percent

    @property
    def is_compared(self) -> bool:
        """Whether there is anything to compare."""
        return self.difference is not None or self.percent_difference is not None

    @property
    def is_equal(self) -> bool:
        """Whether count and percentage, as far as both are known, are the same."""
        return not self.difference and self.percent_agrees

    @property
    def percent_agrees(self) -> bool:
        """Whether our percentage rounds to the printed one; true also where there is nothing to compare."""
        half: float = 0.5 / 10**self.digits
        return abs(self.percent_difference or 0) <= half + SLACK


@dataclass(frozen=True)
class Comparison:
    """All cells of a table by their keys."""

    cells: Mapping[Key, Cell]

    @property
    def compared(self) -> tuple[Cell, ...]:
        """The cells with two numbers."""
        return tuple(cell for cell in self.cells.values() if cell.is_compared)

    @property
    def differing(self) -> tuple[Cell, ...]:
        """The compared cells that are not equal, in the table's order."""
        return tuple(cell for cell in self.compared if not cell.is_equal)


def compare(
    printed: Mapping[Key, Printed],
    *,
    keys: Iterable[Key],
    recounted: Mapping[Key, int],
    issues: Mapping[Key, int],
    digits: int = 0,
    not_given: Collection[Key] = (),
) -> Comparison:
    """The cells of `keys`; an empty recount means that nothing is imported, else a missing key means 0.

    `not_given`: the keys of cells whose data was not imported, and of sums over them. They are not counted again.
    """
    total = recounted.get(TOTAL, 0)
    cells = {}
    for key in keys:
        published = printed.get(key)
        if not recounted or key in not_given:
            cells[key] = Cell(key, published, None, None, None, digits)
            continue
        ours = recounted.get(key, 0)
        percent = None
        if published is not None and published.percent is not None and total > 0:
            percent = 100 * ours / total
        cells[key] = Cell(key, published, ours, percent, issues.get(key, 0), digits)
    return Comparison(cells)


def verdict(comparison: Comparison, names: Mapping[Key, str]) -> str:
    """Say how many cells and sums are equal, and which differ; `names` are those of the cells."""
    compared, differing = comparison.compared, comparison.differing
    if not compared:
        return "Nothing can be compared."
    if not differing:
        return f"{_numbers(compared)} equal the published ones."
    listed = [_difference(cell, names[cell.key]) for cell in differing[:LISTED]]
    if len(differing) > LISTED:
        listed.append(f"and {len(differing) - LISTED:,} more")
    return f"{len(differing):,} of {len(compared):,} numbers differ: {'; '.join(listed)}."


def _numbers(cells: Sequence[Cell]) -> str:
    sums = sum(SUM in cell.key for cell in cells)
    percents = sum(cell.recounted_percent is not None for cell in cells)
    if sums < len(cells):
        numbers = f"All {len(cells) - sums:,} cells and {sums:,} sums"
    elif sums == 1:
        numbers = "The one number"
    else:
        numbers = f"All {sums:,} numbers"
    return f"{numbers}, {percents:,} percentages included," if percents else numbers


def _difference(cell: Cell, name: str) -> str:
    printed = cell.printed
    if cell.difference and printed is not None and printed.count is not None:
        return f"{name} {printed.count:,} published, {cell.recounted:,} counted"
    percent = printed.percent if printed is not None else None
    return f"{name} {percent} % published, {cell.recounted_percent:.{cell.digits}f} % counted"
