"""Converts published tables from their files' format to rows of the database."""

from collections.abc import Iterator

from kb.codebook.format import StudyFile
from kb.codebook.tables import TableFile, TablesFile, nodes_of
from kb.models import REST
from kb.services.published import SUM, CellSpec, TableSpec


def table_specs(file: TablesFile | None, study: StudyFile) -> list[TableSpec]:
    """The study's tables as rows; none without a file."""
    return [_spec(table, study, position) for position, table in enumerate(file.tables if file else ())]


def _spec(table: TableFile, study: StudyFile, position: int) -> TableSpec:
    cells = list(_codebook_cells(table, study) if table.from_codebook else _line_cells(table))
    if table.rest is not None:
        cells.append(CellSpec(REST, SUM, table.rest.count, table.rest.percent, table.rest.doubtful))
    if table.total is not None:
        cells.append(CellSpec(SUM, SUM, table.total, is_doubtful=table.total_is_doubtful))
    elif table.average is not None:
        cells.append(CellSpec(SUM, SUM, None, table.average))
    values = {
        "position": position,
        "title": table.title,
        "place": table.place,
        "unit": table.unit,
        "part_of": table.part_of or "",
        "trust": table.trust,
        "rows_by": table.rows,
        "columns_by": table.columns or "",
        "row_keys": list(dict.fromkeys(cell.row for cell in cells if cell.row)),
        "column_keys": list(table.keys),
        "total": table.total,
        "total_is_doubtful": table.total_is_doubtful,
        "percent_digits": table.percent_digits,
        "is_recounted": table.recounted,
        "not_recounted_reason": table.not_recounted or "",
        "misprints": list(table.misprints),
        "note": table.note or "",
    }
    return TableSpec(table.slug, values, tuple(cells))


def _line_cells(table: TableFile) -> Iterator[CellSpec]:
    for code, line in table.lines.items():
        for key, count in zip(table.keys, line.cells, strict=True):
            yield CellSpec(code, key, count, is_doubtful=line.doubtful)
        last = line.sum if table.keys else line.count
        if last is not None or line.percent is not None:
            yield CellSpec(code, SUM, last, line.percent, line.doubtful)
    for key, count in zip(table.keys, table.sums, strict=False):
        yield CellSpec(SUM, key, count)


def _codebook_cells(table: TableFile, study: StudyFile) -> Iterator[CellSpec]:
    """The published numbers of the study's categories, in their order."""
    for node in nodes_of(table.rows, study):
        if node.count is not None or node.percent is not None:
            yield CellSpec(node.code, SUM, node.count, node.percent, node.code in table.doubtful)
