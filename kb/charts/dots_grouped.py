"""Dots of several groups in each row, with intervals, on one axis, as a Plotly figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from kb.charts.plotly import SURFACE, PlotlyJson, safe, safe_lines
from kb.core.intervals import Interval

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
DOT_PIXELS, ROW_GAP_PIXELS, AROUND_PIXELS = 17, 22, 130
MIN_WIDTH = 340
ROW_NAME = 26  # characters
# How far the groups of a row spread, of the distance between rows; how strong the marks of a small sample are.
SPREAD, FADED = 0.62, 0.65


@dataclass(frozen=True)
class Mark:
    """A number with its interval, its hover text and the query of its issues."""

    value: float
    interval: Interval
    lines: tuple[str, ...]
    query: str


@dataclass(frozen=True)
class Marks:
    """A group's marks, one for each row; those of a small sample are hollow. Colours are by theme."""

    name: str
    marks: Sequence[Mark]
    is_small: bool
    colours: Mapping[str, str]
    inks: Mapping[str, str]


def grouped_dots(rows: Sequence[tuple[str, str]], groups: Sequence[Marks], axis: PlotlyJson) -> PlotlyJson:
    """The rows, each a name with a remark, from top to bottom; in each the groups in their order. None of one group."""
    if len(groups) < 2:
        return {}
    themes = {}
    for theme, ink in groups[0].inks.items():
        looks = [_look(group.colours[theme]) for group in groups]
        themes[theme] = {"ink": ink, "traces": looks}
    return {
        "data": [_trace(group, place, len(groups)) for place, group in enumerate(groups)],
        "layout": _layout(rows, len(groups), axis),
        "themes": themes,
        "min_width": MIN_WIDTH,
    }


def _trace(group: Marks, place: int, groups: int) -> PlotlyJson:
    offset = (place - (groups - 1) / 2) * SPREAD / groups
    symbol = SYMBOLS[place % len(SYMBOLS)]
    marks = group.marks
    return {
        "type": "scatter",
        "mode": "markers",
        "name": safe(group.name),
        "y": [row + offset for row in range(len(marks))],
        "x": [mark.value for mark in marks],
        "marker": {"symbol": f"{symbol}-open" if group.is_small else symbol, "size": 10},
        "opacity": FADED if group.is_small else 1,
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [mark.interval.high - mark.value for mark in marks],
            "arrayminus": [mark.value - mark.interval.low for mark in marks],
            "thickness": 2,
            "width": 4,
        },
        "hovertext": [safe_lines(mark.lines) for mark in marks],
        "customdata": [mark.query for mark in marks],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _look(colour: str) -> PlotlyJson:
    return {"marker": {"color": colour}, "error_x": {"color": colour}}


def _layout(rows: Sequence[tuple[str, str]], groups: int, axis: PlotlyJson) -> PlotlyJson:
    names = [safe_lines([*wrap(name, ROW_NAME), *wrap(remark, ROW_NAME)]) for name, remark in rows]
    return {
        "height": AROUND_PIXELS + (ROW_GAP_PIXELS + DOT_PIXELS * groups) * len(rows),
        "margin": {"l": 8, "r": 16, "t": 8, "b": 8},
        **SURFACE,
        "hovermode": "closest",
        "showlegend": True,
        "legend": {
            "orientation": "h", "x": 0, "y": 1.01, "yanchor": "bottom", "itemclick": False, "itemdoubleclick": False,
        },
        "xaxis": axis,
        "yaxis": {
            "range": [len(rows) - 0.5, -0.5],
            "tickmode": "array",
            "tickvals": list(range(len(rows))),
            "ticktext": names,
            "automargin": True,
            "fixedrange": True,
            "gridcolor": "rgba(128,128,128,0.2)",
            "zeroline": False,
            "ticks": "",
        },
    }  # fmt: skip
