"""Rows with a number and its interval on one axis, as a Plotly figure. Pure: places and texts in, plain values out."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap
from typing import Any

from kb.charts.intervals import Interval

# The dot stands out from either background by its strength alone, the box behind it by its stripes.
COLOURS = {
    "light": {"ink": "#101317", "dot": "#0a5765", "box": "#7fb9c4"},
    "dark": {"ink": "#faf8f3", "dot": "#86ccd8", "box": "#2d6470"},
}
ROW_PIXELS, AXIS_PIXELS, LEAST_PIXELS = 38, 90, 180
MIN_WIDTH = 560
ROW_NAME = 26  # characters
CLICK = "Click to see these issues"


@dataclass(frozen=True)
class Dot:
    """A row: where its number stands, its interval and the box around it (either may be none), and what it says."""

    code: str
    name: str
    place: float
    interval: Interval | None
    box: Interval | None
    lines: tuple[str, ...]
    query: str


def dots(rows: Sequence[Dot], axis: dict[str, Any]) -> dict[str, Any]:
    """The rows from top to bottom as a figure; a click on any mark of a row asks for the row's query.

    `themes` holds the colours of both themes: the script puts in the right ones.
    """
    boxes = [row for row in rows if row.box]
    themes = {
        name: {
            "ink": colours["ink"],
            "traces": [*([{"marker": _box(colours["box"])}] if boxes else []), _dot(rows, colours["dot"])],
        }
        for name, colours in COLOURS.items()
    }
    return {
        "data": [*([_boxes(boxes)] if boxes else []), _dots(rows)],
        "layout": _layout(rows, axis),
        "themes": themes,
        "min_width": MIN_WIDTH,
    }


def _boxes(rows: Sequence[Dot]) -> dict[str, Any]:
    bounds = [row.box for row in rows if row.box]
    return {
        "type": "bar",
        "orientation": "h",
        "y": [row.code for row in rows],
        "base": [one.low for one in bounds],
        "x": [one.high - one.low for one in bounds],
        "width": 0.5,
        "marker": _box(COLOURS["light"]["box"]),
        **_told(rows),
    }


def _dots(rows: Sequence[Dot]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "y": [row.code for row in rows],
        "x": [row.place for row in rows],
        **_dot(rows, COLOURS["light"]["dot"]),
        **_told(rows),
    }


def _told(rows: Sequence[Dot]) -> dict[str, Any]:
    return {
        "hovertext": [hover(row.name, row.lines, row.query) for row in rows],
        "customdata": [row.query for row in rows],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }


def hover(name: str, lines: Sequence[str], query: str) -> str:
    """What a mark says; Plotly reads a little HTML in it, so names are escaped."""
    # Nothing bold: Plotly would set a style attribute for it, which the content policy forbids.
    shown = [escape(line, quote=False) for line in (name, *lines)]
    return "<br>".join([*shown, CLICK] if query else shown)


def _box(colour: str) -> dict[str, Any]:
    """Whole, so that it replaces what the trace has."""
    return {"color": colour, "pattern": {"shape": "/", "size": 5, "solidity": 0.35}}


def _dot(rows: Sequence[Dot], colour: str) -> dict[str, Any]:
    intervals = [row.interval or Interval(row.place, row.place) for row in rows]
    return {
        "marker": {"color": colour, "symbol": "diamond", "size": 11},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [one.high - row.place for one, row in zip(intervals, rows, strict=True)],
            "arrayminus": [row.place - one.low for one, row in zip(intervals, rows, strict=True)],
            "color": colour,
            "thickness": 2,
            "width": 5,
        },
    }


def _layout(rows: Sequence[Dot], axis: dict[str, Any]) -> dict[str, Any]:
    return {
        "height": max(LEAST_PIXELS, AXIS_PIXELS + ROW_PIXELS * len(rows)),
        "margin": {"l": 8, "r": 16, "t": 8, "b": 8},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(128,128,128,0.07)",
        "dragmode": False,
        "hovermode": "closest",
        "xaxis": axis,
        "yaxis": {
            "type": "category",
            "categoryorder": "array",
            "categoryarray": [row.code for row in rows],
            "tickmode": "array",
            "tickvals": [row.code for row in rows],
            "ticktext": ["<br>".join(escape(line, quote=False) for line in wrap(row.name, ROW_NAME)) for row in rows],
            "autorange": "reversed",
            "automargin": True,
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
            "ticks": "",
        },
    }


def share_axis(title: str) -> dict[str, Any]:
    """An axis from nothing to all."""
    places = [0, 0.2, 0.4, 0.6, 0.8, 1]
    return {
        "title": {"text": title},
        "range": [-0.02, 1.02],
        "tickmode": "array",
        "tickvals": places,
        "ticktext": [f"{round(place * 100)} %" for place in places],
        "fixedrange": True,
        "zeroline": False,
        "gridcolor": "rgba(128,128,128,0.25)",
        "automargin": True,
    }
