"""What came before what: within a file by lines, across files by clocks, with each clock's error taken out."""

from collections import defaultdict
from dataclasses import dataclass, field
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
# A clock without a year counts from here where nothing in the log names one.
DEFAULT_YEAR = 2000
# Seconds on the common clock, the file's number, the line.
Key: TypeAlias = tuple[float, int, int]


@dataclass
class Order:
    """The order of a log's lines in time.

    `skews`: by how many seconds a file's clock is ahead of the others, measured at a step that all processes took.
    """

    is_single: bool
    year: int
    skews: dict[int, float] = field(default_factory=dict)

    def key(self, place: Place, when: str) -> Key:
        """A sort key that puts places in the order in which they were written."""
        if self.is_single:
            return (0.0, place.file, place.line)
        return (self.time(place.file, when) or 0.0, place.file, place.line)

    def latest(self, occurrence: Occurrence) -> Key:
        """Like `key`, for the latest moment at which the line may have been written: it may carry no time itself."""
        place = occurrence.place
        if not occurrence.written_by and not self.is_single:
            return (inf, place.file, place.line)
        return self.key(place, occurrence.written_by or occurrence.when)

    def moment(self, occurrence: Occurrence) -> float | None:
        """Seconds on the common clock at which the line was written; None where nothing tells."""
        return self.time(occurrence.place.file, occurrence.own_time or occurrence.when)

    def is_before(self, occurrence: Occurrence, other: Occurrence, margin: float = 0.0) -> bool:
        """Whether the first line is known to be older than the other, in another file by more than `margin` seconds."""
        if occurrence.place.file == other.place.file:
            return occurrence.place.line < other.place.line
        here, there = self.moment(occurrence), self.moment(other)
        return here is not None and there is not None and there - here > margin

    def time(self, file: int, when: str) -> float | None:
        """Seconds on the common clock; None where no time is written."""
        time = seconds(when, self.year) if when else None
        return None if time is None else time - self.skews.get(file, 0.0)


def order_of(scan: Scan) -> Order:
    """How this log's lines are ordered."""
    order = Order(len(scan.names) == 1, _year(scan))
    if not order.is_single:
        order.skews = _skews(scan, order.year)
    return order


def _year(scan: Scan) -> int:
    """The first year in a prefix, else the first one within a line that stands out: clocks may leave it out."""
    for emitter in scan.emitters:
        year = year_of(emitter.when)
        if year is not None:
            return year
    for template in scan.templates:
        for occurrence in template.occurrences:
            year = year_of(occurrence.own_time) if occurrence.own_time else None
            if year is not None:
                return year
    return DEFAULT_YEAR


def _skews(scan: Scan, year: int) -> dict[int, float]:
    """Each file's clock against the median. All processes take a step together, so its times tell clocks apart."""
    times_by_step: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for emitter in scan.emitters:
        time = seconds(emitter.iteration_when, year) if emitter.iteration >= 0 else None
        if time is not None:
            times = times_by_step[emitter.iteration]
            times[emitter.file] = min(time, times.get(emitter.file, time))
    widest = max(times_by_step.values(), key=len, default={})
    if len(widest) < FEWEST:
        return {}
    middle = median(widest.values())
    return {file: time - middle for file, time in widest.items() if abs(time - middle) > TOLERATED}
