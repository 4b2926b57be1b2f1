"""How programs write the time."""

from datetime import datetime

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def seconds(when: datetime) -> str:
    return when.isoformat(" ", "seconds")


def comma(when: datetime) -> str:
    """Python's logging: a comma before the milliseconds."""
    return f"{seconds(when)},{when.microsecond // 1000:03d}"


def dot(when: datetime) -> str:
    return f"{seconds(when)}.{when.microsecond // 1000:03d}"


def rfc3339(when: datetime) -> str:
    return f"{when.isoformat('T', 'microseconds')}000Z"


def glog(when: datetime) -> str:
    """The month and day without a space, as glog, absl and torch's own C++ write them."""
    return f"{when.month:02d}{when.day:02d} {when:%H:%M:%S}.{when.microsecond:06d}"


def short(when: datetime) -> str:
    return f"{when:%m-%d %H:%M:%S}"


def american(when: datetime) -> str:
    return f"{when:%m/%d/%Y %H:%M:%S}"


def kernel(when: datetime) -> str:
    """As dmesg -T."""
    return f"{DAYS[when.weekday()]} {MONTHS[when.month - 1]} {when.day:2d} {when:%H:%M:%S} {when.year}"


def syslog(when: datetime) -> str:
    return f"{MONTHS[when.month - 1]} {when.day:2d} {when:%H:%M:%S}"
