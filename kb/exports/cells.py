"""Cells of CSV files that spreadsheets may open. Pure: values in, text out."""

import csv
import io
from collections.abc import Iterable, Sequence

Cell = str | int | float | None
# What makes a spreadsheet read a cell as a formula (OWASP, CSV injection).
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


def safe_cell(value: Cell) -> Cell:
    """A text that a spreadsheet would compute gets a quote in front; numbers are ours and stay numbers."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_SIGNS) else value


def csv_text(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A CSV file (RFC 4180) with safe cells; None is an empty cell."""
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(head)
    writer.writerows([safe_cell(cell) for cell in row] for row in rows)
    return written.getvalue()
