"""CSV files as answers."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.http import HttpResponse

from kb.exports.tables import Record, as_csv, csv_lines


def csv_file(name: str, records: Sequence[Record]) -> HttpResponse:
    """The records as a file of this name."""
    return _attachment(name, as_csv(records))


def csv_lines_file(name: str, rows: Iterable[Iterable[Any]]) -> HttpResponse:
    """The rows as a file of this name."""
    return _attachment(name, "".join(csv_lines(rows)))


def _attachment(name: str, content: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type="text/csv; charset=utf-8", headers=headers)
