"""Two studies side by side: each house category's share in both, through the crosswalk."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kb.charts.crosswalked import Category, Difference, Side, Standing, Verdict, differ, hindrance, side
from kb.charts.recounted import SUM
from kb.models import Node, PublishedTable, Study
from kb.selectors import crosswalks as read
from kb.selectors.published import Counts, recounts, shared_issues, tables

# A record of a data set is one reported failure, as a report is.
SAME_UNIT = {PublishedTable.Unit.RECORDS: PublishedTable.Unit.REPORTS}


@dataclass(frozen=True)
class Numbers:
    """What a study counted on one of its axes: `trust` is how far, or `recounted` from imported data."""

    study: Study
    axis: str
    table: PublishedTable | None
    counts: Mapping[str, int]
    computed: frozenset[str]
    of: int | None
    is_recounted: bool

    @property
    def unit(self) -> str:
        """What was counted."""
        unit = self.table.unit if self.table else PublishedTable.Unit.REPORTS
        return str(SAME_UNIT.get(PublishedTable.Unit(unit), unit))

    @property
    def part_of(self) -> str:
        """What it is a part of; empty for the whole sample."""
        return self.table.part_of if self.table else ""


@dataclass(frozen=True)
class Row:
    """A house category with its share in both studies."""

    node: Node
    first: Side
    second: Side
    difference: Difference


@dataclass(frozen=True)
class StudyComparison:
    """Two studies on one house axis."""

    axis: str
    axes: Mapping[str, str]
    first: Numbers
    second: Numbers
    rows: tuple[Row, ...]
    shared: int | None
    hindrance: str

    @property
    def tally(self) -> list[tuple[Verdict, int]]:
        """How often each verdict was reached, in their order."""
        counted = Counter(row.difference.verdict for row in self.rows)
        return [(verdict, counted[verdict]) for verdict in Verdict if counted[verdict]]


def compare_studies(*, first: Study, second: Study, axis: str = "") -> StudyComparison | None:
    """Compare two studies on a house axis, the first common one if none is given; None without one in common.

    Raises `KeyError` for an axis that they do not have in common.
    """
    relations = read.relations(studies=(first, second))
    reached = [{row.to_axis for row in relations if row.study == study.pk} for study in (first, second)]
    axes = {code: name for code, name in read.house_axes().items() if all(code in some for some in reached)}
    if not axes:
        return None
    if axis and axis not in axes:
        raise KeyError(axis)
    axis = axis or next(iter(axes))
    related = [row for row in relations if row.to_axis == axis]
    numbers = [_numbers(study, _own_axis(axis, related, study)) for study in (first, second)]
    nodes = read.study_nodes(studies=(first, second))
    categories = [_categories(each, nodes, related) for each in numbers]
    shared = _shared(numbers)
    why = hindrance(
        units=(numbers[0].unit, numbers[1].unit),
        parts=(numbers[0].part_of, numbers[1].part_of),
        sizes=(numbers[0].of or 0, numbers[1].of or 0),
        shared=shared,
    )
    rows = _rows(read.house_nodes(axis=axis), numbers, categories, why)
    return StudyComparison(axis, axes, numbers[0], numbers[1], rows, shared, why)


def _own_axis(axis: str, related: Sequence[read.Relation], study: Study) -> str:
    """Which of the study's axes answers the house's: that of the same name, else the one with most relations to it."""
    counted = Counter(row.axis for row in related if row.study == study.pk)
    return axis if axis in counted else counted.most_common(1)[0][0]


def _numbers(study: Study, axis: str) -> Numbers:
    """The counts of the study's axis: from its imported data, else as published; none where no table has them."""
    every = tables(study=study)
    of_axis = [table for table in every if table.rows_by == axis and table.unit != "phrases"]
    if not of_axis:
        return Numbers(study, axis, None, {}, frozenset(), None, is_recounted=False)
    # The table with one column has every level.
    table = min(of_axis, key=lambda table: (table.columns_by != "", table.position))
    found = recounts(study=study, tables=every).get((table.rows_by, table.columns_by))
    rows: Counts = found.rows if found else {}
    if rows:
        counts = {key: rows.get((key, SUM), 0) for key in table.row_keys}
        return Numbers(study, axis, table, counts, frozenset(), rows[SUM, SUM], is_recounted=True)
    return _published(study, axis, table)


