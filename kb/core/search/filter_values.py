"""The values of filters as they are written, in the search box and in addresses alike. Text in, values out.

`a,b` is any of them, `-a` none, `"a, b"` one value; numbers and dates are ranges: `>2024-01`, `..2024`, `10..20`.
"""

import calendar
import datetime as dt
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

MOST_VALUES = 50
MOST_CHARACTERS = 5_000
SHOWN = 60
FIRST_YEAR, LAST_YEAR = 2008, 2100
FIRST_DATE, LAST_DATE = 1970, 2100
EPOCH = dt.date(1970, 1, 1).toordinal()

PIECE = re.compile(r'(?:"[^"]*"|[^,"]|")+')
NEEDS_QUOTES = re.compile(r"^-|[\s,]")
# More digits than any number here has, and none that a column could not hold.
WHOLE = re.compile(r"\d{1,8}", re.ASCII)
DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?", re.ASCII)

# From the text of one end to the first and the last number that it stands for.
Ends = Callable[[str], tuple[int, int]]


class BadValueError(ValueError):
    """A value that cannot be used; the text says why and what would be right."""


@dataclass(frozen=True)
class Value:
    """One value of a filter, as it was typed."""

    text: str
    unwanted: bool = False

    def __str__(self) -> str:
        text = f'"{self.text}"' if NEEDS_QUOTES.search(self.text) else self.text
        return f"-{text}" if self.unwanted else text


@dataclass(frozen=True)
class Choice:
    """What a filter asks for: any of `wanted`, none of `unwanted`, and a number from `low` to `high`."""

    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None


def shown(text: str) -> str:
    """The text in quotation marks, cut to what a message can hold."""
    return f"“{text[:SHOWN]}…”" if len(text) > SHOWN else f"“{text}”"


def split_values(text: str) -> tuple[Value, ...]:
    """The values of a filter; those without any text are left out."""
    values = []
    for piece in PIECE.findall(text):
        bare = piece.strip()
        value = Value(bare.removeprefix("-").replace('"', "").strip(), unwanted=bare.startswith("-"))
        if value.text:
            values.append(value)
    return tuple(values)


def join_values(values: Iterable[Value]) -> str:
    """The one text that says all these values."""
    return ",".join(map(str, values))


def whole_number(text: str) -> tuple[int, int]:
    """A number as the ends of a range. Raises `BadValueError`."""
    if not WHOLE.fullmatch(text):
        raise BadValueError(
            f"{shown(text)} is not a number: give a whole number such as 10, or a range such as 10..20."
        )
    return int(text), int(text)


def day_number(text: str) -> tuple[int, int]:
    """The first and last day of a year, month or day, counted from 1970-01-01. Raises `BadValueError`."""
    wrong = BadValueError(
        f"{shown(text)} is not a date: give one such as 2024, 2024-05 or 2024-05-31, or a range such as >2024-05."
    )
    match = DATE.fullmatch(text)
    if not match or not FIRST_DATE <= int(match[1]) <= LAST_DATE:
        raise wrong
    year, month, day = (int(part) if part else None for part in match.groups())
    try:
        first = dt.date(year or 0, month or 1, day or 1)
        last_month = month or 12
        last = dt.date(first.year, last_month, day or calendar.monthrange(first.year, last_month)[1])
    except ValueError as error:
        raise wrong from error
    return first.toordinal() - EPOCH, last.toordinal() - EPOCH


def year_number(text: str) -> tuple[int, int]:
    """A year as the ends of a range. Raises `BadValueError`."""
    if not WHOLE.fullmatch(text) or not FIRST_YEAR <= int(text) <= LAST_YEAR:
        raise BadValueError(
            f"{shown(text)} is not a year: give a whole number from {FIRST_YEAR} to {LAST_YEAR}, "
            "or a range such as 2021..2023."
        )
    return int(text), int(text)


def range_of(text: str, ends: Ends) -> tuple[int | None, int | None]:
    """The lowest and the highest number that the text allows. Raises `BadValueError`."""
    if ".." in text:
        left, _, right = text.partition("..")
        low = ends(left.strip())[0] if left.strip() else None
        high = ends(right.strip())[1] if right.strip() else None
        if low is None and high is None:
            raise BadValueError("A range needs one end at least, such as 10.. or ..20.")
    elif text.startswith(">="):
        low, high = ends(text[2:].strip())[0], None
    elif text.startswith("<="):
        low, high = None, ends(text[2:].strip())[1]
    elif text.startswith(">"):
        low, high = ends(text[1:].strip())[1] + 1, None
    elif text.startswith("<"):
        low, high = None, ends(text[1:].strip())[0] - 1
    else:
        low, high = ends(text)
    if low is not None and high is not None and low > high:
        raise BadValueError(f"{shown(text)} ends before it begins.")
    return low, high


def overlap(values: Iterable[Value], ends: Ends) -> Choice:
    """What lies in all these ranges; an unwanted one means what it leaves out. Raises `BadValueError`."""
    lows: list[int] = []
    highs: list[int] = []
    for value in values:
        low, high = range_of(value.text, ends)
        if value.unwanted:
            if low is not None and high is not None:
                raise BadValueError(
                    f"{shown(value.text)} has two ends and cannot be left out: write < or > with one of them."
                )
            low, high = (None if high is None else high + 1), (None if low is None else low - 1)
        if low is not None:
            lows.append(low)
        if high is not None:
            highs.append(high)
    lowest, highest = max(lows, default=None), min(highs, default=None)
    if lowest is not None and highest is not None and lowest > highest:
        raise BadValueError("Nothing can lie in all of these ranges. One from a to b is written a..b.")
    return Choice(low=lowest, high=highest)


def years_of(value: Value) -> tuple[str, ...]:
    """Every year that a value stands for. Raises `BadValueError`."""
    low, high = range_of(value.text, year_number)
    first = FIRST_YEAR if low is None else low
    last = LAST_YEAR if high is None else high
    return tuple(str(year) for year in range(first, last + 1))
