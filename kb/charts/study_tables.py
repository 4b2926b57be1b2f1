"""A study's published tables as its page and its files show them: published, recounted, different."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kb.charts.recounted import SUM, Cell, Comparison, Key, Printed, compare, verdict
from kb.models import PublishedTable, Study
from kb.selectors import published as read

Names = Mapping[tuple[str, str], read.KeyName]
NOTHING = read.Recount({}, {})
UNEQUAL_UNITS = (
    "The site itself counts distinct issues and leaves pull requests out; the study counts every row of its data."
)


@dataclass(frozen=True)
class Heading:
    """A row's or a column's name and, of a category, its address and how deep it stands."""

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
    """A published table with what was counted again; `columns` ends with the sum where there are several."""

    table: PublishedTable
    columns: tuple[Heading, ...]
    lines: tuple[Line, ...]
    comparison: Comparison
    is_imported: bool
    said: str

    @property
    def is_grid(self) -> bool:
        """Has it more than one column?"""
        return len(self.columns) > 1

    @property
    def total(self) -> Cell | None:
        """The sum over everything."""
        return self.comparison.cells.get((SUM, SUM))

    @property
    def all_equal(self) -> bool:
        """Is everything that could be compared equal?"""
        return bool(self.comparison.compared) and not self.comparison.differing

    @property
    def counts_otherwise(self) -> str:
        """Why the site's own count of issues is another; empty when it is the same."""
        total = self.total
        return UNEQUAL_UNITS if total and total.recounted is not None and total.issues != total.recounted else ""


def study_tables(*, study: Study, is_imported: bool) -> tuple[StudyTable, ...]:
    """The study's tables in their order; counted again only if its data are imported."""
    found = read.tables(study=study)
    names = read.names_of_keys(study=study) if found else {}
    recounts = read.recounts(study=study, tables=found) if is_imported else {}
    return tuple(_shown(table, names, recounts.get((table.rows_by, table.columns_by), NOTHING)) for table in found)


def _shown(table: PublishedTable, names: Names, recount: read.Recount) -> StudyTable:
    recount = recount if table.is_recounted else NOTHING
    columns = (*(_heading(table.columns_by, key, names) for key in table.column_keys), Heading(SUM, _sum_name(table)))
    rows = (*(_heading(table.rows_by, key, names) for key in table.row_keys), Heading(SUM, "Sum"))
    keys = [(row.key, column.key) for row in rows for column in columns]
    printed = {
        (cell.row, cell.column): Printed(cell.count, cell.percent, cell.is_doubtful) for cell in table.cells.all()
    }
    comparison = compare(printed, keys=keys, recounted=recount.rows, issues=recount.issues, digits=table.percent_digits)
    lines = tuple(Line(row, tuple(comparison.cells[row.key, column.key] for column in columns)) for row in rows)
    said = verdict(comparison, _cell_names(rows, columns)) if recount.is_imported else ""
    return StudyTable(table, columns, lines, comparison, recount.is_imported, said)


def _sum_name(table: PublishedTable) -> str:
    return "Sum" if table.columns_by else table.get_unit_display().capitalize()


def _heading(by: str, key: str, names: Names) -> Heading:
    return Heading(key, *names.get((by, key), read.KeyName(key)))


def _cell_names(rows: Sequence[Heading], columns: Sequence[Heading]) -> dict[Key, str]:
    def name(row: Heading, column: Heading) -> str:
        parts = [heading.name for heading in (row, column) if heading.key]
        return " × ".join(parts) or "sum"

    return {(row.key, column.key): name(row, column) for row in rows for column in columns}


def records(shown: StudyTable) -> Iterator[dict[str, Any]]:
    """A record for each cell, as the files hold it; what is not known is None."""
    names = {heading.key: heading.name for heading in shown.columns}
    for line in shown.lines:
        for cell in line.cells:
            row, column = cell.key
            printed = cell.printed
            yield {
                "row": row,
                "row_name": line.heading.name,
                "column": column,
                "column_name": names[column] if column else "Sum",
                "published": printed.count if printed else None,
                "published_percent": printed.percent if printed else None,
                "doubtful": printed.is_doubtful if printed else None,
                "recounted": cell.recounted,
                "recounted_percent": None if cell.recounted_percent is None else round(cell.recounted_percent, 4),
                "difference": cell.difference,
                "issues_on_this_site": cell.issues,
                "unit": shown.table.unit,
                "trust": shown.table.trust,
            }
