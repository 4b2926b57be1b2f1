"""A heat map: one grid of numbers as a Plotly figure and as the table beside it.

What is counted is `kb.charts.crossed`; a click on a cell asks for the issues of the query that the grid gives it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from math import log2
from textwrap import shorten, wrap
from typing import NamedTuple

from kb.charts.chart import Cell, Heading, Ranked, Row, Table, named
from kb.charts.figures import times, times_range
from kb.charts.lift import Lift, lift
from kb.charts.plotly import CLICK, SURFACE, PlotlyJson, safe, safe_lines
from kb.charts.shares import Share


class Colours(NamedTuple):
    """A theme's colours of writing and of the two scales."""

    ink: str
    single: tuple[str, ...]
    diverging: tuple[str, ...]


# One hue whose strength follows the number reads the same with any colour vision and in grey; for the lift two
# hues, orange below 1 and teal above, that common colour blindness keeps apart. Every shade bears the theme's ink.
COLOURS = {
    "light": Colours("#101317", single=("#e3efef", "#3f9aac"), diverging=("#e08a3c", "#f2f0e9", "#3f9aac")),
    "dark": Colours("#faf8f3", single=("#22363d", "#1f6f80"), diverging=("#a85a12", "#2a2e35", "#1f6f80")),
}
LIFT_SPAN = 3  # doublings to either side at which the lift's colours end
SHADES = 5
PALE = 0.3  # how strong the colours of small samples are
ROW_PIXELS, HEAD_PIXELS = 42, 215
CELL_PIXELS, ROW_HEAD_PIXELS = 58, 190
ROW_NAME, CUT_NAME = 26, 40  # characters
# More causes than these are too many for a table with a column each.
MANY_COLUMNS = 18
RANKED = 15


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
    def share(self) -> Share:
        """P(column | row)."""
        return Share(self.issues, self.row_issues)

    @cached_property
    def lift(self) -> Lift:
        """How many times more often than the column's base rate, with its interval."""
        return lift(both=self.issues, one=self.row_issues, other=self.column_issues, of=self.all_issues)


@dataclass(frozen=True)
class Grid:
    """Rows, columns and the pairs that occur, by their codes; `row` and `column` name one of each."""

    row: str
    column: str
    rows: tuple[Heading, ...]
    columns: tuple[Heading, ...]
    pairs: Mapping[tuple[str, str], Pair]

    @property
    def most_issues(self) -> int:
        """The largest number of issues in one pair."""
        return max((pair.issues for pair in self.pairs.values()), default=1)


def table(grid: Grid, measure: Measure) -> Table:
    """The grid as a table: a column for each category, or, where these are too many, a line for each pair."""
    if len(grid.columns) > MANY_COLUMNS:
        return _pair_table(grid)
    rows = tuple(Row(row, _cells(grid, row, measure), is_weak=row.is_small) for row in grid.rows)
    return Table(f"{grid.row} \\ {grid.column}".capitalize(), grid.columns, rows, is_grid=True)


def ranking(grid: Grid, measure: Measure) -> tuple[Ranked, ...]:
    """The pairs with the highest numbers, small samples last: what a phone shows of the map."""
    cells = []
    for row in grid.rows:
        for column, cell in zip(grid.columns, _cells(grid, row, measure), strict=True):
            if cell.value is not None:
                cells.append((row, column, cell))
    cells.sort(key=lambda place: (place[0].is_small, -(place[2].value or 0)))
    shown = cells[:RANKED]
    most = max((cell.value or 0 for _, _, cell in shown), default=1)
    ranked = []
    for row, column, cell in shown:
        details = (*cell.details, *([row.size] if row.is_small else []))
        width = round(100 * (cell.value or 0) / most)
        ranked.append(Ranked(f"{row.name} → {column.name}", cell.text, width, details, cell.query, row.is_small))
    return tuple(ranked)


def _pair_table(grid: Grid) -> Table:
    """The pairs one by one, by row, the most frequent column first."""
    rows = []
    for row in grid.rows:
        columns = [column for column in grid.columns if (row.code, column.code) in grid.pairs]
        columns.sort(key=lambda column: -grid.pairs[row.code, column.code].issues)
        for column in columns:
            pair = grid.pairs[row.code, column.code]
            cells = (
                Cell(None, column.name),
                *pair.share.cells(pair.query),
                Cell(pair.lift.ratio, times(pair.lift.ratio), details=(times_range(pair.lift.interval),)),
            )
            rows.append(Row(row, cells, is_weak=pair.share.is_small))
    names = named(grid.column.capitalize(), "Issues", "Share", "95 % interval", "Lift")
    return Table(grid.row.capitalize(), names, tuple(rows))


