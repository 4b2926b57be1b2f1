"""Physical lines of a byte stream with their numbers, decoded strictly, with bounded memory."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from ingest.rejections import Reason, Rejection, shown

MAX_LINE = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a file: its place among the records, the physical line it begins on, its cells by column."""

    number: int
    line: int
    cells: Mapping[str, object]


Line = tuple[int, str]


class LineReader:
    """Hands out decoded lines one by one and takes lines back.

    `next` returns None at the end, a `Rejection` for a line that is no UTF-8 or too long to hold.
    """

    def __init__(self, stream: BinaryIO, *, limit: int = MAX_LINE) -> None:
        self._stream = stream
        self._limit = limit
        self._number = 0
        self._returned: deque[Line | Rejection] = deque()

    def next(self) -> Line | Rejection | None:
        """Return the next line with its number, its line end included."""
        if self._returned:
            return self._returned.popleft()
        raw = self._stream.readline(self._limit)
        if not raw:
            return None
        self._number += 1
        if len(raw) == self._limit and not raw.endswith(b"\n"):
            rest = raw
            while rest and not rest.endswith(b"\n"):
                rest = self._stream.readline(self._limit)
            message = f"the line is longer than {self._limit // 1024:,} KiB"
            return Rejection(self._number, Reason.TOO_LONG, message, shown(raw[:400]))
        try:
            return self._number, raw.decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"not UTF-8: byte 0x{raw[error.start]:02X} at position {error.start + 1} of the line"
            return Rejection(self._number, Reason.ENCODING, message, shown(raw[:400]))

    def give_back(self, lines: Sequence[Line | Rejection]) -> None:
        """Put lines back, to be handed out again in this order."""
        self._returned.extendleft(reversed(lines))
