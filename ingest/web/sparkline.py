"""A small drawing of how old a mirror was over the last day, as bars that need no script. Pure."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.web.wording import stretch

WIDTH, HEIGHT = 3, 24
STEP = WIDTH + 1


@dataclass(frozen=True)
class Bar:
    """A bar in the drawing's units, from the top; `is_late` above the line."""

    x: int
    y: float
    height: float
    is_late: bool


@dataclass(frozen=True)
class Sparkline:
    """Bars, the line above which a mirror is late (`limit`, from the top), and the same in words."""

    bars: tuple[Bar, ...]
    width: int
    height: int
    limit: float
    text: str


def sparkline(ages: Sequence[float | None], *, late_after: dt.timedelta) -> Sparkline:
    """Draw ages in seconds, oldest first; None where nobody looked."""
    measured = [age for age in ages if age is not None]
    late = late_after.total_seconds()
    top = max([late * 1.25, *measured])
    bars: list[Bar] = []
    for place, age in enumerate(ages):
        if age is not None:
            height = max(1.0, round(HEIGHT * age / top, 1))
            bars.append(Bar(place * STEP, round(HEIGHT - height, 1), height, is_late=age > late))
    return Sparkline(tuple(bars), STEP * len(ages), HEIGHT, round(HEIGHT * (1 - late / top), 1), _text(measured, late))


def _text(ages: Sequence[float], late: float) -> str:
    """The drawing in words; each age is the greatest of half an hour."""
    if not ages:
        return "No runs in the last 24 hours."
    text = f"Over the last 24 hours at most {stretch(dt.timedelta(seconds=max(ages)))} old"
    times_late = sum(age > late for age in ages)
    if not times_late:
        return f"{text}."
    return f"{text}, {times_late} half hour{'' if times_late == 1 else 's'} of {len(ages)} late."
