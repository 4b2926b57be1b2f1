"""Bars on a logarithmic axis with the median above them, as a Plotly figure."""

from collections.abc import Sequence
from dataclasses import dataclass

from kb.charts.dots import hover
from kb.charts.plotly import SURFACE, PlotlyJson
from kb.core.intervals import Interval

COLOURS = {
    "light": {"ink": "#101317", "bar": "#3f9aac", "median": "#a04e05"},
    "dark": {"ink": "#faf8f3", "bar": "#3b8b9c", "median": "#f0ac66"},
}
HEIGHT = 360
MIN_WIDTH = 340
ABOVE = 1.1  # where the median stands, in heights of the tallest bar


@dataclass(frozen=True)
class Bar:
    """A bar: its name, its ends on the axis, its height, its hover text, its query; marked ones are striped."""

    name: str
    ends: Interval
    issues: int
    lines: tuple[str, ...]
    query: str
    is_marked: bool = False


@dataclass(frozen=True)
class MedianMark:
    """The median's place on the axis, its interval there (if any), and its hover text."""

    place: float
    interval: Interval | None
    text: str


def histogram(bars: Sequence[Bar], median: MedianMark, axis: PlotlyJson) -> PlotlyJson:
    """The bars as a figure on the axis, which `kb.charts.log_axis` makes."""
    top = max(bar.issues for bar in bars) * ABOVE
    themes = {}
    for theme, colours in COLOURS.items():
        looks = [{"marker": _bar_look(bars, colours["bar"])}, _median_look(median, colours["median"])]
        themes[theme] = {"ink": colours["ink"], "traces": looks}
    return {
        "data": [_bars(bars), _median(median, top)],
        "layout": {
            "height": HEIGHT,
            "margin": {"l": 8, "r": 16, "t": 8, "b": 8},
            **SURFACE,
            "hovermode": "closest",
            "xaxis": axis,
            "yaxis": {
                "title": {"text": "Issues"},
                "range": [0, top * 1.06],
                "fixedrange": True,
                "zeroline": False,
                "gridcolor": "rgba(128,128,128,0.25)",
                "automargin": True,
            },
            # From the median down to the axis, in a grey that either theme shows.
            "shapes": [
                {
                    "type": "line",
                    "x0": median.place,
                    "x1": median.place,
                    "y0": 0,
                    "y1": top,
                    "line": {"color": "rgb(128,128,128)", "width": 1.5, "dash": "dot"},
                }
            ],
        },
        "themes": themes,
        "min_width": MIN_WIDTH,
    }


def _bars(bars: Sequence[Bar]) -> PlotlyJson:
    return {
        "type": "bar",
        "x": [(bar.ends.low + bar.ends.high) / 2 for bar in bars],
        "width": [bar.ends.high - bar.ends.low for bar in bars],
        "y": [bar.issues for bar in bars],
        "text": [str(bar.issues or "") for bar in bars],
        "textposition": "inside",
        "insidetextanchor": "start",
        "textangle": 0,
        "marker": _bar_look(bars, COLOURS["light"]["bar"]),
        "hovertext": [hover(bar.name, bar.lines, bar.query) for bar in bars],
        "customdata": [bar.query for bar in bars],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
    }


def _bar_look(bars: Sequence[Bar], colour: str) -> PlotlyJson:
    """The whole marker, so that it replaces what the trace has."""
    stripes = {True: "/", False: ""}
    return {
        "color": colour,
        "line": {"width": 1, "color": "rgba(128,128,128,0.6)"},
        "pattern": {"shape": [stripes[bar.is_marked] for bar in bars], "size": 7, "solidity": 0.3},
    }


def _median(median: MedianMark, top: float) -> PlotlyJson:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [median.place],
        "y": [top],
        "hovertext": [hover("Median", (median.text,), "")],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
        **_median_look(median, COLOURS["light"]["median"]),
    }


def _median_look(median: MedianMark, colour: str) -> PlotlyJson:
    ends = median.interval or Interval(median.place, median.place)
    return {
        "marker": {"color": colour, "symbol": "diamond", "size": 12},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [ends.high - median.place],
            "arrayminus": [median.place - ends.low],
            "color": colour,
            "thickness": 2,
            "width": 6,
        },
    }