def _published(study: Study, axis: str, table: PublishedTable) -> Numbers:
    counts: dict[str, int] = {}
    computed = set()
    for cell in table.cells.all():
        if cell.column or not cell.row:
            continue
        if cell.count is not None:
            counts[cell.row] = cell.count
        elif cell.percent is not None and table.total:
            counts[cell.row] = round(cell.percent * table.total / 100)
            computed.add(cell.row)
    return Numbers(study, axis, table, counts, frozenset(computed), table.total, is_recounted=False)


def _categories(
    numbers: Numbers, nodes: Sequence[read.StudyNode], related: Sequence[read.Relation]
) -> tuple[Category, ...]:
    relations: dict[str, dict[str, str]] = {}
    for row in related:
        if (row.study, row.axis) == (numbers.study.pk, numbers.axis):
            relations.setdefault(row.code, {})[row.to_code] = row.relation
    return tuple(
        Category(
            node.code,
            node.name,
            node.parent,
            numbers.counts.get(node.code),
            relations.get(node.code, {}),
            node.code in numbers.computed,
        )
        for node in nodes
        if (node.study, node.axis) == (numbers.study.pk, numbers.axis)
    )


def _shared(numbers: Sequence[Numbers]) -> int | None:
    """How many issues both studies hold; None unless both are imported."""
    first, second = numbers
    if not (first.is_recounted and second.is_recounted):
        return None
    return shared_issues(first=first.study, second=second.study)


def _rows(
    house: Sequence[Node], numbers: Sequence[Numbers], categories: Sequence[Sequence[Category]], why: str
) -> tuple[Row, ...]:
    """A row for each house category that either study is related to directly, those that can be compared first."""
    direct = {to for some in categories for category in some for to in category.relations}
    below: dict[int, set[str]] = {node.pk: {node.code} for node in house}
    parents = {node.pk: node.parent_id for node in house}
    for node in house:
        up = node.parent_id
        while up is not None:
            below.setdefault(up, set()).add(node.code)
            up = parents.get(up)
    rows = []
    for node in house:
        if node.code in direct:
            sides = [
                side(node.code, within=below[node.pk], categories=some, of=each.of)
                for each, some in zip(numbers, categories, strict=True)
            ]
            rows.append(Row(node, sides[0], sides[1], differ(*sides, hindrance=why)))
    return tuple(sorted(rows, key=lambda row: row.difference.verdict is Verdict.NOT_COMPARABLE))


def records(comparison: StudyComparison) -> list[dict[str, Any]]:
    """A record for each house category, as the files hold it; shares are between 0 and 1, unknown is None."""
    return [
        {
            "axis": comparison.axis,
            "category": row.node.code,
            "name": row.node.name,
            **_side_fields("a", row.first),
            **_side_fields("b", row.second),
            "difference": row.difference.share,
            "difference_low": row.difference.interval.low if row.difference.interval else None,
            "difference_high": row.difference.interval.high if row.difference.interval else None,
            "verdict": row.difference.verdict.value,
            "why": row.difference.why,
        }
        for row in comparison.rows
    ]


def _side_fields(letter: str, one: Side) -> dict[str, Any]:
    known = one.standing is Standing.MEANT
    interval = one.interval
    return {
        f"{letter}_categories": "; ".join(one.names),
        f"{letter}_cases": one.cases if known else None,
        f"{letter}_of": one.of if known else None,
        f"{letter}_share": one.share,
        f"{letter}_low": interval.low if interval else None,
        f"{letter}_high": interval.high if interval else None,
    }
