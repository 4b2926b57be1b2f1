"""Which lines of a block are looked at one by one, and which are only counted, together with others like them."""

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from kb.core.diagnosis.parsing.masking import collapsed
from kb.core.diagnosis.parsing.steps import LONGEST as LONGEST_STEP
from kb.core.diagnosis.reading.blocks import LONGEST
from kb.core.diagnosis.scanning.crowds import NOBODY, Crowds, Writer, together
from kb.core.diagnosis.scanning.kinds import BLANK, NO_STEP, Kind, Kinds
from kb.core.diagnosis.scanning.lines import UNKNOWN, Bits, Lines, Numbers
from kb.core.diagnosis.scanning.records import Emitter
from kb.core.diagnosis.scanning.step_durations import Values

# So many lines of each template are looked at, and kept.
FIRST = 2


class Measured(NamedTuple):
    """Lines of a kind that tell of steps as done, the ids of who wrote them, and the seconds they took; 0 for none."""

    kind: Kind
    lines: Lines
    places: Numbers
    emitters: Numbers
    paces: Values


class Sorting:
    """The lines of a block. `singles`: those that are looked at; what is neither in there nor in a crowd is blank.

    A crowd's line is looked at, too, if it is among the first of its template or of its writer in the file.
    """

    def __init__(self, lines: Lines, kinds: Kinds, file: int) -> None:
        self.lines = lines
        self._kinds, self._alone = kinds, dict[int, Kind]()
        self._numbers = self._learnt()
        head_of, self._templates, self._steps = kinds.keys.tables(self._numbers)
        self.crowds = Crowds(self.lines, kinds.heads, head_of, file)
        self.is_single: Bits = (self.crowds.of == NOBODY) & (head_of != BLANK) & (self._numbers != UNKNOWN)
        self.is_single[list(self._alone)] = True
        self._orders: dict[int, list[int]] = {}
        self._writers: dict[int, list[int]] = {}
        self._set_apart()
        self.singles: list[int] = np.flatnonzero(self.is_single).tolist()

    def kind(self, line: int) -> Kind:
        """The kind of a line. Raises `LookupError` for a blank one."""
        kind = self._alone.get(line) or self._kinds.keys.kinds[self._numbers[line]]
        if kind is None:
            raise LookupError("a blank line is of no kind")
        return kind

    def known_as(self, line: int, emitter: Emitter) -> None:
        """Who wrote this line, and with it all of its crowd that one writer wrote, turned out to be the emitter."""
        number = int(self.crowds.of[line])
        if number != NOBODY and self.crowds.writers[number].emitter is None:
            self.crowds.writers[number].known_as(emitter)
            self._writers.setdefault(emitter.id, []).append(number)

    def set_apart_next(self, emitter: Emitter, line: int) -> int | None:
        """The next line of the emitter that would only be counted: it is now to be looked at. None if there is none."""
        after = [
            place for number in self._writers.get(emitter.id, ()) if (place := self._next(number, line)) is not None
        ]
        if not after or self.is_single[min(after)]:
            return None
        self.is_single[min(after)] = True
        return min(after)

    def counted(self) -> Iterator[tuple[int, Writer, int]]:
        """How many lines of each template each writer wrote, of those that were not looked at."""
        places = np.flatnonzero((self.crowds.of != NOBODY) & ~self.is_single)
        size = len(self.crowds.writers)
        pairs, counts = np.unique(self._templates[places] * size + self.crowds.of[places], return_counts=True)
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
            yield pair // size, self.crowds.writers[pair % size], count

    def steps(self) -> tuple[Numbers, Numbers, Numbers]:
        """The lines that tell an iteration and were not looked at, what it is, and the ids of their emitters."""
        places = np.flatnonzero((self._steps != NO_STEP) & (self.crowds.of != NOBODY) & ~self.is_single)
        told, is_number = self.lines.numbers(self.lines.first_runs[places] + self._steps[places], LONGEST_STEP)
        emitters = [NOBODY if writer.emitter is None else writer.emitter.id for writer in self.crowds.writers]
        ids = np.array(emitters, np.int64)[self.crowds.of[places]]
        return places[is_number], told[is_number], ids[is_number]

    def measured(self, places: Numbers, emitters: Numbers) -> Iterator[Measured]:
        """Which of these lines tell of steps as done, by kind. `emitters`: their ids."""
        keys = self._kinds.keys
        for number, some in together(self._numbers[places]):
            kind, pace = keys.kinds[number], keys.paces[number]
            if kind is not None and kind.plan is not None and kind.plan.is_done:
                paces = np.zeros(len(some)) if pace is None else pace.of(self.lines, places[some])
                yield Measured(kind, self.lines, places[some], emitters[some], paces)

    def _learnt(self) -> Numbers:
        """The number of each line's key. New keys are learnt, in their order; blank lines have none."""
        lines, known = self.lines, self._kinds.keys.numbers
        numbers = lines.key_numbers(known)
        for line in np.flatnonzero(numbers == UNKNOWN).tolist():
            key = lines.key(line)
            if key not in known:
                self._learn(line, key)
            numbers[line] = known.get(key, UNKNOWN)
        return numbers

    def _learn(self, line: int, key: bytes) -> None:
        text, name = self.lines.text(line), key.decode("utf-8", "surrogatepass")
        if not name or name.isspace():
            self._kinds.keys.add(name, None, BLANK, NO_STEP)
            return
        if len(text) > LONGEST:
            text = text[:LONGEST]
            name = collapsed(text)
        self._alone[line] = self._kinds.known(name) or self._kinds.learn(name, text)

    def _set_apart(self) -> None:
        """Lines of crowds that must be looked at."""
        of = self.crowds.of
        for number, writer in enumerate(self.crowds.writers):
            if writer.emitter is None or writer.emitter.block is not None:
                self.is_single[writer.first] = True
            if writer.emitter is not None:
                self._writers.setdefault(writer.emitter.id, []).append(number)
        in_crowds = np.flatnonzero(of != NOBODY)
        for template, places in together(self._templates[in_crowds]):
            if self._kinds.templates[template].count <= FIRST:
                self.is_single[in_crowds[places[:FIRST]]] = True

    def _next(self, number: int, line: int) -> int | None:
        places = self._orders.get(number)
        if places is None:
            places = self._orders[number] = self.crowds.wrote(number).tolist()
        at = bisect_right(places, line)
        return places[at] if at < len(places) else None
