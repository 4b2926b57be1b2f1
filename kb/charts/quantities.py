"""The numbers that measure effort: their columns, filters, units and texts."""

from collections.abc import Callable
from dataclasses import dataclass

from kb.core.intervals import Interval
from kb.models.fixes import SMALL_FIX_LINES

HOURS_PER_DAY = 24
# Up to so many hours a time is written in hours.
MOST_HOURS = 48
POWERS = (0, 1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)


@dataclass(frozen=True)
class Quantity:
    """A number of an issue.

    `column`: the expression over facts `f`; `key`: the filter; `each`: how many of the number are one unit of
    the filter and of the bins; `title`: that of an axis; `known`: what must be known of an issue, in words;
    `is_of_host`: the host states it of every issue, labelled or not.
    """

    name: str
    label: str
    known: str
    title: str
    column: str
    written: Callable[[float], str]
    ticks: tuple[tuple[float, str], ...]
    key: str
    each: int = 1
    ends_round: bool = False
    is_of_host: bool = False

    def between(self, bounds: Interval) -> str:
        """Two bounds as text."""
        return f"{self.written(bounds.low)} – {self.written(bounds.high)}"

    @property
    def any_known(self) -> dict[str, str]:
        """The filter for issues of which the number is known."""
        return {self.key: "0.."}


def plain(number: float) -> str:
    """Write 3.5 as `3.5`, 3.0 as `3` and 1234.5 as `1,234`."""
    return f"{number:,.0f}" if number >= 100 or number == round(number) else f"{number:.1f}"


def duration(hours: float) -> str:
    """Write a number of hours as `<1 h`, `30 h`, `2.5 days` or `412 days`."""
    if hours < 1:
        return "<1 h"
    if hours <= MOST_HOURS:
        return f"{plain(hours)} h"
    days = hours / HOURS_PER_DAY
    return f"{days:.1f} days" if days < 10 else f"{days:,.0f} days"


NUMBER_TICKS = tuple((power, f"{power:,}") for power in POWERS)
TIME_TICKS = (
    (0, "0"),
    (1, "1 h"),
    (6, "6 h"),
    (24, "1 day"),
    (24 * 7, "1 week"),
    (24 * 30, "30 days"),
    (24 * 180, "180 days"),
    (24 * 365, "1 year"),
    (24 * 365 * 5, "5 years"),
)

HOURS = Quantity(
    "hours",
    "Time open",
    "time from opening to closing",
    "Time from opening to closing",
    "f.hours_open",
    duration,
    TIME_TICKS,
    "days",
    HOURS_PER_DAY,
    is_of_host=True,
)
COMMENTS = Quantity(
    "comments",
    "Comments",
    "number of comments",
    "Comments",
    "f.comments",
    plain,
    NUMBER_TICKS,
    "comments",
    is_of_host=True,
)
LINES = Quantity(
    "lines",
    "Lines changed",
    "size of the smallest fix in lines",
    "Changed lines of the smallest fix",
    "f.lines",
    plain,
    NUMBER_TICKS,
    "lines",
    ends_round=True,
)
FILES = Quantity(
    "files",
    "Files changed",
    "size of the smallest fix in files",
    "Changed files of the smallest fix",
    "f.files",
    plain,
    NUMBER_TICKS,
    "files",
)
QUANTITIES = {quantity.name: quantity for quantity in (HOURS, COMMENTS, LINES, FILES)}
SMALL = f"at most {SMALL_FIX_LINES} changed lines"
