"""Charts that set two questions against each other: a heat map of counts, shares or lift."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kb.charts.chart import Choice, Counted, Drawn, Heading, Option, Record
from kb.charts.counting import Crossed, combinations, cross
from kb.charts.dimensions import YEAR, Categories, Dimension, Queries, categories
from kb.charts.evidence import Evidence
from kb.charts.heat_map import Grid, Measure, Pair, heat_map, ranking, table
from kb.charts.samples import in_order, is_drawn, left_out

LEVELS = Option("level", "Level", (Choice("1", "Groups"), Choice("2", "Categories")))
COUNTING = (
    "Each issue counts once in each cell, and in several cells when it has several of the categories. Only issues that "
    "answer both questions are counted."
)
INTERVALS = "Intervals are at 95 %: Wilson's for shares, MOVER-R from Wilson's for the lift (Donner and Zou 2012)."


@dataclass(frozen=True, kw_only=True)
class CrossedChart:
    """A heat map of the categories of two questions."""

    slug: str
    title: str
    lead: str
    row: Dimension
    column: Dimension
    measure: Measure = Measure.COUNT

    @property
    def options(self) -> tuple[Option, ...]:
        """What a cell shows, with the chart's own measure first, and the level of the categories."""
        measures = [
            Choice("count", "Issues", f"How many issues have both the {self.row.one} and the {self.column.one}."),
            Choice(
                "share", "Share", f"Of the issues with the {self.row.one}, the share that has the {self.column.one}."
            ),
            Choice(
                "lift",
                "Lift",
                f"How many times more often the {self.column.one} goes with this {self.row.one} than with any issue "
                "that is counted: 1× is no more than usual.",
            ),
        ]
        measures.sort(key=lambda choice: choice.value != self.measure.value)
        measure = Option("measure", "Show", tuple(measures))
        return (measure, LEVELS) if self.row.is_answer or self.column.is_answer else (measure,)

    @property
    def method(self) -> str:
        """How the numbers are computed."""
        return f"{COUNTING} Shares are of the issues with the row's {self.row.one}. {INTERVALS}"

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
        """Count the evidence and draw."""
        by_key = categories(evidence, (self.row, self.column), int(chosen.get("level", "1")))
        rows, columns = by_key[self.row.key], by_key[self.column.key]
        crossed = cross(combinations(evidence, (self.row.key, self.column.key)), rows.implied, columns.implied)
        whole = self._grid(evidence, crossed, rows, columns)
        grid = self._drawn(whole)
        measure = Measure(chosen["measure"])
        condition = f"whose {self.row.one} and {self.column.one} are both known"
        notes = []
        if crossed.beyond:
            are = "1 issue is" if crossed.beyond == 1 else f"{crossed.beyond} issues are"
            notes.append(f"{are} in no cell: labelled only with a group. Choose the level “Groups” to see all.")
        notes += left_out([(heading.name, heading.issues or 0) for heading in (*whole.rows, *whole.columns)])
        notes += [*_unseen(rows, whole.rows), *_unseen(columns, whole.columns)]
        notes.append("What goes together need not be cause and effect in your case: open the issues and compare.")
        return Drawn(
            counted=Counted(crossed.answered, crossed.all_issues, condition),
            figure=heat_map(grid, measure) if grid.pairs else {},
            table=table(grid, measure),
            records=self._records(whole),
            notes=tuple(notes),
            sentence=_sentence(grid),
            ranking=ranking(grid, measure),
        )

    def _grid(self, evidence: Evidence, crossed: Crossed, rows: Categories, columns: Categories) -> Grid:
        """The pairs with the most frequent first."""
        queries = Queries(evidence, rows, columns)
        pairs = {}
        for (row, column), issues in sorted(crossed.pairs.items(), key=lambda item: (-item[1], item[0])):
            pairs[row, column] = Pair(
                issues, crossed.rows[row], crossed.columns[column], crossed.answered, queries.at(row, column)
            )
        row_headings, column_headings = _headings(rows, crossed.rows), _headings(columns, crossed.columns)
        return Grid(self.row.one, self.column.one, row_headings, column_headings, pairs)

    def _drawn(self, grid: Grid) -> Grid:
        """The grid without categories of too few issues, and with small samples last; years stay in their order."""
        rows, columns = _drawn_headings(grid.rows, self.row), _drawn_headings(grid.columns, self.column)
        codes = {heading.code for heading in rows}, {heading.code for heading in columns}
        pairs = {key: pair for key, pair in grid.pairs.items() if key[0] in codes[0] and key[1] in codes[1]}
        return replace(grid, rows=rows, columns=columns, pairs=pairs)

    def _records(self, grid: Grid) -> list[Record]:
        row_names = {heading.code: heading.name for heading in grid.rows}
        column_names = {heading.code: heading.name for heading in grid.columns}
        row_key, column_key = self.row.key, self.column.key
        return [
            {
                row_key: row,
                f"{row_key}_name": row_names[row],
                column_key: column,
                f"{column_key}_name": column_names[column],
                "issues": pair.issues,
                f"{row_key}_issues": pair.row_issues,
                f"{column_key}_issues": pair.column_issues,
                "all_issues": pair.all_issues,
                **pair.share.record(),
                "lift": pair.lift.ratio,
                "lift_low": pair.lift.interval.low,
                "lift_high": pair.lift.interval.high,
                "query": pair.query,
            }
            for (row, column), pair in grid.pairs.items()
        ]


def _headings(categories: Categories, totals: Mapping[str, int]) -> tuple[Heading, ...]:
    """The categories that occur, in their own order: a codebook's, the alphabet's, or time's."""
    ordered = categories.headings or [Heading(code, code) for code in sorted(totals)]
    return tuple(replace(heading, issues=totals[heading.code]) for heading in ordered if totals.get(heading.code))


def _drawn_headings(headings: Sequence[Heading], dimension: Dimension) -> tuple[Heading, ...]:
    if dimension == YEAR:
        return tuple(heading for heading in headings if is_drawn(heading.issues or 0))
    return tuple(in_order(headings, lambda heading: heading.issues or 0))


def _unseen(categories: Categories, shown: Sequence[Heading]) -> list[str]:
    """A note of the active categories that no issue has; none for what people do not answer."""
    if not categories.dimension.is_answer:
        return []
    shown_codes = {heading.code for heading in shown}
    names = []
    for heading in categories.headings:
        if heading.code not in shown_codes and categories.tree.by_code[heading.code].is_active:
            names.append(heading.name)
    return [f"No issue here has this {categories.dimension.one}: {', '.join(names)}."] if names else []


def _sentence(grid: Grid) -> str:
    """The most frequent pair, in words."""
    if not grid.pairs:
        return ""
    row, column = next(iter(grid.pairs))
    pair = grid.pairs[row, column]
    row_name = next(heading.name for heading in grid.rows if heading.code == row)
    column_name = next(heading.name for heading in grid.columns if heading.code == column)
    return f"Most often: {row_name} and {column_name}, {pair.issues} of {pair.row_issues} issues, {pair.share.text}."
