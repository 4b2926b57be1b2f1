"""CSV files as answers."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.http import HttpResponse

from kb.exports.tables import Record, as_csv, csv_lines
from kb.http.downloads import download


def csv_file(name: str, records: Sequence[Record]) -> HttpResponse:
    """The records as a file of this name."""
    return download(name, as_csv(records))


def csv_lines_file(name: str, rows: Iterable[Iterable[Any]]) -> HttpResponse:
    """The rows as a file of this name."""
    return download(name, "".join(csv_lines(rows)))
