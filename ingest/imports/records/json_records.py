"""Records of JSON files: one object per line, or an array of objects read element by element."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from ingest.imports.records.lines import LineReader, Record
from ingest.rejections import FileUnreadableError, Reason, Rejection, shown

CHUNK = 256 * 1024
MAX_ELEMENT = 16 * 1024 * 1024
# The line that a record begins on, and its text.
Text = tuple[int, str | bytes]
MARK = re.compile(rb'["\\\[\]{},]')


def parse_object(text: str | bytes, *, line: int) -> dict[str, object] | Rejection:
    """Parse one JSON object that begins on `line`. Never raises for any text."""
    try:
        value = json.loads(text)
    except UnicodeDecodeError as error:
        return Rejection(line, Reason.ENCODING, f"not UTF-8 at byte {error.start + 1} of the record", shown(text))
    except RecursionError:
        return Rejection(line, Reason.JSON, "not valid JSON: nested too deeply", shown(text))
    except ValueError as error:
        message = error.msg if isinstance(error, json.JSONDecodeError) else "a number is too long"
        return Rejection(line, Reason.JSON, f"not valid JSON: {message}", shown(text))
    if not isinstance(value, dict):
        return Rejection(line, Reason.SHAPE, "not a JSON object", shown(text))
    return value


def _records(texts: Iterable[Text | Rejection]) -> Iterator[Record | Rejection]:
    """The records of texts of one object each, numbered; what is no object is rejected."""
    number = 0
    for item in texts:
        if isinstance(item, Rejection):
            yield item
            continue
        cells = parse_object(item[1], line=item[0])
        if isinstance(cells, Rejection):
            yield cells
            continue
        number += 1
        yield Record(number, item[0], cells)


class JsonLinesFile:
    """A file with one JSON object per line; iterate once."""

    columns = None

    def __init__(self, stream: BinaryIO) -> None:
        self._lines = LineReader(stream)

    def __iter__(self) -> Iterator[Record | Rejection]:
        return _records(self._texts())

    def _texts(self) -> Iterator[Text | Rejection]:
        while (item := self._lines.next()) is not None:
            if isinstance(item, Rejection) or item[1].strip():
                yield item
            else:
                yield Rejection(item[0], Reason.BLANK, "the line is blank")


class JsonArrayFile:
    """A file with an array of JSON objects, or several arrays one after the other; iterate once."""

    columns = None

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[Record | Rejection]:
        return _records(self._texts())

    def _texts(self) -> Iterator[Text | Rejection]:
        for line, text in self._elements():
            if text.strip():
                yield line, text
            else:
                yield Rejection(line, Reason.JSON, "not valid JSON: nothing stands between two commas")

    def _elements(self) -> Iterator[tuple[int, bytes]]:
        scanner = _Scanner()
        while chunk := self._stream.read(CHUNK):
            yield from scanner.feed(chunk)
        scanner.refuse_rest()


class _Scanner:
    """Finds where the elements of top-level arrays begin and end, chunk by chunk, without parsing them."""

    def __init__(self) -> None:
        self.depth = 0
        self._in_string = False
        self._escaped = False
        self._element = bytearray()
        self._line = 1
        self._begun_on: int | None = None

    def feed(self, chunk: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield the elements that end within the chunk, with the line they begin on."""
        start = 0
        skip = 1 if self._escaped else 0
        self._escaped = False
        for match in MARK.finditer(chunk):
            at = match.start()
            if at < skip:
                continue
            mark = match.group()
            if self._in_string:
                if mark == b"\\":
                    skip = at + 2
                    self._escaped = skip > len(chunk)
                elif mark == b'"':
                    self._in_string = False
                continue
            if self.depth == 1 and mark == b"}":
                continue  # closes nothing: the element will not parse and is told of then
            ends = self.depth == 1 and mark in b",]"
            if self.depth == 0 or ends:
                self._take(chunk[start:at])
                start = at + 1
                if ends:
                    yield from self._end_element(is_last=mark == b"]")
                elif mark != b"[":
                    raise FileUnreadableError("neither a JSON array nor JSON lines")
            self._in_string = mark == b'"'
            self.depth += (mark in b"[{") - (mark in b"]}")
        self._take(chunk[start:])

    def _take(self, part: bytes) -> None:
        if self.depth == 0:
            if part.strip(b" \t\r\n,"):
                raise FileUnreadableError("neither a JSON array nor JSON lines")
        elif self._begun_on is None and part.strip():
            leading = len(part) - len(part.lstrip())
            self._begun_on = self._line + part[:leading].count(b"\n")
            self._element += part[leading:]
        elif self._begun_on is not None:
            self._element += part
        self._line += part.count(b"\n")
        if len(self._element) > MAX_ELEMENT:
            raise FileUnreadableError(
                f"the element that begins on line {self._begun_on} is longer than {MAX_ELEMENT // 2**20} MiB: "
                "a quote may be missing"
            )

    def _end_element(self, *, is_last: bool) -> Iterator[tuple[int, bytes]]:
        # Nothing at all stands in an empty array.
        if self._begun_on is not None or not is_last:
            yield self._begun_on or self._line, bytes(self._element)
        self._element.clear()
        self._begun_on = None

    def refuse_rest(self) -> None:
        """Raise when the file ends within an array."""
        if self.depth:
            where = f"within the element that begins on line {self._begun_on}" if self._begun_on else "within the array"
            raise FileUnreadableError(f"the file ends {where}: it may be cut off")
