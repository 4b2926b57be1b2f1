"""A heat map: one grid of numbers as a Plotly figure and as the table beside it.

Pure: a grid of counts in, plain values out. What is counted is `kb.charts.crossed`; a click on a cell asks for the
issues of the query that the grid gives it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from html import escape
from math import log2
from textwrap import shorten, wrap
from typing import Any

from kb.charts.chart import Cell, Heading, Row, Table
from kb.charts.figures import few_note, is_few, percent, percent_range, times, times_range
from kb.charts.intervals import Interval, wilson
from kb.charts.lift import Lift, lift

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
class Pair:
    """A row's and a column's category that occur together, with the counts that every measure comes from."""

    issues: int
    row_issues: int
    column_issues: int
    all_issues: int
    query: str

    @property
    def share(self) -> float:
        """P(column | row)."""
        return self.issues / self.row_issues

    @property
    def interval(self) -> Interval:
        """Wilson's interval of the share at 95 %."""
        return wilson(self.issues, self.row_issues)

    @cached_property
    def lift(self) -> Lift:
        """How many times more often than the column's base rate, with its interval."""
        return lift(both=self.issues, one=self.row_issues, other=self.column_issues, of=self.all_issues)


@dataclass(frozen=True)
class Grid:
    """Rows, columns and the pairs that occur, by their codes; `row` and `column` say what one of each is."""

    row: str
    column: str
    rows: tuple[Heading, ...]
    columns: tuple[Heading, ...]
    pairs: Mapping[tuple[str, str], Pair]


def table(grid: Grid, measure: Measure) -> Table:
    """The grid as a table: a column for each category, or, where these are too many, a line for each pair."""
    return _pairs(grid) if len(grid.columns) > MANY_COLUMNS else _crossed(grid, measure)


def _crossed(grid: Grid, measure: Measure) -> Table:
    most = _most(grid)
    rows = (
        Row(row, tuple(_cell(grid.pairs.get((row.code, column.code)), measure, most) for column in grid.columns))
        for row in grid.rows
    )
    return Table(f"{grid.row} \\ {grid.column}".capitalize(), grid.columns, tuple(rows), is_grid=True)


def _pairs(grid: Grid) -> Table:
    """The pairs one by one, by row, the most frequent column first."""
    names = (grid.column.capitalize(), "Issues", "Share", "95 % interval", "Lift")
    rows = []
    for row in grid.rows:
        found = [(grid.pairs[row.code, c.code], c) for c in grid.columns if (row.code, c.code) in grid.pairs]
        for pair, column in sorted(found, key=lambda place: -place[0].issues):
            rows.append(Row(row, _pair_cells(pair, column), is_weak=is_few(pair.row_issues)))
    return Table(grid.row.capitalize(), tuple(Heading(name, name) for name in names), tuple(rows))


def _pair_cells(pair: Pair, column: Heading) -> tuple[Cell, ...]:
    few = few_note(pair.row_issues)
    return (
        Cell(None, column.name),
        Cell(pair.issues, f"{pair.issues} of {pair.row_issues}", query=pair.query),
        Cell(pair.share, percent(pair.share)),
        Cell(None, percent_range(pair.interval), details=(few,) if few else ()),
        Cell(pair.lift.ratio, times(pair.lift.ratio), details=(times_range(pair.lift.interval),)),
    )


def value(pair: Pair, measure: Measure) -> float:
    """The pair's number in the measure."""
    return {Measure.COUNT: float(pair.issues), Measure.SHARE: pair.share, Measure.LIFT: pair.lift.ratio}[measure]


def written(pair: Pair, measure: Measure) -> str:
    """The pair's number as people read it."""
    if measure is Measure.COUNT:
        return str(pair.issues)
    number = percent(pair.share) if measure is Measure.SHARE else times(pair.lift.ratio)
    return f"{number} *" if is_few(pair.row_issues) else number


def _most(grid: Grid) -> int:
    """The largest number of issues in one pair."""
    return max((pair.issues for pair in grid.pairs.values()), default=1)


def _cell(pair: Pair | None, measure: Measure, most: int) -> Cell:
    if pair is None:
        return Cell(None, "0" if measure is Measure.COUNT else "–")
    basis = f"{pair.issues} of {pair.row_issues}"
    details = {
        Measure.COUNT: (),
        Measure.SHARE: (basis, percent_range(pair.interval)),
        Measure.LIFT: (basis,),
    }
    shade = _shade(pair, measure, most)
    return Cell(value(pair, measure), written(pair, measure), details[measure], shade, pair.query)


def _shade(pair: Pair, measure: Measure, most: int) -> str:
    """The name of the cell's background: `up-1` ... `up-5`, and `down-1` ... for a lift below 1."""
    if measure is Measure.LIFT:
        doublings = log2(pair.lift.ratio)
        step = min(SHADES, round(abs(doublings) / LIFT_SPAN * SHADES))
        return "" if step == 0 else f"up-{step}" if doublings > 0 else f"down-{step}"
    whole = most if measure is Measure.COUNT else 1
    return f"up-{max(1, round(value(pair, measure) / whole * SHADES))}"


def heat_map(grid: Grid, measure: Measure) -> dict[str, Any]:
    """The grid as a Plotly figure, with what the page's script needs beside it.

    `customdata` holds the query of each cell's issues. `themes` holds the colours of both themes: the script puts in
    the right ones. Cells without a pair stay empty.
    """
    rows = _crossed(grid, measure).rows
    trace = {
        "type": "heatmap",
        "x": [column.code for column in grid.columns],
        "y": [row.code for row in grid.rows],
        "z": [[_height(cell.value, measure) for cell in row.cells] for row in rows],
        "text": [[cell.text if cell.query else "" for cell in row.cells] for row in rows],
        "hovertext": [[_hover(grid, row, column) for column in grid.columns] for row in grid.rows],
        "customdata": [[cell.query for cell in row.cells] for row in rows],
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
        "min_width": ROW_HEAD_PIXELS + CELL_PIXELS * len(grid.columns),
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
        "height": HEAD_PIXELS + ROW_PIXELS * len(grid.rows),
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(128,128,128,0.07)",
        "dragmode": False,
        "xaxis": _axis(grid.columns, [shorten(c.name, CUT_NAME, placeholder=" …") for c in grid.columns])
        | {"side": "top", "tickangle": -45},
        "yaxis": _axis(grid.rows, ["\n".join(wrap(row.name, ROW_NAME)) for row in grid.rows])
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


def _hover(grid: Grid, row: Heading, column: Heading) -> str:
    pair = grid.pairs.get((row.code, column.code))
    if pair is None:
        return ""
    lines = [
        # Nothing bold: Plotly would set a style attribute for it, which the content policy forbids.
        f"{escape(row.name, quote=False)} → {escape(column.name, quote=False)}",
        f"{pair.issues} of {pair.row_issues} issues with this {grid.row}: {percent(pair.share)} "
        f"(95 % interval {percent_range(pair.interval)})",
        f"lift {times(pair.lift.ratio)} (95 % interval {times_range(pair.lift.interval)}), "
        f"over {pair.all_issues} issues",
    ]
    if is_few(pair.row_issues):
        lines.append(few_note(pair.row_issues))
    return "<br>".join([*lines, "Click to see these issues"])
