"""Plots of values with intervals, as SVG without scripts or fonts. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

LEFT, RIGHT, WIDTH, ROW, TOP = 300, 60, 860, 26, 44
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
INK, GREY, BLUE = "#22262b", "#85827a", "#0a5765"


@dataclass(frozen=True)
class Bar:
    """A value with its interval, or the reason why there is no value."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""


def intervals(title: str, bars: Sequence[Bar], *, marks: Sequence[float] = ()) -> str:
    """One row for each value, from 0 to 1; `marks` are vertical lines, such as a threshold."""
    height = TOP + ROW * len(bars) + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'font-family="sans-serif" font-size="13" fill="{INK}">',
        f"<title>{escape(title)}</title>",
        f'<text x="0" y="18" font-weight="bold">{escape(title)}</text>',
        *(_line(tick, height, GREY, "1 4") for tick in TICKS),
        *(_line(mark, height, INK, "6 3") for mark in marks),
    ]
    for tick in TICKS:
        parts.append(f'<text x="{_x(tick)}" y="{height - 8}" text-anchor="middle" fill="{GREY}">{tick:.1f}</text>')
    for number, bar in enumerate(bars):
        parts.extend(_row(bar, TOP + ROW * number + ROW / 2))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _x(value: float) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * min(1.0, max(0.0, value)), 1)


def _line(value: float, height: int, colour: str, dashes: str) -> str:
    x = _x(value)
    return f'<line x1="{x}" y1="{TOP - 8}" x2="{x}" y2="{height - 26}" stroke="{colour}" stroke-dasharray="{dashes}"/>'


def _row(bar: Bar, y: float) -> list[str]:
    name = bar.name if len(bar.name) <= 40 else bar.name[:39] + "…"
    parts = [f'<text x="{LEFT - 12}" y="{y + 4:.1f}" text-anchor="end">{escape(name)}</text>']
    if bar.value is None:
        return [*parts, f'<text x="{LEFT + 6}" y="{y + 4:.1f}" fill="{GREY}">undefined</text>']
    if bar.low is not None and bar.high is not None:
        parts.append(
            f'<line x1="{_x(bar.low)}" y1="{y:.1f}" x2="{_x(bar.high)}" y2="{y:.1f}" '
            f'stroke="{BLUE}" stroke-width="5" stroke-opacity="0.45"/>'
        )
    parts.append(f'<circle cx="{_x(bar.value)}" cy="{y:.1f}" r="5" fill="{BLUE}"/>')
    parts.append(f'<text x="{WIDTH - RIGHT + 10}" y="{y + 4:.1f}">{bar.value:.2f}</text>')
    return parts
