"""Records of a CSV file. A row with broken quotes costs that row only, not the rest of the file."""

import csv
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

from ingest.imports.records.lines import Line, LineReader, Record
from ingest.rejections import FileUnreadableError, Reason, Rejection, shown

# A quoted cell may hold line breaks, but a cell that runs on for longer is a quote that was never closed.
MAX_LINES_OF_A_RECORD = 1_000
MAX_CELL = 1024 * 1024

csv.field_size_limit(MAX_CELL)


class CsvFile:
    """A CSV file with a header line; iterate once."""

    def __init__(self, stream: BinaryIO, *, delimiter: str = ",") -> None:
        self._lines = LineReader(stream, limit=MAX_CELL)
        self._delimiter = delimiter
        self.columns: tuple[str, ...] = self._header()

    def __iter__(self) -> Iterator[Record | Rejection]:
        number = 0
        while (item := self._record()) is not None:
            if isinstance(item, Rejection):
                yield item
                continue
            line, cells = item
            number += 1
            yield Record(number, line, dict(zip(self.columns, cells, strict=True)))

    def _header(self) -> tuple[str, ...]:
        first = self._lines.next()
        if first is None:
            raise FileUnreadableError("the file is empty")
        if isinstance(first, Rejection):
            raise FileUnreadableError(f"the header line cannot be read: {first.message}")
        cells = self._split([first[1]])
        if not cells:
            raise FileUnreadableError("the first line must name the columns; it is blank or its quotes are broken")
        return _unique([cell.strip() for cell in cells])

    def _record(self) -> tuple[int, list[str]] | Rejection | None:
        """Return the next record's first line and cells, or why there is none."""
        first = self._lines.next()
        if first is None or isinstance(first, Rejection):
            return first
        line, text = first
        if not text.strip():
            return Rejection(line, Reason.BLANK, "the line is blank")
        taken = self._complete(first)
        cells = self._split([part for _, part in taken]) if taken else None
        width = len(self.columns)
        if cells is not None and len(cells) > width and not any(cells[width:]):
            cells = cells[:width]
        if cells is not None and len(cells) == width:
            return line, cells
        # The lines behind the first may be sound records of their own: read them again as such.
        self._lines.give_back(taken[1:])
        if cells is None or len(taken) > 1:
            return Rejection(line, Reason.QUOTES, "the quotes of the line do not pair up", shown(text))
        word = "few" if len(cells) < width else "many"
        message = f"too {word} columns: {len(cells)} where the header has {width}"
        return Rejection(line, Reason.COLUMNS, message, shown(text))

    def _complete(self, first: Line) -> list[Line]:
        """Return the physical lines that make up the record; empty when its last quote is never closed."""
        taken = [first]
        inside = first[1].count('"') % 2 == 1
        while inside:
            following = self._lines.next()
            if following is None or isinstance(following, Rejection) or len(taken) >= MAX_LINES_OF_A_RECORD:
                if following is not None:
                    self._lines.give_back([following])
                self._lines.give_back(taken[1:])
                return []
            taken.append(following)
            inside ^= following[1].count('"') % 2 == 1
        return taken

    def _split(self, lines: list[str]) -> list[str] | None:
        try:
            records = list(csv.reader(lines, delimiter=self._delimiter, strict=True))
        except csv.Error:
            return None
        return records[0] if len(records) == 1 else None


def _unique(names: list[str]) -> tuple[str, ...]:
    """Number the repetitions of a name: `x`, `x (2)`."""
    times: Counter[str] = Counter()
    unique: list[str] = []
    for name in names:
        times[name] += 1
        unique.append(name if times[name] == 1 else f"{name} ({times[name]})")
    return tuple(unique)
