"""Times as logs write them, as seconds on one clock. Zones are honoured where written; nothing is made of them else."""

import datetime as dt
import re
from functools import lru_cache

ISO = re.compile(
    r"(\d{4})[-/](\d\d)[-/](\d\d)[T _-](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9})(?:\.\d{3})?)?(Z|[+-]\d\d:?\d\d)?"
)
SLASHED = re.compile(r"(\d\d)/(\d\d)/(\d\d(?:\d\d)?)[ ,T-]+(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?")
# Seconds since 1970, with or without a point before their fraction.
SINCE_1970 = re.compile(r"(1\d{9})(?:\.?(\d+))?")
# PyTorch writes the month without a zero before it.
GLOG = re.compile(r"(\d?\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d+)")
SHORT = re.compile(r"(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:[.,](\d+))?")
SYSLOG = re.compile(r"([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?: (\d{4}))?")
CLOCK = re.compile(r"(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?")
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
MOST_MONTHS, CENTURY = 12, 100
EPOCH = dt.date(1970, 1, 1).toordinal()


@lru_cache(maxsize=1 << 16)
def seconds(text: str, year: int = 2000) -> float | None:
    """Seconds since 1970, as if the clock were UTC where no zone is written; `year` for clocks without one.

    None for what is no time. A clock without a date counts from the beginning of `year`.
    """
    if match := SINCE_1970.fullmatch(text):
        return float(f"{match[1]}.{match[2] or 0}")
    if match := ISO.search(text):
        years, month, day, *clock, zone = match.groups()
        time = _seconds(int(years), int(month), int(day), *clock)
        return None if time is None else time - _offset(zone)
    if match := SLASHED.search(text):
        return _seconds(*_slashed(match), *match.groups()[3:])
    if match := GLOG.search(text) or SHORT.search(text):
        month, day, *clock = match.groups()
        return _seconds(year, int(month), int(day), *clock)
    match = SYSLOG.search(text)
    if match and match[1] in MONTHS:
        year = int(match[7] or year)
        return _seconds(year, MONTHS.index(match[1]) + 1, int(match[2]), *match.groups()[2:6])
    if match := CLOCK.search(text):
        return _seconds(year, 1, 1, *match.groups())
    return None


def year_of(text: str) -> int | None:
    """The year that a time is written with."""
    if match := ISO.search(text):
        return int(match[1])
    if match := SLASHED.search(text):
        return _slashed(match)[0]
    match = SYSLOG.search(text)
    return int(match[7]) if match and match[7] else None


def _slashed(match: re.Match[str]) -> tuple[int, int, int]:
    """Year, month and day. A year of two digits stands behind them, or before where the first can be no month."""
    first, second, third = int(match[1]), int(match[2]), int(match[3])
    if first > MOST_MONTHS and third < CENTURY:
        return 2000 + first, second, third
    return third + 2000 * (third < CENTURY), first, second


def written_in(text: str) -> str:
    """The whole date and time that a text holds, as written; empty if it holds none."""
    match = ISO.search(text)
    return match[0] if match else ""


def _offset(zone: str | None) -> int:
    """Seconds that clocks of a zone such as `+05:30` are ahead of UTC."""
    if not zone or zone == "Z":
        return 0
    seconds_ahead = (int(zone[1:3]) * 60 + int(zone[-2:])) * 60
    return -seconds_ahead if zone[0] == "-" else seconds_ahead


def _seconds(
    year: int, month: int, day: int, hour: str, minute: str, second: str, fraction: str | None = None
) -> float | None:
    try:
        days = dt.date(year, month, day).toordinal() - EPOCH
    except ValueError:
        return None
    part = float(f"0.{fraction}") if fraction else 0.0
    return days * 86400 + int(hour) * 3600 + int(minute) * 60 + int(second) + part
