"""The symptom × cause map: one grid of numbers as a Plotly heat map and as the table beside it.

Pure: a grid of counts in, plain values out. Which links are counted is `kb.selectors.cause_links`; a
click on a cell opens the address that the grid gives it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from html import escape
from math import log2
from textwrap import shorten, wrap
from typing import Any

from kb.charts.figures import few_note, is_few, percent, percent_range, times
from kb.charts.intervals import Interval

# One hue whose strength follows the number reads the same with any colour vision and in grey; for the lift two
# hues, orange below 1 and teal above, that common colour blindness keeps apart. Every shade bears the theme's ink.
SCALES: dict[str, dict[str, Any]] = {
    "light": {"ink": "#101317", "one": ("#e3efef", "#3f9aac"), "two": ("#e08a3c", "#f2f0e9", "#3f9aac")},
    "dark": {"ink": "#faf8f3", "one": ("#22363d", "#1f6f80"), "two": ("#a85a12", "#2a2e35", "#1f6f80")},
}
LIFT_SPAN = 3  # doublings to either side at which the lift's colours end
SHADES = 5
ROW_PIXELS, HEAD_PIXELS = 42, 215
CELL_PIXELS, ROW_HEAD_PIXELS = 58, 190
ROW_NAME, CUT_NAME = 26, 40  # characters
# More causes than these are too many for a table with a column each.
MANY_COLUMNS = 16


class Measure(Enum):
    """What a cell shows."""

    COUNT = "count"
    SHARE = "share"
    LIFT = "lift"


@dataclass(frozen=True)
class Heading:
    """A row's or column's category: its name, its page and how many issues carry it."""

    code: str
    name: str
    issues: int
    url: str


@dataclass(frozen=True)
class Pair:
    """A symptom and a cause that occur together, with the counts that every measure comes from."""

    issues: int
    symptom_issues: int
    cause_issues: int
    all_issues: int
    interval: Interval
    url: str

    @property
    def share(self) -> float:
        """P(cause | symptom)."""
        return self.issues / self.symptom_issues

    @property
    def lift(self) -> float:
        """How many times more often than the cause's base rate."""
        return self.share / (self.cause_issues / self.all_issues)


@dataclass(frozen=True)
class Grid:
    """Symptoms (rows), causes (columns) and the pairs that occur, by their codes."""

    symptoms: tuple[Heading, ...]
    causes: tuple[Heading, ...]
    pairs: Mapping[tuple[str, str], Pair]


@dataclass(frozen=True)
class Cell:
    """A table cell: the number, how it is written, what stands behind it, and a shade for the eye.

    A share or lift over few issues is marked with a star.
    """

    value: float | None
    text: str
    details: tuple[str, ...] = ()
    shade: str = ""
    url: str = ""


@dataclass(frozen=True)
class PairRow:
    """A pair on a line of its own, with every measure."""

    symptom: Heading
    cause: Heading
    pair: Pair
    share: str
    interval: str
    lift: str
    few: str


@dataclass(frozen=True)
class Row:
    """A symptom's cells in the order of the causes."""

    heading: Heading
    cells: tuple[Cell, ...] = field(default_factory=tuple)


def table(grid: Grid, measure: Measure) -> tuple[Row, ...]:
    """The grid as table rows."""
    most = _most(grid)
    return tuple(
        Row(symptom, tuple(_cell(grid.pairs.get((symptom.code, cause.code)), measure, most) for cause in grid.causes))
        for symptom in grid.symptoms
    )


def pair_rows(grid: Grid) -> tuple[PairRow, ...]:
    """The grid's pairs one by one, by symptom, the most frequent cause first."""
    rows = []
    for symptom in grid.symptoms:
        found = [(grid.pairs[symptom.code, c.code], c) for c in grid.causes if (symptom.code, c.code) in grid.pairs]
        for pair, cause in sorted(found, key=lambda row: -row[0].issues):
            texts = percent(pair.share), percent_range(pair.interval), times(pair.lift), few_note(pair.symptom_issues)
            rows.append(PairRow(symptom, cause, pair, *texts))
    return tuple(rows)


def value(pair: Pair, measure: Measure) -> float:
    """The pair's number in the measure."""
    return {Measure.COUNT: float(pair.issues), Measure.SHARE: pair.share, Measure.LIFT: pair.lift}[measure]


def written(pair: Pair, measure: Measure) -> str:
    """The pair's number as people read it."""
    if measure is Measure.COUNT:
        return str(pair.issues)
    number = percent(pair.share) if measure is Measure.SHARE else times(pair.lift)
    return f"{number} *" if is_few(pair.symptom_issues) else number


def _most(grid: Grid) -> int:
    """The largest number of issues in one pair."""
    return max((pair.issues for pair in grid.pairs.values()), default=1)


