"""The writers of a block's lines, by prefixes that are equal but for their digits, for many lines at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kb.core.diagnosis.parsing.masking import collapsed
from kb.core.diagnosis.parsing.prefixes import Shape
from kb.core.diagnosis.scanning.lines import ZERO, Lines, Numbers, TimeSpans, minute_length
from kb.core.diagnosis.scanning.records import Emitter

# What a line's prefix says of who wrote it: one value, several in the order of the fields, or nothing.
Identity: TypeAlias = str | tuple[str | None, ...] | None
# The digits that tell who wrote a line: as a number, or as they are where there are too many.
Code: TypeAlias = int | bytes

# Fewer lines are sooner looked at one by one.
FEWEST = 12
MOST_RUNS, MOST_LAYOUTS, LONGEST_RUN, MOST_DIGITS = 64, 1_000, 255, 18
NOBODY = -1


@dataclass(eq=False, slots=True)
class Layout:
    """Where a prefix holds its facts, once the lengths of its numbers are known. Places are from the line's start.

    `time`: from where to where, both 0 for none; `minute`: how much of it stands before the seconds. `digits`: those
    that tell who wrote the line. `emitters`: by these digits, those of one `file`.
    """

    time: tuple[int, int]
    minute: int
    digits: Numbers
    file: int = -1
    emitters: dict[Code, Emitter] = field(default_factory=dict)

    def emitters_of(self, file: int) -> dict[Code, Emitter]:
        """The emitters of this file: those of the one before it are forgotten."""
        if self.file != file:
            self.file = file
            self.emitters.clear()
        return self.emitters

    def codes(self, lines: Lines, starts: Numbers) -> npt.NDArray[np.int64] | npt.NDArray[np.bytes_]:
        """What tells who wrote the lines that begin there: equal for equal writers."""
        if not self.digits.size:
            return np.zeros(len(starts), np.int64)
        digits = lines.raw[starts[:, None] + self.digits]
        if self.digits.size > MOST_DIGITS:
            return np.ascontiguousarray(digits).view(f"S{self.digits.size}").ravel()
        codes = np.zeros(len(starts), np.int64)
        for column in digits.T:
            codes = codes * 10 + (column - ZERO)
        return codes


@dataclass(eq=False, slots=True)
class Prefix:
    """Prefixes of one shape that are written alike. `text`: as their lines' keys begin; `runs`: of digits in it.

    `emitters`: who writes behind prefixes of the shape, in the file that is read; `unprefixed`: who writes without one.
    """

    shape: Shape
    emitters: dict[Identity, Emitter]
    unprefixed: dict[Identity, Emitter]
    text: str
    runs: int
    _layouts: dict[bytes, Layout | None] = field(default_factory=dict)

    def by_layout(self, lines: Lines, members: Numbers) -> Iterator[tuple[Numbers, Layout]]:
        """The lines, grouped by layout, without those that cannot be read so."""
        groups = [(members, b"")]
        if self.runs:
            groups = _by_lengths(members, lines.run_lengths[lines.first_runs[members][:, None] + np.arange(self.runs)])
        for group, key in groups:
            if key not in self._layouts and len(self._layouts) < MOST_LAYOUTS:
                self._layouts[key] = self._read_layout(lines.text(int(group[0])))
            layout = self._layouts.get(key)
            if layout is not None:
                yield group, layout

    def emitter_of(self, line: str) -> Emitter | None:
        """The emitter of a line that has this prefix, if it is known already."""
        match = self.shape.pattern.match(line)
        identity = match.group(*self.shape.identity) if match is not None and self.shape.identity else None
        return self.unprefixed.get(None) if identity is None else self.emitters.get(identity)

    def _read_layout(self, line: str) -> Layout | None:
        """Read off one line. None where its prefix ends elsewhere than in the line that it was learnt from."""
        match = self.shape.pattern.match(line)
        text = line[: self.shape.reach(match)] if match is not None else ""
        if match is None or collapsed(text) != self.text or not text.isascii():
            return None
        places: list[int] = []
        for group in self.shape.identity:
            places += [place for place in range(*match.span(group)) if line[place].isdigit()]
        digits = np.array(places, np.int64)
        if not self.shape.time:
            return Layout((0, 0), 0, digits)
        return Layout(match.span(self.shape.time), minute_length(match[self.shape.time]), digits)


def _by_lengths(members: Numbers, lengths: Numbers) -> list[tuple[Numbers, bytes]]:
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
    groups = np.split(order, cuts)
    return [(members[group], packed[group[0]].tobytes()) for group in groups if len(group) >= FEWEST]


@dataclass(eq=False, slots=True)
class Writer:
    """The writer of some lines of a block, `first` the first of them. The emitter is None until that line is read."""

    layout: Layout
    code: Code
    first: int
    emitter: Emitter | None

    def identify(self, emitter: Emitter) -> None:
        """Remember who it is."""
        self.emitter = emitter
        self.layout.emitters[self.code] = emitter


class Writers:
    """The lines of a block that need not be looked at one by one, by who wrote them, and when.

    `of`: for each line, its writer's number, or `NOBODY`; `times`: where the lines' times stand in the block.
    """

    def __init__(self, lines: Lines, prefixes: Sequence[Prefix], prefix_of: Numbers, file: int) -> None:
        self._lines, self._file = lines, file
        self.of: Numbers = np.full(len(lines), NOBODY, np.int64)
        self.times = TimeSpans(*(np.zeros(len(lines), np.int64) for _ in range(3)))
        self.all: list[Writer] = []
        for number, members in group_by(prefix_of):
            if number >= 0 and len(members) >= FEWEST:
                for group, layout in prefixes[number].by_layout(lines, members):
                    self._add(prefixes[number], layout, group)

    def _add(self, prefix: Prefix, layout: Layout, members: Numbers) -> None:
        starts = self._lines.starts[members]
        if layout.minute:
            begin, end = layout.time
            self.times.starts[members] = starts + begin
            self.times.lengths[members] = end - begin
            self.times.minutes[members] = layout.minute
        known = layout.emitters_of(self._file)
        codes, firsts, numbers = np.unique(layout.codes(self._lines, starts), return_index=True, return_inverse=True)
        self.of[members] = numbers + len(self.all)
        for code, first in zip(codes.tolist(), members[firsts].tolist(), strict=True):
            writer = Writer(layout, code, first, known.get(code))
            if writer.emitter is None:
                emitter = prefix.emitter_of(self._lines.text(first))
                if emitter is not None:
                    writer.identify(emitter)
            self.all.append(writer)


def group_by(numbers: Numbers) -> Iterator[tuple[int, Numbers]]:
    """The places at which each number stands, in their order."""
    if not len(numbers):
        return
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    for places in np.split(order, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1):
        yield int(numbers[places[0]]), places
