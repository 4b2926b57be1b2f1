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
    known = [age for age in ages if age is not None]
    late = late_after.total_seconds()
    top = max([late * 1.25, *known])
    bars = [_bar(place, age, top, is_late=age > late) for place, age in enumerate(ages) if age is not None]
    return Sparkline(tuple(bars), STEP * len(ages), HEIGHT, round(HEIGHT * (1 - late / top), 1), _text(known, late))


def _bar(place: int, age: float, top: float, *, is_late: bool) -> Bar:
    height = max(1.0, round(HEIGHT * age / top, 1))
    return Bar(place * STEP, round(HEIGHT - height, 1), height, is_late)


def _text(known: Sequence[float], late: float) -> str:
    if not known:
        return "No runs in the last 24 hours."
    often = sum(age > late for age in known)
    said = f"Over the last 24 hours at most {stretch(dt.timedelta(seconds=max(known)))} old"
    return f"{said}, {often} half hour{'' if often == 1 else 's'} of {len(known)} late." if often else f"{said}."