def _cell(pair: Pair | None, measure: Measure, most: int) -> Cell:
    if pair is None:
        return Cell(None, "0" if measure is Measure.COUNT else "–")
    basis = f"{pair.issues} of {pair.symptom_issues}"
    details = {
        Measure.COUNT: (),
        Measure.SHARE: (basis, percent_range(pair.interval)),
        Measure.LIFT: (basis,),
    }
    shade = _shade(pair, measure, most)
    return Cell(value(pair, measure), written(pair, measure), details[measure], shade, pair.url)


def _shade(pair: Pair, measure: Measure, most: int) -> str:
    """The name of the cell's background: `up-1` ... `up-5`, and `down-1` ... for a lift below 1."""
    if measure is Measure.LIFT:
        doublings = log2(pair.lift)
        step = min(SHADES, round(abs(doublings) / LIFT_SPAN * SHADES))
        return "" if step == 0 else f"up-{step}" if doublings > 0 else f"down-{step}"
    whole = most if measure is Measure.COUNT else 1
    return f"up-{max(1, round(value(pair, measure) / whole * SHADES))}"


def heat_map(grid: Grid, measure: Measure) -> dict[str, Any]:
    """The grid as a Plotly figure, with what the page's script needs beside it.

    `customdata` holds each cell's address. `themes` holds the colours of both themes: the script puts in
    the right ones. Cells without a pair stay empty.
    """
    rows = table(grid, measure)
    trace = {
        "type": "heatmap",
        "x": [cause.code for cause in grid.causes],
        "y": [symptom.code for symptom in grid.symptoms],
        "z": [[_height(cell.value, measure) for cell in row.cells] for row in rows],
        "text": [[cell.text if cell.url else "" for cell in row.cells] for row in rows],
        "hovertext": [[_hover(grid, symptom, cause) for cause in grid.causes] for symptom in grid.symptoms],
        "customdata": [[cell.url for cell in row.cells] for row in rows],
        "texttemplate": "%{text}",
        "hovertemplate": "%{hovertext}<extra></extra>",
        "hoverongaps": False,
        "xgap": 2,
        "ygap": 2,
        **_range(grid, measure),
    }
    return {
        "data": [trace],
        "layout": _layout(grid),
        "themes": {
            theme: {"ink": colours["ink"], "scale": _scale(colours["two" if measure is Measure.LIFT else "one"])}
            for theme, colours in SCALES.items()
        },
        "min_width": ROW_HEAD_PIXELS + CELL_PIXELS * len(grid.causes),
    }


def _height(number: float | None, measure: Measure) -> float | None:
    """What the colour follows: doublings for the lift, so that half and twice are equally far from 1."""
    return log2(number) if number is not None and measure is Measure.LIFT else number


def _range(grid: Grid, measure: Measure) -> dict[str, Any]:
    """Where the colours begin and end; no colour bar: every cell has its number in it."""
    if measure is Measure.LIFT:
        return {"zmin": -LIFT_SPAN, "zmax": LIFT_SPAN, "showscale": False}
    most = 1 if measure is Measure.SHARE else _most(grid)
    return {"zmin": 0, "zmax": most, "showscale": False}


def _scale(stops: tuple[str, ...]) -> list[list[Any]]:
    return [[i / (len(stops) - 1), colour] for i, colour in enumerate(stops)]


def _layout(grid: Grid) -> dict[str, Any]:
    return {
        "height": HEAD_PIXELS + ROW_PIXELS * len(grid.symptoms),
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(128,128,128,0.07)",
        "dragmode": False,
        "xaxis": _axis(grid.causes, [shorten(c.name, CUT_NAME, placeholder=" …") for c in grid.causes])
        | {"side": "top", "tickangle": -45},
        "yaxis": _axis(grid.symptoms, ["\n".join(wrap(s.name, ROW_NAME)) for s in grid.symptoms])
        | {"autorange": "reversed"},
    }


def _axis(headings: tuple[Heading, ...], names: list[str]) -> dict[str, Any]:
    """An axis of categories; Plotly reads a little HTML in their names, so these are escaped."""
    return {
        "type": "category",
        "tickmode": "array",
        "tickvals": [heading.code for heading in headings],
        "ticktext": [escape(name, quote=False).replace("\n", "<br>") for name in names],
        "automargin": True,
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
    }


def _hover(grid: Grid, symptom: Heading, cause: Heading) -> str:
    pair = grid.pairs.get((symptom.code, cause.code))
    if pair is None:
        return ""
    lines = [
        f"<b>{escape(symptom.name, quote=False)} → {escape(cause.name, quote=False)}</b>",
        f"{pair.issues} of {pair.symptom_issues} issues with this symptom: {percent(pair.share)} "
        f"(95 % interval {percent_range(pair.interval)})",
        f"lift {times(pair.lift)}, over {pair.all_issues} issues",
    ]
    if is_few(pair.symptom_issues):
        lines.append(few_note(pair.symptom_issues))
    return "<br>".join([*lines, "Click to open these issues"])
