"""Records as CSV. A cell that a spreadsheet would take for a formula is written as text."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

FORMULA = ("=", "+", "-", "@", "\t", "\r")


def as_csv(records: Sequence[Mapping[str, Any]]) -> str:
    """The records with a head of their keys (of the first one); numbers stay numbers, what is not known is empty."""
    out = io.StringIO()
    writer = csv.writer(out)
    keys = list(records[0]) if records else []
    writer.writerow(keys)
    writer.writerows([_cell(record.get(key)) for key in keys] for record in records)
    return out.getvalue()


def _cell(value: Any) -> Any:
    """A text that begins like a formula gets an apostrophe, which spreadsheets take away again."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
