"""Bars on a logarithmic axis with the median above them, as a Plotly figure. Pure: places in, plain values out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kb.charts.dots import hover
from kb.charts.intervals import Interval
from kb.charts.log_axis import log_axis

COLOURS = {
    "light": {"ink": "#101317", "bar": "#3f9aac", "median": "#a04e05"},
    "dark": {"ink": "#faf8f3", "bar": "#3b8b9c", "median": "#f0ac66"},
}
HEIGHT = 360
MIN_WIDTH = 480
ABOVE = 1.1  # where the median stands, in heights of the tallest bar


@dataclass(frozen=True)
class Bar:
    """A bar: its name, its ends on the axis, its height, what it says, its query; `is_marked` ones are striped."""

    name: str
    ends: Interval
    issues: int
    lines: tuple[str, ...]
    query: str
    is_marked: bool = False


def histogram(
    bars: Sequence[Bar],
    median: float,
    interval: Interval | None,
    says: str,
    title: str,
    ticks: Sequence[tuple[float, str]],
    most: float,
) -> dict[str, Any]:
    """The bars as a figure; `median` and `interval` are places, `says` is what their mark tells."""
    top = max(bar.issues for bar in bars) * ABOVE
    themes = {
        name: {
            "ink": colours["ink"],
            "traces": [{"marker": _fill(bars, colours["bar"])}, _mark(median, interval, colours["median"])],
        }
        for name, colours in COLOURS.items()
    }
    return {
        "data": [_bars(bars), _median(median, interval, top, says)],
        "layout": {
            "height": HEIGHT,
            "margin": {"l": 8, "r": 16, "t": 8, "b": 8},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(128,128,128,0.07)",
            "dragmode": False,
            "hovermode": "closest",
            "xaxis": log_axis(title, ticks, most),
            "yaxis": _heights(top),
            "shapes": [_line(median, top)],
        },
        "themes": themes,
        "min_width": MIN_WIDTH,
    }


def _bars(bars: Sequence[Bar]) -> dict[str, Any]:
    return {
        "type": "bar",
        "x": [(bar.ends.low + bar.ends.high) / 2 for bar in bars],
        "width": [bar.ends.high - bar.ends.low for bar in bars],
        "y": [bar.issues for bar in bars],
        "text": [str(bar.issues) if bar.issues else "" for bar in bars],
        "textposition": "inside",
        "insidetextanchor": "start",
        "textangle": 0,
        "marker": _fill(bars, COLOURS["light"]["bar"]),
        "hovertext": [hover(bar.name, bar.lines, bar.query) for bar in bars],
        "customdata": [bar.query for bar in bars],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }


def _fill(bars: Sequence[Bar], colour: str) -> dict[str, Any]:
    """Whole, so that it replaces what the trace has."""
    return {
        "color": colour,
        "line": {"width": 1, "color": "rgba(128,128,128,0.6)"},
        "pattern": {"shape": ["/" if bar.is_marked else "" for bar in bars], "size": 7, "solidity": 0.3},
    }


def _median(median: float, interval: Interval | None, top: float, says: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [median],
        "y": [top],
        "hovertext": [hover("Median", (says,), "")],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
        **_mark(median, interval, COLOURS["light"]["median"]),
    }


def _mark(median: float, interval: Interval | None, colour: str) -> dict[str, Any]:
    ends = interval or Interval(median, median)
    return {
        "marker": {"color": colour, "symbol": "diamond", "size": 12},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [ends.high - median],
            "arrayminus": [median - ends.low],
            "color": colour,
            "thickness": 2,
            "width": 6,
        },
    }


def _heights(top: float) -> dict[str, Any]:
    return {
        "title": {"text": "Issues"},
        "range": [0, top * 1.06],
        "fixedrange": True,
        "zeroline": False,
        "gridcolor": "rgba(128,128,128,0.25)",
        "automargin": True,
    }


def _line(median: float, top: float) -> dict[str, Any]:
    """From the median down to the axis, in a grey that either theme shows."""
    line = {"color": "rgb(128,128,128)", "width": 1.5, "dash": "dot"}
    return {"type": "line", "x0": median, "x1": median, "y0": 0, "y1": top, "line": line}
