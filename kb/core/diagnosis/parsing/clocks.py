"""Times as logs write them, as seconds on one clock. Zones are honoured where written; nothing is made of them else."""

import datetime as dt
import re
from functools import lru_cache

ISO = re.compile(r"(\d{4})[-/](\d\d)[-/](\d\d)[T _](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?")
SLASHED = re.compile(r"(\d\d)/(\d\d)/(\d{4})[ ,T]+(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?")
GLOG = re.compile(r"(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d+)")
SHORT = re.compile(r"(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:[.,](\d+))?")
SYSLOG = re.compile(r"([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d)")
CLOCK = re.compile(r"(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?")
MONTHS = {
    month: place + 1
    for place, month in enumerate(["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"])
}
EPOCH = dt.date(1970, 1, 1).toordinal()


@lru_cache(maxsize=1 << 16)
def seconds(text: str, year: int = 2000) -> float | None:
    """Seconds since 1970, as if the clock were UTC where no zone is written; `year` for clocks without one.

    None for what is no time. A clock without a date counts from the beginning of `year`.
    """
    if found := ISO.search(text):
        years, month, day, hour, minute, second, fraction, zone = found.groups()
        return _of(int(years), int(month), int(day), hour, minute, second, fraction, _offset(zone))
    if found := SLASHED.search(text):
        month, day, years, hour, minute, second, fraction = found.groups()
        return _of(int(years), int(month), int(day), hour, minute, second, fraction)
    for pattern in (GLOG, SHORT):
        if found := pattern.search(text):
            month, day, hour, minute, second, fraction = found.groups()
            return _of(year, int(month), int(day), hour, minute, second, fraction)
    if (found := SYSLOG.search(text)) and found[1] in MONTHS:
        return _of(year, MONTHS[found[1]], int(found[2]), found[3], found[4], found[5], None)
    if found := CLOCK.search(text):
        return _of(year, 1, 1, found[1], found[2], found[3], found[4])
    return None


def year_of(text: str) -> int | None:
    """The year that a time is written with."""
    if found := ISO.search(text):
        return int(found[1])
    return int(found[3]) if (found := SLASHED.search(text)) else None


def written_in(text: str) -> str:
    """The whole date and time that a text holds, as written; empty if it holds none."""
    found = ISO.search(text)
    return found[0] if found else ""


def _offset(zone: str | None) -> int:
    if not zone or zone == "Z":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[-2:])
    return (hours * 60 + minutes) * (-60 if zone[0] == "-" else 60)


def _of(
    year: int, month: int, day: int, hour: str, minute: str, second: str, fraction: str | None, offset: int = 0
) -> float | None:
    try:
        days = dt.date(year, month, day).toordinal() - EPOCH
    except ValueError:
        return None
    part = float(f"0.{fraction}") if fraction else 0.0
    return days * 86400 + int(hour) * 3600 + int(minute) * 60 + int(second) + part - offset
