"""Two studies side by side, or one and our own records: each house category's share in both. Reads the database.

A study's categories are related to the house's by the crosswalk; our records answer in the house codebook itself.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from kb.charts.crosswalked import Category, Difference, Side, Verdict, differ, hindrance, side
from kb.charts.own_records import OwnRecords, count_records, shared_with
from kb.charts.recounted import SUM
from kb.models import Node, PublishedTable, Study
from kb.selectors import crosswalks as read
from kb.selectors.published import recounts, shared_issues, tables

# A record of a data set is one reported failure, as a report is.
SAME_UNIT = {PublishedTable.Unit.RECORDS: PublishedTable.Unit.REPORTS}


Subject = Study | OwnRecords


@dataclass(frozen=True)
class Numbers:
    """What a study counted on one of its axes: as it published it in `table`, or recounted from imported data.

    Our own records are counted now, without a table.
    """

    study: Subject
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
    def axis_name(self) -> str:
        """The house axis by its name."""
        return self.axes[self.axis]

    @property
    def tally(self) -> list[tuple[Verdict, int]]:
        """How often each verdict was reached, in their order."""
        counted = Counter(row.difference.verdict for row in self.rows)
        return [(verdict, counted[verdict]) for verdict in Verdict if counted[verdict]]


def compare_studies(*, first: Subject, second: Subject, axis: str = "") -> StudyComparison | None:
    """Compare two studies on a house axis, the first common one if none is given; None without one in common.

    Raises `KeyError` for an axis that they do not have in common.
    """
    studies = [subject for subject in (first, second) if isinstance(subject, Study)]
    relations = read.relations(studies=studies)
    axes = read.house_axes()
    for study in studies:
        axes = {code: name for code, name in axes.items() if code in _axes_of(study, relations)}
    if not axes:
        return None
    if axis and axis not in axes:
        raise KeyError(axis)
    axis = axis or next(iter(axes))
    related = [relation for relation in relations if relation.to_axis == axis]
    numbers = (_numbers(first, axis, related), _numbers(second, axis, related))
    shared = _shared(numbers)
    why = hindrance(
        units=(numbers[0].unit, numbers[1].unit),
        parts=(numbers[0].part_of, numbers[1].part_of),
        sizes=(numbers[0].of or 0, numbers[1].of or 0),
        shared=shared,
    )
    house = read.house_nodes(axis=axis)
    nodes = read.study_nodes(studies=studies)
    categories = [_categories(each, nodes, related, house) for each in numbers]
    rows = _rows(house, numbers, categories, {relation.to_code for relation in related}, why)
    return StudyComparison(axis, axes, *numbers, rows, shared, why)


def _axes_of(study: Study, relations: Sequence[read.Relation]) -> set[str]:
    """The house axes that the study's categories are related to."""
    return {relation.to_axis for relation in relations if relation.study == study.pk}


def _shared(numbers: tuple[Numbers, Numbers]) -> int | None:
    """The number of issues in both samples; None where one of them is not here."""
    if not (numbers[0].is_recounted and numbers[1].is_recounted):
        return None
    first, second = numbers[0].study, numbers[1].study
    if isinstance(first, Study) and isinstance(second, Study):
        return shared_issues(first=first, second=second)
    (study,) = (subject for subject in (first, second) if isinstance(subject, Study))
    return shared_with(study=study)


def _numbers(study: Subject, house_axis: str, related: Sequence[read.Relation]) -> Numbers:
    """The counts of the study's axis: from its imported data, else as published; none where no table has them."""
    if isinstance(study, OwnRecords):
        own = count_records(axis=house_axis)
        return Numbers(study, house_axis, None, own.by_code, frozenset(), own.of, is_recounted=True)
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


def _categories(
    numbers: Numbers, nodes: Sequence[read.StudyNode], related: Sequence[read.Relation], house: Sequence[Node]
) -> list[Category]:
    if isinstance(numbers.study, OwnRecords):
        return _own_categories(numbers, house)
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


def _own_categories(numbers: Numbers, house: Sequence[Node]) -> list[Category]:
    """The house categories themselves, each of which means itself."""
    codes = {node.pk: node.code for node in house}
    return [
        Category(
            node.code,
            node.name,
            codes.get(node.parent_id) if node.parent_id else None,
            numbers.counts.get(node.code, 0),
            {node.code: "exact"},
        )
        for node in house
    ]


def _rows(
    house: Sequence[Node],
    numbers: Sequence[Numbers],
    categories: Sequence[Sequence[Category]],
    direct: Collection[str],
    why: str,
) -> tuple[Row, ...]:
    """A row for each house category that a study is related to directly, those that can be compared first."""
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
