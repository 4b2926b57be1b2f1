"""A block of text as arrays: where its lines begin and end, their keys, numbers and times. Nothing is interpreted."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kb.core.diagnosis.parsing.masking import RUN

Numbers: TypeAlias = npt.NDArray[np.int64]
Values: TypeAlias = npt.NDArray[np.float64]
Bits: TypeAlias = npt.NDArray[np.bool_]
Raw: TypeAlias = npt.NDArray[np.uint8]

LINE_FEED, ZERO, TEN = ord("\n"), ord("0"), 10
ONE_DIGIT = bytes.maketrans(b"123456789", b"0" * 9)
# So many bytes may be read from any place of the text on.
SPARE = 16
# So many keys are remembered at a time, by whoever numbers them, and no more than so many bytes of them.
MOST_KEYS, MOST_KEY_BYTES = 100_000, 48 << 20
# The number of a key that is not known.
UNKNOWN = -1
# A number that is written longer than this is no duration that a run takes.
LONGEST_DURATION = 64
# Of a time as written, at most so much stands before its seconds.
MINUTE, HUNDREDS = 16, 8
# The first bytes of a time, as two numbers, up to the end of its minute.
BEFORE_SECONDS = np.array([[255] * size + [0] * (MINUTE - size) for size in range(MINUTE + 1)], np.uint8).view(
    np.uint64
)


class Lines:
    """The lines of a block of UTF-8, counted from 0. Places are of `raw`: the block, and zeros behind it."""

    def __init__(self, block: bytes) -> None:
        self._text = block

    def __len__(self) -> int:
        return len(self.ends)

    @cached_property
    def raw(self) -> Raw:
        """The bytes of the block."""
        return np.frombuffer(self._text + bytes(SPARE), np.uint8)

    @cached_property
    def keys(self) -> list[bytes]:
        """The lines with every run of digits made one `0`."""
        return collapsed_bytes(self._text).split(b"\n")

    @cached_property
    def ends(self) -> Numbers:
        """Where each line ends."""
        return np.append(np.flatnonzero(self.raw == LINE_FEED), len(self._text))

    @cached_property
    def starts(self) -> Numbers:
        """Where each line begins."""
        return np.concatenate(([0], self.ends[:-1] + 1))

    def key(self, line: int) -> bytes:
        """The key of one of the lines."""
        return self.keys[line]

    def key_numbers(self, known: Mapping[bytes, int]) -> Numbers:
        """The number that each line's key is known by, or `UNKNOWN`."""
        return np.fromiter(map(known.get, self.keys, repeat(UNKNOWN)), np.int64, len(self.keys))

    def text(self, line: int) -> str:
        """The text of one of the lines."""
        return self.part(int(self.starts[line]), int(self.ends[line]))

    def part(self, start: int, end: int) -> str:
        """The text between two places."""
        return self._text[start:end].decode("utf-8", "surrogatepass")

    @cached_property
    def _edges(self) -> Numbers:
        """Where runs of digits begin and end, in turns."""
        is_digit = (self.raw - ZERO) < TEN
        inner = np.flatnonzero(is_digit[1:] != is_digit[:-1]) + 1
        return np.concatenate(([0], inner)) if is_digit[0] else inner

    @cached_property
    def run_starts(self) -> Numbers:
        """Where each run of digits begins."""
        return self._edges[::2]

    @cached_property
    def run_lengths(self) -> Numbers:
        """How many digits each run has."""
        return self._edges[1::2] - self.run_starts

    @cached_property
    def first_runs(self) -> Numbers:
        """The number of each line's first run of digits."""
        return np.searchsorted(self.run_starts, self.starts)

    def numbers(self, runs: Numbers, longest: int) -> tuple[Numbers, Bits]:
        """The values of these runs, and which of them have at most so many digits; the other values mean nothing."""
        starts, lengths = self.run_starts[runs], self.run_lengths[runs]
        values = np.zeros(len(runs), np.int64)
        for place in range(min(longest, int(lengths.max(initial=0)))):
            is_in = lengths > place
            digits = self.raw[starts + np.minimum(place, lengths)].astype(np.int64) - ZERO
            values = np.where(is_in, values * TEN + digits, values)
        return values, lengths <= longest


