"""What the lines of a block report of steps: how far each emitter has come, and the series of a few of them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kb.core.diagnosis.parsing.steps import UNNUMBERED, step
from kb.core.diagnosis.scanning.keys import BODY, Kind
from kb.core.diagnosis.scanning.lines import Bits, Lines, Numbers, Times, Values
from kb.core.diagnosis.scanning.prefixes import group_by
from kb.core.diagnosis.scanning.records import MOST_PACES, Emitter, Place, Scan, StepLine

# Larger than any iteration.
BEYOND = 10**13
# Every process reports the same of a step, but for how long it took: so many of each file speak for all.
MOST_REPORTERS = 4
SHOWN = 600


class Iterations(NamedTuple):
    """Lines that report an iteration: their numbers in the block, the iterations, and the ids of their emitters."""

    lines: Numbers
    values: Numbers
    emitters: Numbers


class IterationLog:
    """The iterations that a block reports, in the order of its lines. `before`: the last one before the block.

    `is_numbered`: a line of the file told its iteration. One that tells none is of the last that was told, if any was;
    else it is counted.
    """

    def __init__(self, parts: Sequence[Iterations], before: int, writers: Sequence[Emitter], is_numbered: bool) -> None:
        lines, values, emitters = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        order = np.argsort(lines, kind="stable")
        self._lines, self._values, self._emitters = lines[order], values[order], emitters[order]
        self._before = before
        self._is_counted = np.zeros(len(lines), np.bool_)
        has_number = self._values != UNNUMBERED
        self.is_numbered = is_numbered or bool(has_number.any())
        if not has_number.all():
            self._number(has_number, writers, is_numbered)

    def _number(self, has_number: Bits, writers: Sequence[Emitter], was_numbered: bool) -> None:
        """Give a number to the steps that are told without one."""
        latest = np.maximum.accumulate(np.where(has_number, np.arange(len(has_number)), -1))
        is_unknown = (latest < 0) & (not was_numbered)
        self._values = np.where(latest < 0, self._before, self._values[latest])
        self._is_counted = is_unknown
        places = np.flatnonzero(is_unknown)
        for number, group in group_by(self._emitters[places]):
            writer = writers[number]
            self._values[places[group]] = writer.reports + 1 + np.arange(len(group))
            writer.reports += len(group)

    def at(self, places: Numbers) -> tuple[Numbers, Bits]:
        """The iterations that these lines report, and which of them were counted."""
        found = np.searchsorted(self._lines, places)
        return self._values[found], self._is_counted[found]

    def latest(self, line: int) -> int:
        """The last iteration that was reported up to this line, and in it."""
        place = int(np.searchsorted(self._lines, line, "right"))
        return int(self._values[place - 1]) if place else self._before

    def advances(self) -> list[int]:
        """The last two lines that reported a later iteration than the one reported before them."""
        before = np.concatenate(([self._before], self._values[:-1]))
        advances: list[int] = self._lines[self._values > before][-2:].tolist()
        return advances

    def update(self, emitters: Sequence[Emitter], lines: Lines, times: Times, base: int) -> None:
        """Write down how far each emitter came. `base`: the number of the line before the block."""
        if not len(self._lines):
            return
        order = np.argsort(self._emitters, kind="stable")
        ids, places, values = self._emitters[order], self._lines[order], self._values[order]
        numbers, of = np.unique(ids, return_inverse=True)
        floors = np.array([emitters[number].iteration for number in numbers.tolist()], np.int64)
        # Lifted by its emitter's number, one running maximum serves for all emitters.
        shift = np.arange(len(numbers)) * BEYOND
        lifted = values + shift[of]
        highest = np.maximum.accumulate(lifted)
        before = np.maximum(np.concatenate(([-1], highest[:-1])), (floors + shift)[of])
        later = np.flatnonzero(lifted > before)
        steps = np.bincount(of[later], minlength=len(numbers))
        last = np.zeros(len(numbers), np.int64)
        last[of[later]] = later
        for number in np.flatnonzero(steps).tolist():
            emitter, place = emitters[int(numbers[number])], int(last[number])
            line = int(places[place])
            emitter.iteration, emitter.iteration_line = int(values[place]), base + line + 1
            emitter.steps += int(steps[number])
            emitter.iteration_when, emitter.iteration_text = times.at(line), lines.text(line)


class CompletedSteps(NamedTuple):
    """Lines of a kind that report steps as completed, the ids of their emitters, and the seconds taken; 0 for none."""

    kind: Kind
    lines: Numbers
    emitters: Numbers
    seconds: Values


class StepSeries:
    """Keeps completed steps: all of the first that report them in a file, the durations of everybody."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._file = -1
        self._reporters: list[int] = []

    def add(
        self,
        block: Lines,
        place: Place,
        singles: Sequence[StepLine],
        groups: Sequence[CompletedSteps],
        iterations: IterationLog,
        times: Times,
    ) -> None:
        """Keep the steps of a block, those of single lines and of groups. `place`: the line before the block."""
        if place.file != self._file:
            self._file, self._reporters = place.file, []
        if not singles and not groups:
            return
        numbers = np.array([single.place.line - place.line - 1 for single in singles], np.int64)
        ids = np.array([single.emitter.id for single in singles], np.int64)
        durations = np.array([single.step.seconds or 0.0 for single in singles], np.float64)
        order = np.argsort(np.concatenate([numbers, *(group.lines for group in groups)]), kind="stable")
        emitters = np.concatenate([ids, *(group.emitters for group in groups)])[order]
        seconds = np.concatenate([durations, *(group.seconds for group in groups)])[order]
        if len(self._reporters) < MOST_REPORTERS:
            self._choose_reporters(emitters)
        self._keep_paces(emitters, seconds)
        kept = _numbered([single for single in singles if single.emitter.id in self._reporters], place, iterations)
        for group in groups:
            kept += self._read(block, place, group, iterations, times)
        self._scan.step_lines.extend(sorted(kept, key=lambda line: line.place))

    def _choose_reporters(self, emitters: Numbers) -> None:
        """The first that report a step speak for all."""
        numbers, firsts = np.unique(emitters, return_index=True)
        for number in numbers[np.argsort(firsts)].tolist():
            if number not in self._reporters and len(self._reporters) < MOST_REPORTERS:
                self._reporters.append(number)

    def _keep_paces(self, emitters: Numbers, seconds: Values) -> None:
        known = np.flatnonzero(np.isfinite(seconds) & (seconds > 0))
        for number, places in group_by(emitters[known]):
            paces = self._scan.emitters[number].paces
            paces.frombytes(seconds[known[places]][-MOST_PACES:].tobytes())
            del paces[:-MOST_PACES]

    def _read(
        self, block: Lines, place: Place, group: CompletedSteps, iterations: IterationLog, times: Times
    ) -> list[StepLine]:
        """All that the reporters' lines of a group report."""
        plan = group.kind.plan
        steps: list[StepLine] = []
        chosen = np.flatnonzero(np.isin(group.emitters, self._reporters))
        values, is_counted = (column.tolist() for column in iterations.at(group.lines[chosen]))
        for number, value, counted in zip(chosen.tolist(), values, is_counted, strict=True):
            line = int(group.lines[number])
            text = block.text(line)
            match = group.kind.match(text)
            if match is not None and plan is not None:
                emitter = self._scan.emitters[int(group.emitters[number])]
                own_place = Place(place.file, place.line + line + 1)
                own_text = text[match.start(BODY) :][:SHOWN]
                own_step = step(match, plan, value, is_numbered=not counted)
                steps.append(StepLine(own_place, emitter, times.at(line), own_step, own_text))
        return steps


def _numbered(lines: Sequence[StepLine], place: Place, iterations: IterationLog) -> list[StepLine]:
    """The same steps, each with a number."""
    values, is_counted = iterations.at(np.array([line.place.line - place.line - 1 for line in lines], np.int64))
    return [
        line._replace(step=line.step._replace(iteration=int(value), is_numbered=not counted))
        for line, value, counted in zip(lines, values, is_counted, strict=True)
    ]
