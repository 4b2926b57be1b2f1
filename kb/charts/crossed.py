"""Charts that set two questions against each other: a heat map of counts, shares or lift."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from kb.charts.chart import Choice, Counted, Drawn, Heading, Option
from kb.charts.counting import Crossed, combinations, cross
from kb.charts.dimensions import Categories, Dimension, Queries, categories
from kb.charts.evidence import Evidence
from kb.charts.figures import FEW, is_few, percent, percent_range
from kb.charts.heat_map import Grid, Measure, Pair, heat_map, table

LEVELS = Option("level", "Level", (Choice("1", "Groups"), Choice("2", "Categories")))
COUNTING = (
    "Each issue counts once in each cell, and in several cells when it has several of the categories. Only issues that "
    "answer both questions are counted."
)
INTERVALS = (
    "Intervals are at 95 %: Wilson's for shares, MOVER-R from Wilson's for the lift (Donner and Zou 2012). A share of "
    "fewer than 10 issues is marked with a star."
)


@dataclass(frozen=True)
class CrossedChart:
    """Rows against columns."""

    slug: str
    title: str
    lead: str
    row: Dimension
    column: Dimension
    measure: Measure = Measure.COUNT

    @property
    def options(self) -> tuple[Option, ...]:
        """What a cell shows, and how fine categories are."""
        first = {"count": 0, "share": 1, "lift": 2}[self.measure.value]
        measures = self._measures()
        measure = Option("measure", "Show", (measures[first], *measures[:first], *measures[first + 1 :]))
        return (measure, LEVELS) if self.row.is_answer or self.column.is_answer else (measure,)

    def _measures(self) -> tuple[Choice, ...]:
        row, column = self.row, self.column
        return (
            Choice("count", "Issues", f"How many issues have both the {row.one} and the {column.one}."),
            Choice("share", "Share", f"Of the issues with the {row.one}, the share that has the {column.one}."),
            Choice(
                "lift",
                "Lift",
                f"How many times more often the {column.one} goes with this {row.one} than with any issue that is "
                "counted: 1× is no more than usual.",
            ),
        )

    @property
    def method(self) -> str:
        """How it is computed."""
        return f"{COUNTING} Shares are of the issues with the row's {self.row.one}. {INTERVALS}"

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
        """Count and draw."""
        found = categories(evidence, (self.row, self.column), int(chosen.get("level", "1")))
        rows, columns = found[self.row.key], found[self.column.key]
        crossed = cross(combinations(evidence, (self.row.key, self.column.key)), rows.implied, columns.implied)
        grid = self._grid(evidence, crossed, rows, columns)
        measure = Measure(chosen["measure"])
        return Drawn(
            counted=Counted(
                crossed.answered, crossed.all_issues, f"whose {self.row.one} and {self.column.one} are both known"
            ),
            figure=heat_map(grid, measure),
            table=table(grid, measure),
            records=[self._record(grid, place, pair) for place, pair in grid.pairs.items()],
            notes=(*_too_coarse(crossed.beyond), *self._notes(grid, rows, columns, measure)),
            sentence=_sentence(grid),
        )

    def _grid(self, evidence: Evidence, crossed: Crossed, rows: Categories, columns: Categories) -> Grid:
        queries = Queries(evidence, rows, columns)
        pairs = {
            (row, column): Pair(
                issues, crossed.rows[row], crossed.columns[column], crossed.answered, queries.at(row, column)
            )
            for (row, column), issues in crossed.pairs.items()
        }
        return Grid(
            self.row.one,
            self.column.one,
            _headings(rows, crossed.rows),
            _headings(columns, crossed.columns),
            dict(sorted(pairs.items(), key=lambda place: (-place[1].issues, place[0]))),
        )

    def _record(self, grid: Grid, place: tuple[str, str], pair: Pair) -> dict[str, Any]:
        names = {heading.code: heading.name for heading in (*grid.rows, *grid.columns)}
        row, column = self.row.key, self.column.key
        return {
            row: place[0],
            f"{row}_name": names[place[0]],
            column: place[1],
            f"{column}_name": names[place[1]],
            "issues": pair.issues,
            f"{row}_issues": pair.row_issues,
            f"{column}_issues": pair.column_issues,
            "all_issues": pair.all_issues,
            "share": pair.share,
            "share_low": pair.interval.low,
            "share_high": pair.interval.high,
            "lift": pair.lift.ratio,
            "lift_low": pair.lift.interval.low,
            "lift_high": pair.lift.interval.high,
            "query": pair.query,
        }

    def _notes(self, grid: Grid, rows: Categories, columns: Categories, measure: Measure) -> tuple[str, ...]:
        weak = [f"{row.name} (n = {row.issues})" for row in grid.rows if is_few(row.issues or 0)]
        notes = []
        if measure is not Measure.COUNT and weak:
            notes.append(f"* Fewer than {FEW} issues in the row, so shares and lifts say little: {', '.join(weak)}.")
        for one, shown in ((rows, grid.rows), (columns, grid.columns)):
            known = {heading.code for heading in shown}
            unseen = [h.name for h in one.headings if h.code not in known and _is_active(one, h.code)]
            if unseen and one.dimension.is_answer:
                notes.append(f"No issue here has this {one.dimension.one}: {', '.join(unseen)}.")
        return (*notes, "What goes together need not be cause and effect in your case: open the issues and compare.")


def _sentence(grid: Grid) -> str:
    """The most frequent pair, in words."""
    if not grid.pairs:
        return ""
    names = {heading.code: heading.name for heading in (*grid.rows, *grid.columns)}
    (row, column), pair = next(iter(grid.pairs.items()))
    share = f"{percent(pair.share)} (95 % interval {percent_range(pair.interval)})"
    return f"Most often: {names[row]} and {names[column]}, {pair.issues} of {pair.row_issues} issues, {share}."


def _too_coarse(beyond: int) -> tuple[str, ...]:
    if not beyond:
        return ()
    are = "1 issue is" if beyond == 1 else f"{beyond} issues are"
    return (f"{are} in no cell: labelled only with a group. Choose the level “Groups” to see all.",)


def _is_active(one: Categories, code: str) -> bool:
    return one.tree.by_code[code].is_active if code in one.tree.by_code else True


def _headings(one: Categories, totals: Mapping[str, int]) -> tuple[Heading, ...]:
    """The categories that occur, in their own order: a codebook's, the alphabet's, or time's."""
    ordered = one.headings or tuple(Heading(code, code) for code in sorted(totals))
    return tuple(replace(heading, issues=totals[heading.code]) for heading in ordered if totals.get(heading.code))
