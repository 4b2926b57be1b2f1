"""Two studies side by side: each house category's share in both, through the crosswalk. Reads the database."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kb.charts.crosswalked import Category, Difference, Side, Verdict, differ, hindrance, side
from kb.charts.recounted import SUM
from kb.models import Node, PublishedTable, Study
from kb.selectors import crosswalks as read
from kb.selectors.published import recounts, shared_issues, tables

# A record of a data set is one reported failure, as a report is.
SAME_UNIT = {PublishedTable.Unit.RECORDS: PublishedTable.Unit.REPORTS}


@dataclass(frozen=True)
class Numbers:
    """What a study counted on one of its axes: as it published it in `table`, or recounted from imported data."""

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
        """The part of the sample that was counted; empty for the whole."""
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
    common = _axes_of(first, relations) & _axes_of(second, relations)
    axes = {code: name for code, name in read.house_axes().items() if code in common}
    if not axes:
        return None
    if axis and axis not in axes:
        raise KeyError(axis)
    axis = axis or next(iter(axes))
    related = [relation for relation in relations if relation.to_axis == axis]
    numbers = (_numbers(first, axis, related), _numbers(second, axis, related))
    nodes = read.study_nodes(studies=(first, second))
    shared = None
    if numbers[0].is_recounted and numbers[1].is_recounted:
        shared = shared_issues(first=first, second=second)
    why = hindrance(
        units=(numbers[0].unit, numbers[1].unit),
        parts=(numbers[0].part_of, numbers[1].part_of),
        sizes=(numbers[0].of or 0, numbers[1].of or 0),
        shared=shared,
    )
    categories = [_categories(each, nodes, related) for each in numbers]
    rows = _rows(read.house_nodes(axis=axis), numbers, categories, why)
    return StudyComparison(axis, axes, *numbers, rows, shared, why)


def _axes_of(study: Study, relations: Sequence[read.Relation]) -> set[str]:
    """The house axes that the study's categories are related to."""
    return {relation.to_axis for relation in relations if relation.study == study.pk}


def _numbers(study: Study, house_axis: str, related: Sequence[read.Relation]) -> Numbers:
    """The counts of the study's axis: from its imported data, else as published; none where no table has them."""
    # The axis of the same name, else the one with most relations to the house's.
    counted = Counter(relation.axis for relation in related if relation.study == study.pk)
    axis = house_axis if house_axis in counted else counted.most_common(1)[0][0]
    all_tables = tables(study=study)
    of_axis = [table for table in all_tables if table.rows_by == axis and table.unit != "phrases"]
    if not of_axis:
        return Numbers(study, axis, None, {}, frozenset(), None, is_recounted=False)
    # The table with one column has every level.
    table = min(of_axis, key=lambda table: (table.columns_by != "", table.position))
    recount = recounts(study=study, tables=all_tables).get((table.rows_by, table.columns_by))
    if recount and recount.rows:
        counts = {key: recount.rows.get((key, SUM), 0) for key in table.row_keys}
        return Numbers(study, axis, table, counts, frozenset(), recount.rows[SUM, SUM], is_recounted=True)
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


def _categories(numbers: Numbers, nodes: Sequence[read.StudyNode], related: Sequence[read.Relation]) -> list[Category]:
    key = (numbers.study.pk, numbers.axis)
    relations: dict[str, dict[str, str]] = {}
    for relation in related:
        if (relation.study, relation.axis) == key:
            relations.setdefault(relation.code, {})[relation.to_code] = relation.relation
    categories = []
    for node in nodes:
        if (node.study, node.axis) == key:
            count, is_computed = numbers.counts.get(node.code), node.code in numbers.computed
            categories.append(
                Category(node.code, node.name, node.parent, count, relations.get(node.code, {}), is_computed)
            )
    return categories


def _rows(
    house: Sequence[Node], numbers: Sequence[Numbers], categories: Sequence[Sequence[Category]], why: str
) -> tuple[Row, ...]:
    """A row for each house category that either study is related to directly, those that can be compared first."""
    direct: set[str] = set()
    for category in (*categories[0], *categories[1]):
        direct.update(category.relations)
    within: dict[int, set[str]] = {node.pk: {node.code} for node in house}
    parents = {node.pk: node.parent_id for node in house}
    for node in house:
        parent = node.parent_id
        while parent is not None:
            within.setdefault(parent, set()).add(node.code)
            parent = parents.get(parent)
    rows = []
    for node in house:
        if node.code in direct:
            first = side(node.code, within=within[node.pk], categories=categories[0], of=numbers[0].of)
            second = side(node.code, within=within[node.pk], categories=categories[1], of=numbers[1].of)
            rows.append(Row(node, first, second, differ(first, second, hindrance=why)))
    rows.sort(key=lambda row: row.difference.verdict is Verdict.NOT_COMPARABLE)
    return tuple(rows)
