"""A published table against the same table counted again: what is equal, what differs, in numbers and in words.

Pure: numbers in, numbers and sentences out. A key is a row's and a column's; an empty one stands for the sum.
"""

from collections.abc import Iterable, Mapping
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
    def is_compared(self) -> bool:
        """Can published and recounted be compared at all?"""
        return self.difference is not None or self._percents_known

    @property
    def is_equal(self) -> bool:
        """Are count and percentage, as far as both are known, the same?"""
        return not self.difference and self.percent_agrees

    @property
    def percent_agrees(self) -> bool:
        """Does our percentage round to the printed one? True also where there is nothing to compare."""
        if not self._percents_known or self.recounted_percent is None or self.printed is None:
            return True
        half: float = 0.5 / 10**self.digits
        return bool(abs(self.recounted_percent - (self.printed.percent or 0)) <= half + SLACK)

    @property
    def _percents_known(self) -> bool:
        return self.recounted_percent is not None and self.printed is not None and self.printed.percent is not None


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
) -> Comparison:
    """Put the cells of `keys` together; an empty recount means that nothing is imported, else a missing key means 0."""
    total = recounted.get(TOTAL, 0)
    cells = {}
    for key in keys:
        shown = printed.get(key)
        ours = recounted.get(key, 0) if recounted else None
        has_percent = shown is not None and shown.percent is not None and ours is not None and total > 0
        percent = 100 * ours / total if has_percent and ours is not None else None
        cells[key] = Cell(key, shown, ours, percent, issues.get(key, 0) if recounted else None, digits)
    return Comparison(cells)


def verdict(comparison: Comparison, names: Mapping[Key, str]) -> str:
    """Say how many cells and sums are equal, and which differ; `names` says what to call a cell."""
    compared, differing = comparison.compared, comparison.differing
    if not compared:
        return "Nothing can be compared."
    if not differing:
        return f"{_parts(compared)} equal the published ones."
    listed = "; ".join(_difference(cell, names[cell.key]) for cell in differing[:LISTED])
    rest = len(differing) - LISTED
    more = f"; and {rest:,} more" if rest > 0 else ""
    return f"{len(differing):,} of {len(compared):,} numbers differ: {listed}{more}."


def _parts(cells: Iterable[Cell]) -> str:
    kept = list(cells)
    sums = sum(SUM in cell.key for cell in kept)
    inner = len(kept) - sums
    percents = sum(cell.recounted_percent is not None for cell in kept)
    if not inner:
        said = "The one number" if sums == 1 else f"All {sums:,} numbers"
    else:
        said = f"All {inner:,} cells and {sums:,} sums"
    return f"{said}, {percents:,} percentages included," if percents else said


def _difference(cell: Cell, name: str) -> str:
    printed = cell.printed
    if cell.difference and printed is not None and printed.count is not None:
        return f"{name} {printed.count:,} published, {cell.recounted:,} counted"
    percent = printed.percent if printed is not None else None
    return f"{name} {percent} % published, {cell.recounted_percent:.{cell.digits}f} % counted"
