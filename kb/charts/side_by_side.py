"""Frameworks, components or years side by side: a dot plot of their shares of each category. Reads the database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kb.charts.bars import COLOURS, INKS
from kb.charts.chart import Cell, Choice, Counted, Drawn, Heading, Option, Record, Row, Table
from kb.charts.counting import combinations, tally
from kb.charts.crossed import LEVELS
from kb.charts.dimensions import (
    CAUSE,
    COMPONENT,
    FIX,
    FRAMEWORK,
    STAGE,
    SYMPTOM,
    YEAR,
    Categories,
    Dimension,
    Queries,
    categories,
)
from kb.charts.dots import share_axis
from kb.charts.dots_grouped import Mark, Marks, grouped_dots
from kb.charts.drawings import holders_of
from kb.charts.evidence import Evidence
from kb.charts.figures import issues_text
from kb.charts.plotly import CLICK
from kb.charts.samples import is_small, left_out
from kb.charts.shares import Share
from kb.charts.sides import Line, Sides, compare, tally_sides

SIDES = {dimension.key: dimension for dimension in (FRAMEWORK, COMPONENT, YEAR)}
ROWS = {dimension.key: dimension for dimension in (SYMPTOM, CAUSE, FIX, STAGE)}
BY = Option("by", "Compare", tuple(Choice(key, each.many.capitalize()) for key, each in SIDES.items()))
OF = Option("rows", "By", tuple(Choice(key, each.one.capitalize()) for key, each in ROWS.items()))
OPTIONS = (BY, OF, LEVELS)
# So many sides can be told apart, and so many rows be read.
MOST_SIDES, MOST_ROWS = 6, 20
METHOD = (
    "A dot is the share of a side’s issues with the category, of those whose category is known; its line is Wilson’s "
    "interval at 95 %. Sides differ where Newcombe’s interval of the difference of two shares leaves out 0 (1998, "
    "method 10), widened by Bonferroni’s correction for all pairs and categories. An issue on several of the sides is "
    "left out, so that they share none. Issues were not labelled at random: a difference may come from which were "
    "chosen."
)


@dataclass(frozen=True)
class SideBySide:
    """A comparison as it is drawn, with its numbers."""

    sides: Sides
    drawn: Drawn


def offered(evidence: Evidence, by: str) -> list[Heading]:
    """What can be compared, most issues first: every framework and component, and the years of labelled issues."""
    sides = _side_categories(evidence, SIDES[by])
    counts = tally(combinations(evidence, (by,)), sides.implied).counts
    names = {code: Heading(code, code) for code in counts} | {heading.code: heading for heading in sides.headings}
    headings = [replace(heading, issues=counts[code]) for code, heading in names.items()]
    return sorted(headings, key=lambda heading: (-(heading.issues or 0), heading.name))


def _side_categories(evidence: Evidence, dimension: Dimension) -> Categories:
    """The groups that can be sides: of answers, those of every level."""
    known = categories(evidence, (dimension,), 1)[dimension.key]
    return known.including(tuple(known.tree.branches.values())) if dimension.is_answer else known


def side_by_side(evidence: Evidence, wanted: Sequence[str], chosen: Mapping[str, str]) -> SideBySide:
    """Compare the wanted sides, by their codes; `chosen` holds a value for each of `OPTIONS`."""
    by, rows = SIDES[chosen["by"]], ROWS[chosen["rows"]]
    side_categories = _side_categories(evidence, by)
    row_categories = categories(evidence, (rows,), int(chosen["level"]))[rows.key]
    names = {heading.code: heading for heading in side_categories.headings}
    headings = [names.get(code, Heading(code, code)) for code in wanted]
    groups = []
    for side, answers, issues in combinations(evidence, (by.key, rows.key)):
        groups.append((side_categories.implied(side), row_categories.implied(answers), issues))
    sides = compare(tally_sides(groups, wanted), headings, row_categories.headings)
    queries = Queries(evidence, side_categories, row_categories)
    shown = sides.lines[:MOST_ROWS]
    marks = [_marks(sides, place, shown, queries) for place in range(len(sides.sides))]
    names_of_rows = [_row_name(line, sides) for line in shown]
    highest = [share.interval.high for line in shown for share in line.shares]
    axis = share_axis(f"Share of issues by {rows.one}", max(highest, default=1))
    drawn = Drawn(
        counted=Counted(sides.answered, sides.tallies.all_issues, f"whose {rows.one} is known"),
        figure=grouped_dots(names_of_rows, marks, axis),
        table=_table(rows.one.capitalize(), sides, shown, queries),
        records=_records(sides, queries, by.key, rows.key),
        notes=_notes(sides, by.many),
        sources=holders_of(evidence, sides.tallies.all_issues),
        sentence=_sentence(sides, rows.many),
    )
    return SideBySide(sides, drawn)


def _marks(sides: Sides, place: int, shown: Sequence[Line], queries: Queries) -> Marks:
    side = sides.sides[place]
    marks = []
    for line in shown:
        share = line.shares[place]
        query = queries.at(side.code, line.heading.code) if share.issues else ""
        texts = (line.heading.name, side.name, share.sentence, *share.small_details)
        marks.append(Mark(share.value, share.interval, (*texts, CLICK) if query else texts, query))
    colours = {theme: colours[place % len(colours)] for theme, colours in COLOURS.items()}
    return Marks(f"{side.name} ({side.size})", marks, is_small(side.issues or 0), colours, INKS)


def _row_name(line: Line, sides: Sides) -> tuple[str, str]:
    """The category, and which sides differ."""
    difference = line.difference
    if difference is None:
        return line.heading.name, ""
    return line.heading.name, f"{sides.sides[difference.higher].name} > {sides.sides[difference.lower].name}"


def _table(corner: str, sides: Sides, shown: Sequence[Line], queries: Queries) -> Table:
    rows = []
    for line in shown:
        cells = []
        for side, share in zip(sides.sides, line.shares, strict=True):
            query = queries.at(side.code, line.heading.code) if share.issues else ""
            cells.append(Cell(share.value, share.percent, (f"{share.issues} of {share.of}", share.range), "", query))
        cells.append(Cell(None, _row_name(line, sides)[1] or "–"))
        rows.append(Row(line.heading, tuple(cells)))
    return Table(corner, (*sides.sides, Heading("differ", "Differ")), tuple(rows), is_grid=True)


def _records(sides: Sides, queries: Queries, by: str, rows: str) -> list[Record]:
    records: list[Record] = []
    pairs = sides.tallies.pairs
    for line in sides.lines:
        for side in (*sides.sides, *sides.left_out):
            if not side.issues:
                continue
            share = Share(pairs[side.code, line.heading.code], side.issues)
            records.append(
                {
                    by: side.code,
                    f"{by}_name": side.name,
                    rows: line.heading.code,
                    f"{rows}_name": line.heading.name,
                    "issues": share.issues,
                    f"{by}_issues": share.of,
                    **share.record(),
                    "differ": _row_name(line, sides)[1],
                    "query": queries.at(side.code, line.heading.code),
                }
            )
    return records


def _notes(sides: Sides, many: str) -> tuple[str, ...]:
    notes = list(left_out([(side.name, side.issues or 0) for side in sides.left_out]))
    if sides.tallies.shared:
        notes.append(f"Left out, with several of these {many}: {issues_text(sides.tallies.shared)}.")
    if len(sides.lines) > MOST_ROWS:
        notes.append(f"Drawn are {MOST_ROWS} of {len(sides.lines)} categories; files hold all.")
    return tuple(notes)


def _sentence(sides: Sides, many: str) -> str:
    """The clearest difference, or that there is none."""
    if len(sides.sides) < 2:
        return "Too few to compare: fewer than two of these have 5 issues."
    names = [side.name for side in sides.sides]
    together = f"{', '.join(names[:-1])} and {names[-1]}"
    if not sides.differing:
        return f"{together}: the {many} differ no more than chance explains."
    line = sides.differing[0]
    assert line.difference  # noqa: S101
    higher, lower = line.difference.higher, line.difference.lower
    return (
        f"{line.heading.name} is more frequent in {names[higher]} ({line.shares[higher].text}) than in {names[lower]} "
        f"({line.shares[lower].text}); {len(sides.differing)} of {len(sides.lines)} {many} differ."
    )
