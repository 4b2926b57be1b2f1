"""Bars as a Plotly figure, stacked or side by side. Pure: plain values in and out.

Colours are given for both themes; each series has a pattern of its own too, so that colour never stands alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Any

from kb.charts.chart import Heading
from kb.charts.intervals import Interval

# Hues after Okabe & Ito (2008), which common colour blindness keeps apart, made darker on paper and lighter in the
# dark until each stands 3:1 against the ground.
COLOURS: Mapping[str, tuple[str, ...]] = {
    "light": ("#00659e", "#bd4b00", "#00785a", "#9c4880", "#8a6500", "#3d7fa6", "#5a5e66", "#6e6a00"),
    "dark": ("#5ab4ea", "#ee8b4e", "#35c79a", "#e09ac2", "#e6a520", "#a9d2ee", "#b9bcc4", "#e8df4f"),
}
GROUNDS = {"light": "#fbfaf6", "dark": "#15171b"}
INKS = {"light": "#101317", "dark": "#faf8f3"}
PATTERNS = ("", "/", ".", "x", "\\", "-", "+", "|")
ROW_PIXELS, SIDE_PIXELS, COLUMN_PIXELS = 34, 190, 26
HEIGHT, AROUND = 340, 90
NAME = 26  # characters
SHARE_END = 1.12


@dataclass(frozen=True)
class Bar:
    """A bar: how long it is, what is written at its end and on hover, the query behind it, and its interval."""

    value: float
    text: str = ""
    hover: tuple[str, ...] = ()
    query: str = ""
    interval: Interval | None = None


@dataclass(frozen=True)
class Series:
    """Bars of one kind, by the code of the place where each stands."""

    name: str
    bars: Mapping[str, Bar]


def bars(
    places: Sequence[Heading],
    series: Sequence[Series],
    *,
    upright: bool = False,
    mode: str = "stack",
    share: bool = False,
) -> dict[str, Any]:
    """The figure; `upright`: places stand side by side; `mode`: `stack` or `group`; `share`: lengths are parts of 1.

    `customdata` holds the query of each bar's issues, `themes` what differs between light and dark.
    """
    along, across = ("y", "x") if upright else ("x", "y")
    return {
        "data": [_trace(places, one, along, across) for one in series],
        "layout": _layout(places, along, across, mode=mode, share=share, many=len(series) > 1),
        "themes": {theme: {"traces": [_look(theme, place) for place in range(len(series))]} for theme in COLOURS},
        "min_width": SIDE_PIXELS + COLUMN_PIXELS * len(places) if upright else SIDE_PIXELS + 150,
    }


def _trace(places: Sequence[Heading], series: Series, along: str, across: str) -> dict[str, Any]:
    found = [(place, series.bars[place.code]) for place in places if place.code in series.bars]
    trace: dict[str, Any] = {
        "type": "bar",
        "name": escape(series.name, quote=False),
        "orientation": "v" if along == "y" else "h",
        across: [place.code for place, _ in found],
        along: [bar.value for _, bar in found],
        "text": [bar.text for _, bar in found],
        "textposition": "outside" if any(bar.text for _, bar in found) else "none",
        "cliponaxis": False,
        # Bold words would be an inline style, which the content policy forbids.
        "hovertext": ["<br>".join((_safe(place.name), *map(_safe, bar.hover))) for place, bar in found],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "customdata": [bar.query for _, bar in found],
    }
    if any(bar.interval for _, bar in found):
        trace[f"error_{along}"] = _reach([bar for _, bar in found])
        # At the bar's end stands its interval, so the text stands at its foot.
        trace["textposition"] = "none"
    return trace


def _reach(found: Sequence[Bar]) -> dict[str, Any]:
    held = [(bar.value, bar.interval or Interval(bar.value, bar.value)) for bar in found]
    return {
        "type": "data",
        "symmetric": False,
        "array": [interval.high - value for value, interval in held],
        "arrayminus": [value - interval.low for value, interval in held],
        "thickness": 1.5,
        "width": 4,
    }


def _look(theme: str, place: int) -> dict[str, Any]:
    """The colours of a series in a theme, to be laid over its trace."""
    kind = place % len(PATTERNS)
    pattern = {"shape": PATTERNS[kind], "fillmode": "overlay", "fgcolor": GROUNDS[theme], "size": 7, "solidity": 0.25}
    line = {"color": GROUNDS[theme], "width": 1}
    return {
        "marker": {"color": COLOURS[theme][kind], "pattern": pattern, "line": line},
        "error_x": {"color": INKS[theme]},
        "error_y": {"color": INKS[theme]},
    }


def _layout(
    places: Sequence[Heading], along: str, across: str, *, mode: str, share: bool, many: bool
) -> dict[str, Any]:
    upright = along == "y"
    numbers: dict[str, Any] = {"fixedrange": True, "zeroline": False, "automargin": True, "rangemode": "tozero"}
    if share:
        numbers |= {
            "range": [0, 1.005 if many else SHARE_END],
            "tickformat": ".0%",
            "tickvals": [0, 0.25, 0.5, 0.75, 1],
        }
    rows = len(places) * (1 if mode == "stack" or not many else 2)
    return {
        "height": HEIGHT if upright else AROUND + ROW_PIXELS * rows + (40 if many else 0),
        "margin": {"l": 8, "r": 12, "t": 8, "b": 8},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(128,128,128,0.07)",
        "dragmode": False,
        "bargap": 0.25,
        "barmode": mode,
        "showlegend": many,
        "legend": {
            "orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "itemclick": False, "itemdoubleclick": False,
            "traceorder": "normal",
        },
        f"{along}axis": numbers | {"gridcolor": "rgba(128,128,128,0.3)"},
        f"{across}axis": _names(places, upright=upright),
    }  # fmt: skip


def _names(places: Sequence[Heading], *, upright: bool) -> dict[str, Any]:
    names = [place.name if upright else "\n".join(wrap(place.name, NAME)) for place in places]
    return {
        "type": "category",
        "tickmode": "array",
        "tickvals": [place.code for place in places],
        "ticktext": [_safe(name).replace("\n", "<br>") for name in names],
        "categoryorder": "array",
        "categoryarray": [place.code for place in places],
        "automargin": True,
        "fixedrange": True,
        "showgrid": False,
        "ticks": "",
        **({} if upright else {"autorange": "reversed"}),
    }


def _safe(text: str) -> str:
    """Plotly reads a little HTML in texts, so these are escaped."""
    return escape(text, quote=False)
