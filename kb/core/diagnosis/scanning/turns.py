"""Which iterations the lines of a block tell: how far each emitter has come, and where its file got further."""

from collections.abc import Sequence

import numpy as np

from kb.core.diagnosis.scanning.lines import Lines, Numbers
from kb.core.diagnosis.scanning.records import Emitter
from kb.core.diagnosis.scanning.times import Times

# Larger than any iteration.
BEYOND = 10**13


class Turns:
    """The lines that tell an iteration, in their order. `before`: the last one that was told before the block."""

    def __init__(self, places: Numbers, told: Numbers, emitters: Numbers, before: int) -> None:
        order = np.argsort(places, kind="stable")
        self._places, self._told, self._emitters = places[order], told[order], emitters[order]
        self._before = before

    def told_until(self, line: int) -> int:
        """The last iteration that was told up to this line, and in it."""
        place = int(np.searchsorted(self._places, line, "right"))
        return int(self._told[place - 1]) if place else self._before

    def further(self) -> list[int]:
        """The last two lines that told a later iteration than the one told before them."""
        before = np.concatenate(([self._before], self._told[:-1]))
        found: list[int] = self._places[self._told > before][-2:].tolist()
        return found

    def advance(self, emitters: Sequence[Emitter], lines: Lines, times: Times, base: int) -> None:
        """Write down of each emitter how far it came. `base`: the number of the line before the block."""
        if not len(self._places):
            return
        order = np.argsort(self._emitters, kind="stable")
        who, places, told = self._emitters[order], self._places[order], self._told[order]
        numbers, of = np.unique(who, return_inverse=True)
        floors = np.array([emitters[number].iteration for number in numbers.tolist()], np.int64)
        shift = np.arange(len(numbers)) * BEYOND
        lifted = told + shift[of]
        highest = np.maximum.accumulate(lifted)
        before = np.maximum(np.concatenate(([-1], highest[:-1])), (floors + shift)[of])
        later = np.flatnonzero(lifted > before)
        steps = np.bincount(of[later], minlength=len(numbers))
        last = np.zeros(len(numbers), np.int64)
        last[of[later]] = later
        for place in np.flatnonzero(steps).tolist():
            emitter, at = emitters[int(numbers[place])], int(last[place])
            line = int(places[at])
            emitter.iteration, emitter.iteration_line = int(told[at]), base + line + 1
            emitter.steps += int(steps[place])
            emitter.iteration_when, emitter.iteration_text = times.at(line), lines.text(line)