def _cells(grid: Grid, row: Heading, measure: Measure) -> tuple[Cell, ...]:
    """A row's cells in the measure, one for each column."""
    most_issues = grid.most_issues
    cells = []
    for column in grid.columns:
        pair = grid.pairs.get((row.code, column.code))
        if pair is None:
            cells.append(Cell(None, "0" if measure is Measure.COUNT else "–"))
        elif measure is Measure.COUNT:
            cells.append(Cell(float(pair.issues), str(pair.issues), (), _shade(pair.issues / most_issues), pair.query))
        elif measure is Measure.SHARE:
            share = pair.share
            details = (f"{pair.issues} of {pair.row_issues}", share.range)
            cells.append(Cell(share.value, share.percent, details, _shade(share.value), pair.query))
        else:
            ratio, counts = pair.lift.ratio, f"{pair.issues} of {pair.row_issues}"
            cells.append(Cell(ratio, times(ratio), (counts,), _lift_shade(ratio), pair.query))
    return tuple(cells)


def _shade(part: float) -> str:
    """The name of a cell's background: `up-1` to `up-5`."""
    return f"up-{max(1, round(part * SHADES))}"


def _lift_shade(ratio: float) -> str:
    """The name of a cell's background: `up-1` to `up-5`, `down-1` to `down-5` for a lift below 1, none for about 1."""
    doublings = log2(ratio)
    step = min(SHADES, round(abs(doublings) / LIFT_SPAN * SHADES))
    if step == 0:
        return ""
    return f"up-{step}" if doublings > 0 else f"down-{step}"


def heat_map(grid: Grid, measure: Measure) -> PlotlyJson:
    """The grid as a Plotly figure, with what the page's script needs beside it.

    `customdata` holds the query of each cell's issues. `themes` holds the colours of both themes: the script puts in
    the right ones. Cells without a pair stay empty.
    """
    trace: PlotlyJson = {
        "type": "heatmap",
        "x": [column.code for column in grid.columns],
        "y": [row.code for row in grid.rows],
        "z": [],
        "text": [],
        "hovertext": [],
        "customdata": [],
        "texttemplate": "%{text}",
        "hovertemplate": "%{hovertext}<extra></extra>",
        "hoverongaps": False,
        "xgap": 2,
        "ygap": 2,
        **_range(grid, measure),
    }
    for row in grid.rows:
        cells = _cells(grid, row, measure)
        trace["z"].append([_height(cell.value, measure, pale=row.is_small) for cell in cells])
        trace["text"].append([cell.text if cell.query else "" for cell in cells])
        trace["hovertext"].append([_hover(grid, row, column) for column in grid.columns])
        trace["customdata"].append([cell.query for cell in cells])
    themes = {}
    for theme, colours in COLOURS.items():
        stops = colours.diverging if measure is Measure.LIFT else colours.single
        scale = [[number / (len(stops) - 1), colour] for number, colour in enumerate(stops)]
        themes[theme] = {"ink": colours.ink, "scale": scale}
    return {
        "data": [trace],
        "layout": _layout(grid),
        "themes": themes,
        "min_width": ROW_HEAD_PIXELS + CELL_PIXELS * len(grid.columns),
    }


def _frames(grid: Grid) -> list[PlotlyJson]:
    """A dotted line around each row that is a small sample: such rows are pale, their numbers are not."""
    frames = []
    for place, row in enumerate(grid.rows):
        if row.is_small:
            line = {"color": "rgb(128,128,128)", "width": 1, "dash": "dot"}
            across = {"xref": "paper", "x0": 0, "x1": 1, "y0": place - 0.47, "y1": place + 0.47}
            frames.append({"type": "rect", **across, "line": line})
    return frames


def _height(value: float | None, measure: Measure, *, pale: bool) -> float | None:
    """What the colour follows: doublings for the lift, so that half and twice are equally far from 1."""
    if value is None:
        return None
    height = log2(value) if measure is Measure.LIFT else value
    return height * PALE if pale else height


def _range(grid: Grid, measure: Measure) -> PlotlyJson:
    """Where the colours begin and end; no colour bar: every cell has its number in it."""
    if measure is Measure.LIFT:
        return {"zmin": -LIFT_SPAN, "zmax": LIFT_SPAN, "showscale": False}
    most = 1 if measure is Measure.SHARE else grid.most_issues
    return {"zmin": 0, "zmax": most, "showscale": False}


def _layout(grid: Grid) -> PlotlyJson:
    columns = [safe(shorten(column.name, CUT_NAME, placeholder=" …")) for column in grid.columns]
    rows = [safe_lines([*wrap(row.name, ROW_NAME), *([row.size] if row.is_small else [])]) for row in grid.rows]
    return {
        "height": HEAD_PIXELS + ROW_PIXELS * len(grid.rows),
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        **SURFACE,
        "shapes": _frames(grid),
        "xaxis": _axis(grid.columns, columns) | {"side": "top", "tickangle": -45},
        "yaxis": _axis(grid.rows, rows) | {"autorange": "reversed"},
    }


def _axis(headings: Sequence[Heading], names: Sequence[str]) -> PlotlyJson:
    return {
        "type": "category",
        "tickmode": "array",
        "tickvals": [heading.code for heading in headings],
        "ticktext": names,
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
        f"{safe(row.name)} → {safe(column.name)}",
        f"{pair.issues} of {pair.row_issues} issues with this {grid.row}: {pair.share.text}",
        f"lift {times(pair.lift.ratio)} (95 % interval {times_range(pair.lift.interval)}), "
        f"over {pair.all_issues} issues",
        *pair.share.small_details,
    ]
    return "<br>".join([*lines, CLICK])
