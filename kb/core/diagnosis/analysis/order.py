"""What came before what: within a file by lines, across files by clocks, with each clock's error taken out."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from math import inf
from statistics import median
from typing import TypeAlias

from kb.core.diagnosis.parsing.clocks import seconds, year_of
from kb.core.diagnosis.scanning.records import Occurrence, Place, Scan

# Clocks that differ by less are as good as right.
TOLERATED = 1.0
FEWEST = 3
# Clocks of machines may differ by so many seconds where nothing tells by how much.
CLOCKS_APART = 30.0
# Seconds on the one clock, the file's place, the line.
Key: TypeAlias = tuple[float, int, int]


@dataclass
class Order:
    """`skews`: by how many seconds a file's clock is ahead of the others, where steps that all take tell it."""

    is_single: bool
    year: int
    skews: dict[int, float] = field(default_factory=dict)

    def key(self, place: Place, when: str) -> Key:
        """Sorts places as they happened."""
        if self.is_single:
            return (0.0, place.file, place.line)
        return (self.time(place.file, when) or 0.0, place.file, place.line)

    def latest(self, at: Occurrence) -> Key:
        """As `key`, of the latest moment that the line may have been written: it may bear no time of its own."""
        if not at.until and not self.is_single:
            return (inf, at.place.file, at.place.line)
        return self.key(at.place, at.until or at.when)

    def moment(self, at: Occurrence) -> float | None:
        """Seconds on the one clock at which the line was written; None where nothing tells."""
        return self.time(at.place.file, at.said or at.when)

    def is_before(self, one: Occurrence, other: Occurrence) -> bool:
        """Is it known that the one was written before the other?"""
        if one.place.file == other.place.file:
            return one.place.line < other.place.line
        here, there = self.moment(one), self.moment(other)
        return here is not None and there is not None and here < there

    def is_well_before(self, one: Occurrence, other: Occurrence) -> bool:
        """The same, by more than the clocks of two machines may differ."""
        if one.place.file == other.place.file:
            return one.place.line < other.place.line
        here, there = self.moment(one), self.moment(other)
        return here is not None and there is not None and there - here > CLOCKS_APART

    def time(self, file: int, when: str) -> float | None:
        """Seconds on the one clock; None where no time is written."""
        said = seconds(when, self.year) if when else None
        return None if said is None else said - self.skews.get(file, 0.0)


def order(scan: Scan) -> Order:
    """How this log's places are ordered."""
    found = Order(len(scan.names) == 1, next(_years(scan), 2000))
    if not found.is_single:
        found.skews = _skews(scan, found.year)
    return found


def _years(scan: Scan) -> Iterator[int]:
    """The years that heads tell, then those within lines that stand out: clocks of one log may leave them out."""
    heads = (emitter.when for emitter in scan.emitters)
    texts = (at.said for template in scan.templates for at in template.occurrences if at.said)
    return (year for written in chain(heads, texts) if (year := year_of(written)) is not None)


def _skews(scan: Scan, year: int) -> dict[int, float]:
    """Every process takes its steps with the others: when the same step begins tells the clocks apart."""
    began: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for emitter in scan.emitters:
        time = seconds(emitter.iteration_when, year) if emitter.iteration >= 0 else None
        if time is not None:
            steps = began[emitter.iteration]
            steps[emitter.file] = min(time, steps.get(emitter.file, time))
    widest = max(began.values(), key=len, default={})
    if len(widest) < FEWEST:
        return {}
    middle = median(widest.values())
    return {file: time - middle for file, time in widest.items() if abs(time - middle) > TOLERATED}