@dataclass(frozen=True, slots=True)
class DurationSpan:
    """Where the lines of a key tell how long a step took.

    It goes from so many bytes `before` their `first` run of digits to so many `after` their `last`, in units of so many
    seconds.
    """

    first: int
    before: int
    last: int
    after: int
    unit: float

    @classmethod
    def at(cls, line: str, span: tuple[int, int], unit: float) -> "DurationSpan | None":
        """The span for lines like this one that have the duration here; None where runs of digits cannot locate it."""
        start, end = span
        runs = list(RUN.finditer(line, 0, end))
        inner = [number for number, run in enumerate(runs) if run.start() >= start]
        if not inner or not line[start:end].isascii() or end - start > LONGEST_DURATION:
            return None
        first, last = runs[inner[0]], runs[inner[-1]]
        return cls(inner[0], first.start() - start, inner[-1], end - last.end(), unit)

    def seconds(self, lines: Lines, members: Numbers) -> Values:
        """The duration in each of these lines."""
        runs = lines.first_runs[members]
        starts = lines.run_starts[runs + self.first] - self.before
        ends = lines.run_starts[runs + self.last] + lines.run_lengths[runs + self.last] + self.after
        widths = np.minimum(ends - starts, LONGEST_DURATION)
        columns = np.arange(int(widths.max(initial=1)))
        places = np.minimum(starts[:, None] + columns, lines.raw.size - 1)
        written = np.where(columns < widths[:, None], lines.raw[places], 0).astype(np.uint8)
        values: Values = written.view(f"S{columns.size}").ravel().astype(np.float64) * self.unit
        return values


def minute_length(when: str) -> int:
    """How much of a time as written stands before its seconds; of seconds since 1970, before the last two of them."""
    return min(when.find(":") + 3, MINUTE) if ":" in when else HUNDREDS


@dataclass
class TimeSpans:
    """Where the time in each line's prefix begins, how long it is, 0 for none, and how much precedes its seconds."""

    starts: Numbers
    lengths: Numbers
    minutes: Numbers


class Times:
    """The times of a block's lines. `previous`: the last time before the block; `minute`: that time's minute.

    `ticks`: the lines whose time is of another minute than the last time before them.
    """

    def __init__(self, lines: Lines, spans: TimeSpans, previous: str, minute: str) -> None:
        self._lines, self._spans, self._previous = lines, spans, previous
        self._timed = np.flatnonzero(spans.lengths)
        self._latest = np.maximum.accumulate(np.where(spans.lengths > 0, np.arange(len(lines)), -1))
        self._last = (-1, previous)
        self.minute = minute
        self.ticks = self._changes()

    @property
    def has_any(self) -> bool:
        """Whether any line of the block tells a time."""
        return len(self._timed) > 0

    def at(self, line: int) -> str:
        """The last time that was written up to this line, and in it; empty for none."""
        place = int(self._latest[line]) if line >= 0 else -1
        if place < 0:
            return self._previous
        if self._last[0] != place:
            start = int(self._spans.starts[place])
            self._last = (place, self._lines.part(start, start + int(self._spans.lengths[place])))
        return self._last[1]

    def dated(self, line: int) -> int:
        """The last line up to this one that tells a time; -1 if none in the block does."""
        return int(self._latest[line]) if line >= 0 else -1

    def after(self, line: int) -> str:
        """The first time that is written after this line; empty for none."""
        place = int(np.searchsorted(self._timed, line, "right"))
        return self.at(int(self._timed[place])) if place < len(self._timed) else ""

    def _changes(self) -> Numbers:
        timed, minutes = self._timed, self._spans.minutes
        if not len(timed):
            return timed
        raw = self._lines.raw
        # Two numbers of eight bytes from any byte of the text on.
        words: npt.NDArray[np.uint64] = np.ndarray(
            (raw.size - MINUTE + 1, 2), np.uint64, raw.data, strides=(1, MINUTE // 2)
        )
        written = words[self._spans.starts[timed]] & BEFORE_SECONDS[minutes[timed]]
        is_new = np.empty(len(timed), np.bool_)
        is_new[1:] = (written[1:] != written[:-1]).any(axis=1)
        first, last = int(timed[0]), int(timed[-1])
        is_new[0] = self.at(first)[: minutes[first]] != self.minute
        self.minute = self.at(last)[: minutes[last]]
        return timed[is_new]


def collapsed_bytes(text: bytes) -> bytes:
    """What `collapsed` makes of UTF-8, a block of lines at once."""
    if not text:
        return text
    masked_bytes = np.frombuffer(text.translate(ONE_DIGIT), np.uint8)
    is_digit = masked_bytes == ZERO
    is_first = np.ones(masked_bytes.size, np.bool_)
    np.logical_not(is_digit[1:] & is_digit[:-1], out=is_first[1:])
    return masked_bytes.compress(is_first).tobytes()
