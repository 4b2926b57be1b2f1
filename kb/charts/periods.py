"""Years, quarters and windows of days; both ends belong to a period."""

import datetime as dt
from collections.abc import Collection, Iterable
from dataclasses import dataclass

DAY = dt.timedelta(days=1)
YEAR_DAYS = 365
QUARTER_MONTHS = 3


@dataclass(frozen=True, order=True)
class Period:
    """The days from `first` to `last`."""

    first: dt.date
    last: dt.date

    @property
    def days(self) -> int:
        """The number of days."""
        return (self.last - self.first).days + 1

    @property
    def code(self) -> str:
        """`2024`, `2024-Q1`, or the days of any other period."""
        if self == _year(self.first):
            return str(self.first.year)
        if self == _quarter(self.first):
            return f"{self.first.year}-Q{(self.first.month - 1) // QUARTER_MONTHS + 1}"
        return f"{self.first}..{self.last}"


def _year(day: dt.date) -> Period:
    return Period(dt.date(day.year, 1, 1), dt.date(day.year, 12, 31))


def _quarter(day: dt.date) -> Period:
    month = (day.month - 1) // QUARTER_MONTHS * QUARTER_MONTHS + 1
    following = dt.date(day.year + month // 10, (month + 2) % 12 + 1, 1)
    return Period(dt.date(day.year, month, 1), following - DAY)


def period_of(day: dt.date, step: str) -> Period:
    """The `year` or the `quarter` that the day is in."""
    return _year(day) if step == "year" else _quarter(day)


def without_gaps(days: Collection[dt.date], step: str) -> Iterable[Period]:
    """Every year or quarter from the first of these days to the last, also those without any of them."""
    if not days:
        return
    period, end = period_of(min(days), step), max(days)
    while period.first <= end:
        yield period
        period = period_of(period.last + DAY, step)


def windows(newest: dt.date, days: int) -> tuple[Period, Period]:
    """The last `days` days up to `newest`, and the 365 days before them."""
    recent = Period(newest - (days - 1) * DAY, newest)
    return recent, Period(recent.first - YEAR_DAYS * DAY, recent.first - DAY)
