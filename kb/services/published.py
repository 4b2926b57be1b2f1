"""Writing the tables that studies published. Reading the files is `kb.codebook`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from kb.models import PublishedCell, PublishedTable, Study
from kb.services.rows import Changes, sync_rows

SUM = ""


@dataclass(frozen=True)
class CellSpec:
    """A number as the database holds it; an empty key is the sum over all."""

    row: str
    column: str
    count: int | None
    percent: float | None = None
    is_doubtful: bool = False


@dataclass(frozen=True)
class TableSpec:
    """A table as the database holds it: its fields' values, and its cells."""

    slug: str
    values: Mapping[str, Any]
    cells: tuple[CellSpec, ...]


@transaction.atomic
def save_tables(*, study: str, specs: Sequence[TableSpec]) -> Changes:
    """Make the study (by slug) hold exactly these tables with exactly these cells; what they lose is removed."""
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
    wanted = {
        (cell.row, cell.column): {"count": cell.count, "percent": cell.percent, "is_doubtful": cell.is_doubtful}
        for cell in cells
    }
    existing = list(table.cells.all())
    stale = [cell.pk for cell in existing if (cell.row, cell.column) not in wanted]
    PublishedCell.objects.filter(pk__in=stale).delete()
    sync = sync_rows(
        existing=[cell for cell in existing if cell.pk not in set(stale)],
        key=lambda cell: (cell.row, cell.column),
        wanted={pair: {**values, "row": pair[0], "column": pair[1]} for pair, values in wanted.items()},
        create=lambda fields: PublishedCell(table=table, **fields),
    )
    return sync.changes + Changes(removed=len(stale))
