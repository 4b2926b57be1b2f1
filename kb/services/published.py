"""Writing the tables that studies published. Reading the files is `kb.codebook`."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from django.db import transaction

from kb.models import PublishedCell, PublishedTable, Study
from kb.services.rows import Changes, FieldValues, replace_rows, sync_rows

SUM = ""


@dataclass(frozen=True)
class CellSpec:
    """A published number; an empty key stands for the sum over all rows or columns."""

    row: str
    column: str
    count: int | None
    percent: float | None = None
    is_doubtful: bool = False


@dataclass(frozen=True)
class TableSpec:
    """A table: its fields' values, and its cells."""

    slug: str
    values: FieldValues
    cells: tuple[CellSpec, ...]


@transaction.atomic
def save_tables(*, study: str, specs: Sequence[TableSpec]) -> Changes:
    """Make the study's tables exactly these, with exactly these cells."""
    owner = Study.objects.get(slug=study)
    gone = owner.tables.exclude(slug__in=[spec.slug for spec in specs])
    removed = gone.count()
    gone.delete()
    tables = sync_rows(
        existing=owner.tables.all(),
        key=lambda table: table.slug,
        wanted={spec.slug: {**spec.values, "slug": spec.slug} for spec in specs},
        create=lambda fields: PublishedTable(study=owner, **fields),
    )
    changes = tables.changes + Changes(removed=removed)
    for spec in specs:
        changes += _save_cells(table=tables.rows[spec.slug], cells=spec.cells)
    return changes


def _save_cells(*, table: PublishedTable, cells: Sequence[CellSpec]) -> Changes:
    return replace_rows(
        existing=table.cells.all(),
        key=lambda cell: (cell.row, cell.column),
        wanted={(cell.row, cell.column): asdict(cell) for cell in cells},
        create=lambda fields: PublishedCell(table=table, **fields),
    )
