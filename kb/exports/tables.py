"""Writes every CSV that leaves. A text that a spreadsheet would run as a formula gets an apostrophe before it.

`original` takes the apostrophe away again, where files of ours come back: any text leaves and returns unchanged. See
https://owasp.org/www-community/attacks/CSV_Injection.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

# A line of a file, by the names of its columns; None is not known.
Record = Mapping[str, str | int | float | bool | None]
# Blanks, quotes and characters without width may come first: programs trim them before they look at a cell.
FORMULA = re.compile(
    r"""[\s\x00-\x1f\x7f\u200b-\u200f\u2060\ufeff"'`\u00b4\u2018-\u201f\u00ab\u00bb]*"""
    r"""[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"""
)
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
MARK = "'"
# The module quotes a line break only if it is part of this; a bare one would begin a new cell.
LINE_END = "\r\n"


class _Echo:
    """A file that returns what is written into it, so that lines are sent as they are made."""

    def write(self, text: str) -> str:
        return text


def csv_lines(rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    """The rows as lines of CSV. Numbers stay numbers, None is an empty cell, everything else is harmless text."""
    writer = csv.writer(_Echo(), lineterminator=LINE_END)
    for row in rows:
        line: str = writer.writerow([_cell(value) for value in row])
        yield line.removesuffix(LINE_END) + "\n"


def as_csv(records: Sequence[Record]) -> str:
    """The records below a header of the first one's keys."""
    keys = list(records[0]) if records else []
    rows: list[list[Any]] = [keys]
    for record in records:
        rows.append([record.get(key) for key in keys])
    return "".join(csv_lines(rows))


def harmless(text: str) -> str:
    """The text, with an apostrophe before it where a spreadsheet would run it."""
    return MARK + text if _is_formula(text) else text


def original(text: str) -> str:
    """The text that `harmless` made this of; a text with another apostrophe stays as it is."""
    return text[1:] if text.startswith(MARK) and _is_formula(text[1:]) else text


def _is_formula(text: str) -> bool:
    return FORMULA.match(text) is not None and NUMBER.fullmatch(text) is None


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, int | float | Decimal):
        return value
    return harmless(str(value))
