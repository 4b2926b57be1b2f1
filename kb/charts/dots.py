"""Rows with a number and its interval on one axis, as a Plotly figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from textwrap import wrap

from kb.charts.plotly import CLICK, SURFACE, PlotlyJson, safe_lines
from kb.charts.samples import is_small, small_note
from kb.core.intervals import Interval

# The dot stands out from either background by its strength alone, the box behind it by its stripes.
COLOURS = {
    "light": {"ink": "#101317", "dot": "#0a5765", "box": "#7fb9c4"},
    "dark": {"ink": "#faf8f3", "dot": "#86ccd8", "box": "#2d6470"},
}
ROW_PIXELS, AXIS_PIXELS, LEAST_PIXELS = 38, 90, 180
MIN_WIDTH = 340
ROW_NAME = 26  # characters
# Up to so many tenths an axis has a tick at each.
NARROW_TENTHS = 5
# By whether the sample is small.
SYMBOLS = {False: "diamond", True: "diamond-open"}
OPACITIES = {False: 1.0, True: 0.7}


@dataclass(frozen=True)
class Dot:
    """A row: where its number stands, its interval and the box around it (either may be none), and its hover text.

    `n`: from how many cases the number is; that of a small sample is hollow.
    """

    code: str
    name: str
    place: float
    interval: Interval | None
    box: Interval | None
    lines: tuple[str, ...]
    query: str
    n: int

    @property
    def title(self) -> list[str]:
        """The name's lines, with the words for a small sample."""
        small = small_note(self.n)
        return [*wrap(self.name, ROW_NAME), *([small] if small else [])]


def dots(rows: Sequence[Dot], axis: PlotlyJson) -> PlotlyJson:
    """The rows from top to bottom as a figure, none of no row; a click on any mark of a row asks for the row's query.

    `themes` holds the colours of both themes: the script puts in the right ones.
    """
    if not rows:
        return {}
    boxed = [row for row in rows if row.box]
    traces = [_dots(rows)]
    if boxed:
        traces.insert(0, _boxes(boxed))
    themes = {}
    for theme, colours in COLOURS.items():
        looks = [_dot_look(rows, colours["dot"])]
        if boxed:
            looks.insert(0, {"marker": _box_look(colours["box"])})
        themes[theme] = {"ink": colours["ink"], "traces": looks}
    return {"data": traces, "layout": _layout(rows, axis), "themes": themes, "min_width": MIN_WIDTH}


def _layout(rows: Sequence[Dot], axis: PlotlyJson) -> PlotlyJson:
    codes = [row.code for row in rows]
    return {
        "height": max(LEAST_PIXELS, AXIS_PIXELS + ROW_PIXELS * len(rows)),
        "margin": {"l": 8, "r": 16, "t": 8, "b": 8},
        **SURFACE,
        "hovermode": "closest",
        "xaxis": axis,
        "yaxis": {
            "type": "category",
            "categoryorder": "array",
            "categoryarray": codes,
            "tickmode": "array",
            "tickvals": codes,
            "ticktext": [safe_lines(row.title) for row in rows],
            "autorange": "reversed",
            "automargin": True,
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
            "ticks": "",
        },
    }


def _boxes(rows: Sequence[Dot]) -> PlotlyJson:
    boxes = [row.box for row in rows if row.box]
    return {
        "type": "bar",
        "orientation": "h",
        "y": [row.code for row in rows],
        "base": [box.low for box in boxes],
        "x": [box.high - box.low for box in boxes],
        "width": 0.5,
        "marker": _box_look(COLOURS["light"]["box"]),
        **_hover(rows),
    }


def _dots(rows: Sequence[Dot]) -> PlotlyJson:
    return {
        "type": "scatter",
        "mode": "markers",
        "y": [row.code for row in rows],
        "x": [row.place for row in rows],
        **_dot_look(rows, COLOURS["light"]["dot"]),
        **_hover(rows),
    }


def _hover(rows: Sequence[Dot]) -> PlotlyJson:
    return {
        "hovertext": [hover(row.name, row.lines, row.query) for row in rows],
        "customdata": [row.query for row in rows],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }


def hover(name: str, lines: Sequence[str], query: str) -> str:
    """The hover text of a mark; one with a query can be clicked."""
    shown = [name, *lines]
    if query:
        shown.append(CLICK)
    return safe_lines(shown)


def _box_look(colour: str) -> PlotlyJson:
    """The whole marker, so that it replaces what the trace has."""
    return {"color": colour, "pattern": {"shape": "/", "size": 5, "solidity": 0.35}}


def _dot_look(rows: Sequence[Dot], colour: str) -> PlotlyJson:
    above, below = [], []
    for row in rows:
        interval = row.interval or Interval(row.place, row.place)
        above.append(interval.high - row.place)
        below.append(row.place - interval.low)
    return {
        "marker": {
            "color": colour,
            "symbol": [SYMBOLS[is_small(row.n)] for row in rows],
            "opacity": [OPACITIES[is_small(row.n)] for row in rows],
            "size": 11,
        },
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": above,
            "arrayminus": below,
            "color": colour,
            "thickness": 2,
            "width": 5,
        },
    }


def share_axis(title: str, most: float = 1) -> PlotlyJson:
    """An axis from 0 to 100 %, or to the tenth above `most`."""
    tenths = min(10, max(2, ceil(most * 10)))
    step = 1 if tenths <= NARROW_TENTHS else 2
    ticks = range(0, tenths + 1, step)
    return {
        "title": {"text": title},
        "range": [-0.02, tenths / 10 + 0.02],
        "tickmode": "array",
        "tickvals": [tick / 10 for tick in ticks],
        "ticktext": [f"{tick * 10} %" for tick in ticks],
        "fixedrange": True,
        "zeroline": False,
        "gridcolor": "rgba(128,128,128,0.25)",
        "automargin": True,
    }
