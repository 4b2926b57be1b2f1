"""Heads of lines that are equal but for their digits: who writes below them, found for many lines at once."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kb.core.diagnosis.parsing.headers import Shape
from kb.core.diagnosis.parsing.masking import collapsed
from kb.core.diagnosis.scanning.lines import ZERO, Lines, Numbers
from kb.core.diagnosis.scanning.records import Emitter

# What a line's heads say of who wrote it: one value, several in the order of the fields, or nothing.
Who: TypeAlias = str | tuple[str | None, ...] | None
# The digits that tell who wrote a line: as a number, or as they are where there are too many.
Code: TypeAlias = int | bytes

# Fewer lines are sooner looked at one by one.
FEWEST = 12
MOST_RUNS, MOST_LAYOUTS, LONGEST_RUN, MOST_DIGITS = 64, 1_000, 255, 18
# Of a time as written, at most so much stands before its seconds.
MINUTE = 16


@dataclass(eq=False, slots=True)
class Layout:
    """Where a head holds what it tells, once the lengths of its numbers are known. Places are from the line's start.

    `time`: from where to where, both 0 for none; `minute`: how much of it stands before the seconds. `digits`: those
    that tell who wrote the line. `emitters`: by these digits, those of one `file`.
    """

    time: tuple[int, int]
    minute: int
    digits: Numbers
    file: int = -1
    emitters: dict[Code, Emitter] = field(default_factory=dict)

    def of(self, file: int) -> dict[Code, Emitter]:
        """The emitters of this file: those of the one before it are forgotten."""
        if self.file != file:
            self.file = file
            self.emitters.clear()
        return self.emitters

    def codes(self, lines: Lines, starts: Numbers) -> npt.NDArray[np.int64] | npt.NDArray[np.bytes_]:
        """What tells who wrote the lines that begin there: equal for equal writers."""
        if not self.digits.size:
            return np.zeros(len(starts), np.int64)
        found = lines.raw[starts[:, None] + self.digits]
        if self.digits.size > MOST_DIGITS:
            return np.ascontiguousarray(found).view(f"S{self.digits.size}").ravel()
        codes = np.zeros(len(starts), np.int64)
        for column in found.T:
            codes = codes * 10 + (column - ZERO)
        return codes


@dataclass(eq=False, slots=True)
class Head:
    """Heads of one shape that are written alike. `text`: as their lines' keys begin; `runs`: of digits in it.

    `emitters`: who writes below heads of the shape, in the file that is read; `headless`: who writes without a head.
    """

    shape: Shape
    emitters: dict[Who, Emitter]
    headless: dict[Who, Emitter]
    text: str
    runs: int
    _layouts: dict[bytes, Layout | None] = field(default_factory=dict)

    def layouts(self, lines: Lines, members: Numbers) -> Iterator[tuple[Numbers, Layout]]:
        """The lines, put together by layout. Those are left out that cannot be read so."""
        if not self.runs:
            some = [(members, b"")]
        else:
            lengths = lines.run_lengths[lines.first_runs[members][:, None] + np.arange(self.runs)]
            some = list(_alike(members, lengths))
        for these, key in some:
            if key not in self._layouts and len(self._layouts) < MOST_LAYOUTS:
                self._layouts[key] = self._layout(lines.text(int(these[0])))
            layout = self._layouts.get(key)
            if layout is not None:
                yield these, layout

    def who(self, line: str) -> Who:
        """Who wrote this line, of which it is known that the head is of it."""
        found = self.shape.pattern.match(line)
        return found.group(*self.shape.identity) if found is not None and self.shape.identity else None

    def _layout(self, line: str) -> Layout | None:
        """Read off one line. None where the heads end elsewhere than in the line that they were learnt from."""
        found = self.shape.pattern.match(line)
        if found is None or collapsed(line[: found.end()]) != self.text or not line[: found.end()].isascii():
            return None
        told = [place for group in self.shape.identity for place in range(*found.span(group))]
        digits = np.array([place for place in told if line[place].isdigit()], np.int64)
        if not self.shape.time:
            return Layout((0, 0), 0, digits)
        return Layout(found.span(self.shape.time), minute_of(found[self.shape.time]), digits)


def minute_of(when: str) -> int:
    """How much of a time as written stands before its seconds."""
    return min(when.find(":") + 3, MINUTE)


def _alike(members: Numbers, lengths: Numbers) -> Iterator[tuple[Numbers, bytes]]:
    """Lines whose numbers have the same lengths, with these lengths; none whose lengths are beyond all bounds."""
    sane = (lengths <= LONGEST_RUN).all(axis=1)
    members, lengths = members[sane], lengths[sane]
    packed = np.zeros((len(members), -(-lengths.shape[1] // 8) * 8), np.uint8)
    packed[:, : lengths.shape[1]] = lengths
    words = packed.view(np.uint64)
    if (words == words[:1]).all():
        order, cuts = np.arange(len(members)), np.array([], np.int64)
    else:
        order = np.lexsort(words.T)
        ordered = words[order]
        cuts = np.flatnonzero((ordered[1:] != ordered[:-1]).any(axis=1)) + 1
    for some in np.split(order, cuts):
        if len(some) >= FEWEST:
            yield members[some], packed[some[0]].tobytes()
