"""A study's published tables beside the same tables counted again. Reads the database."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from kb.charts.recounted import SUM, Cell, Comparison, Key, Printed, compare, verdict
from kb.models import FRAMEWORK, REST, PublishedTable, Study
from kb.selectors import published as read

Names = Mapping[tuple[str, str], read.KeyName]
NOTHING = read.Recount({}, {})
UNEQUAL_UNITS = (
    "The site itself counts distinct issues and leaves pull requests out; the study counts every row of its data."
)


@dataclass(frozen=True)
class Heading:
    """A row's or column's key and name and, of a category, its address and depth."""

    key: str
    name: str
    url: str = ""
    depth: int = 0


@dataclass(frozen=True)
class Line:
    """A row: its cells in the order of the columns, and its sum."""

    heading: Heading
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class StudyTable:
    """A published table with what was counted again; `columns` ends with the sum where there are several.

    `not_given`: the frameworks whose data was not imported, though that of others was.
    """

    table: PublishedTable
    columns: tuple[Heading, ...]
    lines: tuple[Line, ...]
    comparison: Comparison
    is_imported: bool
    said: str
    not_given: tuple[Heading, ...] = ()

    @property
    def is_grid(self) -> bool:
        """Whether it has more than one column."""
        return len(self.columns) > 1

    @property
    def total(self) -> Cell | None:
        """The sum over everything."""
        return self.comparison.cells.get((SUM, SUM))

    @property
    def all_equal(self) -> bool:
        """Whether everything that could be compared is equal."""
        return bool(self.comparison.compared) and not self.comparison.differing

    @property
    def counts_otherwise(self) -> str:
        """Why the site's own count of issues differs; empty when it is the same."""
        total = self.total
        if total is None or total.recounted is None or total.issues == total.recounted:
            return ""
        return UNEQUAL_UNITS


def study_tables(*, study: Study, is_imported: bool) -> tuple[StudyTable, ...]:
    """The study's tables in their order; counted again only if its data are imported."""
    tables = read.tables(study=study)
    names = read.names_of_keys(study=study) if tables else {}
    recounts = read.recounts(study=study, tables=tables) if is_imported else {}
    shown = []
    for table in tables:
        recount = recounts.get((table.rows_by, table.columns_by), NOTHING) if table.is_recounted else NOTHING
        shown.append(_study_table(table, names, recount))
    return tuple(shown)


def _study_table(table: PublishedTable, names: Names, recount: read.Recount) -> StudyTable:
    sum_name = "Sum" if table.columns_by else table.get_unit_display().capitalize()
    columns = (*_headings(table.columns_by, table.column_keys, names), Heading(SUM, sum_name))
    printed = {}
    for cell in table.cells.all():
        printed[cell.row, cell.column] = Printed(cell.count, cell.percent, cell.is_doubtful)
    rows = (*_headings(table.rows_by, table.row_keys, names), Heading(SUM, _last_row(printed)))
    cell_names = _cell_names(rows, columns)
    not_given = _not_given(table, (*rows, *columns), printed, recount)
    comparison = compare(
        printed,
        keys=list(cell_names),
        recounted=recount.rows,
        issues=recount.issues,
        digits=table.percent_digits,
        not_given=_keys_over(table, cell_names, [heading.key for heading in not_given]),
    )
    lines = []
    for row in rows:
        lines.append(Line(row, tuple(comparison.cells[row.key, column.key] for column in columns)))
    sentence = verdict(comparison, cell_names) if recount.is_imported else ""
    return StudyTable(table, columns, tuple(lines), comparison, recount.is_imported, sentence, not_given)


def _not_given(
    table: PublishedTable, headings: Sequence[Heading], printed: Mapping[Key, Printed], recount: read.Recount
) -> tuple[Heading, ...]:
    """The frameworks of which something was published and nothing is imported; each has a file of its own."""
    if not recount.is_imported or FRAMEWORK not in (table.rows_by, table.columns_by):
        return ()
    missing = []
    for heading in headings:
        key = (SUM, heading.key) if table.columns_by == FRAMEWORK else (heading.key, SUM)
        published = printed.get(key)
        if heading.key and published and published.count and not recount.rows.get(key):
            missing.append(heading)
    return tuple(missing)


def _keys_over(table: PublishedTable, keys: Iterable[Key], frameworks: Collection[str]) -> set[Key]:
    """Of these keys, those of the frameworks and of the sums over all frameworks."""
    if not frameworks:
        return set()
    over = {SUM, *frameworks}
    return {(row, column) for row, column in keys if (column if table.columns_by == FRAMEWORK else row) in over}


def _last_row(printed: Mapping[Key, Printed]) -> str:
    """Percentages without counts have an average, no sum."""
    whole = printed.get((SUM, SUM))
    return "Average" if whole is not None and whole.count is None else "Sum"


def _headings(by: str, keys: Sequence[str], names: Names) -> list[Heading]:
    headings = []
    for key in keys:
        name = read.REST_NAME if key == REST else names.get((by, key), read.KeyName(key))
        headings.append(Heading(key, *name))
    return headings


def _cell_names(rows: Sequence[Heading], columns: Sequence[Heading]) -> dict[Key, str]:
    """The name of each cell, by its keys."""
    names = {}
    for row in rows:
        for column in columns:
            parts = [heading.name for heading in (row, column) if heading.key]
            names[row.key, column.key] = " × ".join(parts) or "sum"
    return names
