"""Lines of a block that need not be looked at one by one: who wrote each, and when. Counting them is left to others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kb.core.diagnosis.scanning.lines import Lines, Numbers
from kb.core.diagnosis.scanning.prefixes import FEWEST, Head, Layout, Who
from kb.core.diagnosis.scanning.records import Emitter

NOBODY = -1


@dataclass(eq=False, slots=True)
class Writer:
    """Who wrote some lines of a block, `first` the first of them. The emitter is none until that line is looked at."""

    head: Head
    layout: Layout
    code: int | bytes
    first: int
    emitter: Emitter | None

    def known_as(self, emitter: Emitter) -> None:
        """It turned out who it is."""
        self.emitter = emitter
        self.layout.emitters[self.code] = emitter


class Crowds:
    """The lines of a block by who wrote them. `of`: for each line, its writer's place in `writers`, or nobody.

    `times`, `lengths`, `minutes`: where the line's time stands in the block, and how much of it is before its seconds.
    """

    def __init__(self, lines: Lines, heads: Sequence[Head], head_of: Numbers, file: int) -> None:
        self._lines, self._file = lines, file
        self.of: Numbers = np.full(len(lines), NOBODY, np.int64)
        self.times, self.lengths, self.minutes = (np.zeros(len(lines), np.int64) for _ in range(3))
        self.writers: list[Writer] = []
        for number, members in together(head_of):
            if number >= 0 and len(members) >= FEWEST:
                for some, layout in heads[number].layouts(lines, members):
                    self._add(heads[number], layout, some)

    def _add(self, head: Head, layout: Layout, members: Numbers) -> None:
        starts = self._lines.starts[members]
        if layout.minute:
            begin, end = layout.time
            self.times[members] = starts + begin
            self.lengths[members] = end - begin
            self.minutes[members] = layout.minute
        known = layout.of(self._file)
        codes, firsts, numbers = np.unique(layout.codes(self._lines, starts), return_index=True, return_inverse=True)
        self.of[members] = numbers + len(self.writers)
        for code, first in zip(codes.tolist(), members[firsts].tolist(), strict=True):
            writer = Writer(head, layout, code, first, known.get(code))
            if writer.emitter is None and (emitter := _emitter(head, head.who(self._lines.text(first)))) is not None:
                writer.known_as(emitter)
            self.writers.append(writer)

    def wrote(self, number: int) -> Numbers:
        """The lines of this writer."""
        return np.flatnonzero(self.of == number)


def _emitter(head: Head, who: Who) -> Emitter | None:
    return head.headless.get(None) if who is None else head.emitters.get(who)


def together(numbers: Numbers) -> Iterator[tuple[int, Numbers]]:
    """The places at which each number stands, in their order."""
    if not len(numbers):
        return
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    for places in np.split(order, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1):
        yield int(numbers[places[0]]), places
