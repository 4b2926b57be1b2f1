"""Bars as a Plotly figure, stacked or side by side.

Colours are given for both themes; each series has a pattern of its own too, so that colour never stands alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from kb.charts.chart import Heading
from kb.charts.plotly import SURFACE, PlotlyJson, safe, safe_lines
from kb.charts.samples import small_note
from kb.core.intervals import Interval

# Hues after Okabe & Ito (2008), which common colour blindness keeps apart, made darker on paper and lighter in the
# dark until each stands 3:1 against the ground.
COLOURS: Mapping[str, tuple[str, ...]] = {
    "light": ("#00659e", "#bd4b00", "#00785a", "#9c4880", "#8a6500", "#3d7fa6", "#5a5e66", "#6e6a00"),
    "dark": ("#5ab4ea", "#ee8b4e", "#35c79a", "#e09ac2", "#e6a520", "#a9d2ee", "#b9bcc4", "#e8df4f"),
}
GROUNDS = {"light": "#fbfaf6", "dark": "#15171b"}
INKS = {"light": "#101317", "dark": "#faf8f3"}
PATTERNS = ("", "/", ".", "x", "\\", "-", "+", "|")
ROW_PIXELS, SIDE_PIXELS, COLUMN_PIXELS, SIDE_BARS_PIXELS = 34, 190, 26, 150
HEIGHT, AROUND, LEGEND_PIXELS = 340, 90, 40
NAME = 26  # characters
SHARE_END = 1.12
# How a small sample's mark looks.
HOLLOW, FADED = "rgba(128,128,128,0.08)", 0.65


@dataclass(frozen=True)
class Bar:
    """A bar: its length, the text at its end and on hover, the query of its issues, its interval; hollow if small."""

    value: float
    text: str = ""
    hover: tuple[str, ...] = ()
    query: str = ""
    interval: Interval | None = None
    is_small: bool = False


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
) -> PlotlyJson:
    """The figure; `upright`: places stand side by side; `mode`: `stack` or `group`; `share`: lengths are parts of 1.

    `customdata` holds the query of each bar's issues, `themes` what differs between light and dark.
    """
    themes = {}
    for theme in COLOURS:
        looks = [_look(theme, number, _in_places(places, each)) for number, each in enumerate(series)]
        themes[theme] = {"traces": looks}
    return {
        "data": [_trace(places, each, upright=upright) for each in series],
        "layout": _layout(places, upright=upright, mode=mode, share=share, has_legend=len(series) > 1),
        "themes": themes,
        "min_width": SIDE_PIXELS + (COLUMN_PIXELS * len(places) if upright else SIDE_BARS_PIXELS),
    }


def _layout(places: Sequence[Heading], *, upright: bool, mode: str, share: bool, has_legend: bool) -> PlotlyJson:
    height = HEIGHT
    if not upright:
        bars_each = 2 if mode == "group" and has_legend else 1
        height = AROUND + ROW_PIXELS * len(places) * bars_each
        if has_legend:
            height += LEGEND_PIXELS
    numbers: PlotlyJson = {"fixedrange": True, "zeroline": False, "automargin": True, "rangemode": "tozero"}
    if share:
        end = 1.005 if has_legend else SHARE_END
        numbers |= {"range": [0, end], "tickformat": ".0%", "tickvals": [0, 0.25, 0.5, 0.75, 1]}
    numbers["gridcolor"] = "rgba(128,128,128,0.3)"
    if upright:
        axes = {"yaxis": numbers, "xaxis": _category_axis(places, [safe(place.name) for place in places])}
    else:
        names = _category_axis(places, [_place_name(place) for place in places])
        axes = {"xaxis": numbers, "yaxis": names | {"autorange": "reversed"}}
    return {
        "height": height,
        "margin": {"l": 8, "r": 12, "t": 8, "b": 8},
        **SURFACE,
        "bargap": 0.25,
        "barmode": mode,
        "showlegend": has_legend,
        "legend": {
            "orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "itemclick": False, "itemdoubleclick": False,
            "traceorder": "normal",
        },
        **axes,
    }  # fmt: skip


def _place_name(place: Heading) -> str:
    """The name, and the words for a small sample where the heading has its number of issues."""
    small = "" if place.issues is None else small_note(place.issues)
    return safe_lines([*wrap(place.name, NAME), *([small] if small else [])])


def _in_places(places: Sequence[Heading], series: Series) -> list[Bar]:
    """The bars that there are, in the order of the places."""
    return [series.bars[place.code] for place in places if place.code in series.bars]


def _trace(places: Sequence[Heading], series: Series, *, upright: bool) -> PlotlyJson:
    shown = [place for place in places if place.code in series.bars]
    bars = _in_places(places, series)
    along, across = ("y", "x") if upright else ("x", "y")
    trace: PlotlyJson = {
        "type": "bar",
        "name": safe(series.name),
        "orientation": "v" if upright else "h",
        across: [place.code for place in shown],
        along: [bar.value for bar in bars],
        "text": [bar.text for bar in bars],
        "textposition": "outside" if any(bar.text for bar in bars) else "none",
        "cliponaxis": False,
        "hovertext": [safe_lines([place.name, *series.bars[place.code].hover]) for place in shown],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "customdata": [bar.query for bar in bars],
    }
    if any(bar.interval for bar in bars):
        trace[f"error_{along}"] = _error_bars(bars)
        # At the bar's end stands its interval, so the text stands at its foot.
        trace["textposition"] = "none"
    return trace


def _error_bars(bars: Sequence[Bar]) -> PlotlyJson:
    above, below = [], []
    for bar in bars:
        interval = bar.interval or Interval(bar.value, bar.value)
        above.append(interval.high - bar.value)
        below.append(bar.value - interval.low)
    return {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "thickness": 1.5, "width": 4}


def _look(theme: str, number: int, bars: Sequence[Bar]) -> PlotlyJson:
    """The colours of a series in a theme, to be laid over its trace; bars of small samples are hollow."""
    kind = number % len(PATTERNS)
    colour, ground = COLOURS[theme][kind], GROUNDS[theme]
    pattern = {"shape": PATTERNS[kind], "fillmode": "overlay", "fgcolor": ground, "size": 7, "solidity": 0.25}
    marker: PlotlyJson = {"color": colour, "pattern": pattern, "line": {"color": ground, "width": 1}}
    if any(bar.is_small for bar in bars):
        fills = {True: HOLLOW, False: colour}
        edges = {True: colour, False: ground}
        marker["color"] = [fills[bar.is_small] for bar in bars]
        marker["opacity"] = [{True: FADED, False: 1}[bar.is_small] for bar in bars]
        marker["line"] = {"color": [edges[bar.is_small] for bar in bars], "width": 1.5}
    return {
        "marker": marker,
        "error_x": {"color": INKS[theme]},
        "error_y": {"color": INKS[theme]},
    }


def _category_axis(places: Sequence[Heading], names: Sequence[str]) -> PlotlyJson:
    codes = [place.code for place in places]
    return {
        "type": "category",
        "tickmode": "array",
        "tickvals": codes,
        "ticktext": names,
        "categoryorder": "array",
        "categoryarray": codes,
        "automargin": True,
        "fixedrange": True,
        "showgrid": False,
        "ticks": "",
    }
