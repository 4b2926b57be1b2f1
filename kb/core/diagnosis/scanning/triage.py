"""Which lines of a block are looked at one by one, and which are only counted, together with others like them."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from kb.core.diagnosis.parsing.masking import collapsed
from kb.core.diagnosis.parsing.steps import LONGEST as LONGEST_STEP
from kb.core.diagnosis.parsing.steps import UNNUMBERED
from kb.core.diagnosis.reading.blocks import LONGEST
from kb.core.diagnosis.scanning.digits import BLANK, COUNTED, NO_STEP, ByDigits
from kb.core.diagnosis.scanning.keys import Kind
from kb.core.diagnosis.scanning.kinds import Kinds
from kb.core.diagnosis.scanning.lines import UNKNOWN, Bits, Lines, Numbers
from kb.core.diagnosis.scanning.prefixes import NOBODY, Writers, group_by
from kb.core.diagnosis.scanning.records import Emitter
from kb.core.diagnosis.scanning.steps import CompletedSteps, Iterations

# So many lines of each template are looked at, and kept.
FIRST = 2


class Triage:
    """The lines of a block. `singles`: those that are looked at; those without a writer besides are blank.

    A line with a known writer is looked at, too, if it is among the first of its template or of its writer in the file.
    """

    def __init__(self, lines: Lines, kinds: Kinds, file: int) -> None:
        self.lines = lines
        self._kinds = kinds
        self._new_kinds: dict[int, Kind] = {}
        self._keys = self._key_numbers()
        prefix_of, self._templates, self._steps = kinds.keys.tables(self._keys)
        self.writers = Writers(lines, kinds.prefixes, prefix_of, file)
        self._is_single: Bits = (self.writers.of == NOBODY) & (prefix_of != BLANK) & (self._keys != UNKNOWN)
        self._is_single[list(self._new_kinds)] = True
        self._lines_of: dict[int, list[int]] = {}
        self._writers_of: defaultdict[int, list[int]] = defaultdict(list)
        self._set_apart_firsts()
        self.singles: list[int] = np.flatnonzero(self._is_single).tolist()

    def kind(self, line: int) -> Kind:
        """The kind of a line. Raises `LookupError` for a blank one."""
        kind = self._new_kinds.get(line) or self._kinds.keys.kinds[self._keys[line]]
        if kind is None:
            raise LookupError("a blank line is of no kind")
        return kind

    def identify(self, line: int, emitter: Emitter) -> None:
        """Remember who wrote this line, and with it all lines of its writer."""
        number = int(self.writers.of[line])
        if number != NOBODY and self.writers.all[number].emitter is None:
            self.writers.all[number].identify(emitter)
            self._writers_of[emitter.id].append(number)

    def set_apart_next(self, emitter: Emitter, line: int) -> int | None:
        """The next line of the emitter that would only be counted: it is now to be looked at. None if there is none."""
        following: list[int] = []
        for number in self._writers_of.get(emitter.id, ()):
            if number not in self._lines_of:
                self._lines_of[number] = np.flatnonzero(self.writers.of == number).tolist()
            lines = self._lines_of[number]
            place = bisect_right(lines, line)
            following += lines[place : place + 1]
        if not following or self._is_single[min(following)]:
            return None
        self._is_single[min(following)] = True
        return min(following)

    @property
    def _counted(self) -> Bits:
        """The lines that are not looked at."""
        counted: Bits = (self.writers.of != NOBODY) & ~self._is_single
        return counted

    def count(self) -> None:
        """Count the lines that are not looked at, by template and emitter."""
        places = np.flatnonzero(self._counted)
        size = len(self.writers.all)
        pairs, counts = np.unique(self._templates[places] * size + self.writers.of[places], return_counts=True)
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
            writer = self.writers.all[pair % size]
            emitter = writer.emitter
            if emitter is not None:
                emitter.dated += count if writer.layout.minute else 0
                self._kinds.templates[pair // size].add(emitter.id, count)

    def iterations(self) -> Iterations:
        """The steps in the lines that are not looked at; `UNNUMBERED` where they do not tell their iteration."""
        places = np.flatnonzero((self._steps != NO_STEP) & self._counted)
        has_number = self._steps[places] != COUNTED
        runs = self.lines.first_runs[places[has_number]] + self._steps[places[has_number]]
        values, is_number = np.full(len(places), UNNUMBERED), np.ones(len(places), np.bool_)
        values[has_number], is_number[has_number] = self.lines.numbers(runs, LONGEST_STEP)
        ids = [NOBODY if writer.emitter is None else writer.emitter.id for writer in self.writers.all]
        emitters = np.array(ids, np.int64)[self.writers.of[places]]
        return Iterations(places[is_number], values[is_number], emitters[is_number])

    def serving(self) -> Numbers:
        """The lines that are not looked at and show a server at work."""
        keys = self._kinds.keys.serving
        if not keys:
            return np.zeros(0, np.int64)
        serving: Numbers = np.flatnonzero(np.isin(self._keys, keys) & self._counted)
        return serving

    def completed_steps(self, iterations: Iterations) -> Iterator[CompletedSteps]:
        """Those of these lines that report their step as completed, by kind."""
        keys = self._kinds.keys
        for number, group in group_by(self._keys[iterations.lines]):
            kind, duration = keys.kinds[number], keys.durations[number]
            if kind is not None and kind.plan is not None and kind.plan.is_done:
                places = iterations.lines[group]
                seconds = np.zeros(len(group)) if duration is None else duration.seconds(self.lines, places)
                yield CompletedSteps(kind, places, iterations.emitters[group], seconds)

    def _key_numbers(self) -> Numbers:
        """The number of each line's key. New keys are learnt, in their order; blank lines have none."""
        lines, known = self.lines, self._kinds.keys.numbers
        numbers = lines.key_numbers(known)
        for line in np.flatnonzero(numbers == UNKNOWN).tolist():
            key = lines.key(line)
            if key not in known:
                self._learn(line, key.decode("utf-8", "surrogatepass"))
            numbers[line] = known.get(key, UNKNOWN)
        return numbers

    def _learn(self, line: int, key: str) -> None:
        if not key or key.isspace():
            self._kinds.keys.add(key, None, ByDigits(prefix=BLANK))
            return
        text = self.lines.text(line)
        if len(text) > LONGEST:
            text = text[:LONGEST]
            key = collapsed(text)
        self._new_kinds[line] = self._kinds.known(key) or self._kinds.learn(key, text)

    def _set_apart_firsts(self) -> None:
        """Mark the lines with a writer that must be looked at."""
        for number, writer in enumerate(self.writers.all):
            if writer.emitter is None or writer.emitter.block is not None:
                self._is_single[writer.first] = True
            if writer.emitter is not None:
                self._writers_of[writer.emitter.id].append(number)
        written = np.flatnonzero(self.writers.of != NOBODY)
        for template, places in group_by(self._templates[written]):
            if self._kinds.templates[template].count <= FIRST:
                self._is_single[written[places[:FIRST]]] = True
