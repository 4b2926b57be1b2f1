"""What is kept of the steps that lines tell of as done: all for who told first in a file, the pace for everybody."""

from collections.abc import Sequence

import numpy as np

from kb.core.diagnosis.parsing.steps import step
from kb.core.diagnosis.scanning.crowds import together
from kb.core.diagnosis.scanning.kinds import BODY
from kb.core.diagnosis.scanning.lines import Numbers
from kb.core.diagnosis.scanning.records import MOST_PACES, Emitter, Place, Scan, Told
from kb.core.diagnosis.scanning.step_durations import Values
from kb.core.diagnosis.scanning.times import Times
from kb.core.diagnosis.scanning.triage import Measured

# Every process tells the same of a step, but for how long it took: so many of each file speak for all.
MOST_TELLERS = 4
SHOWN = 600


class Measuring:
    """Takes what the lines of each block tell."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._file = -1
        self._tellers: list[int] = []

    def take(self, file: int, before: int, alone: Sequence[Told], crowd: Sequence[Measured], times: Times) -> None:
        """Steps told by lines that were looked at, and by lines of crowds. `before`: lines read before the block."""
        if file != self._file:
            self._file, self._tellers = file, []
        if not alone and not crowd:
            return
        lines = np.concatenate([[one.place.line - before - 1 for one in alone], *(one.places for one in crowd)])
        emitters = np.concatenate([[one.emitter.id for one in alone], *(one.emitters for one in crowd)])
        paces = np.concatenate([[one.step.seconds or 0.0 for one in alone], *(one.paces for one in crowd)])
        order = np.argsort(lines, kind="stable")
        self._choose(emitters[order].astype(np.int64))
        self._keep_paces(emitters[order].astype(np.int64), paces[order])
        told = [one for one in alone if one.emitter.id in self._tellers]
        for one in crowd:
            told += self._read(one, file, before, times)
        self._scan.told.extend(sorted(told, key=lambda one: one.place))

    def _choose(self, emitters: Numbers) -> None:
        """The first that tell speak for all."""
        if len(self._tellers) < MOST_TELLERS:
            numbers, firsts = np.unique(emitters, return_index=True)
            new = [number for number in numbers[np.argsort(firsts)].tolist() if number not in self._tellers]
            self._tellers += new[: MOST_TELLERS - len(self._tellers)]

    def _keep_paces(self, emitters: Numbers, paces: Values) -> None:
        known = np.flatnonzero(np.isfinite(paces) & (paces > 0))
        for number, places in together(emitters[known]):
            _remember(self._scan.emitters[number], paces[known[places]])

    def _read(self, one: Measured, file: int, before: int, times: Times) -> list[Told]:
        """All that the lines of a crowd tell that are the tellers'."""
        found = []
        how = one.kind.plan
        for place in np.flatnonzero(np.isin(one.emitters, self._tellers)).tolist():
            line = int(one.places[place])
            text = one.lines.text(line)
            head = one.kind.match(text)
            if head is not None and how is not None:
                emitter = self._scan.emitters[int(one.emitters[place])]
                where = Place(file, before + line + 1)
                found.append(Told(where, emitter, times.at(line), step(head, how), text[head.start(BODY) :][:SHOWN]))
        return found


def _remember(emitter: Emitter, paces: Values) -> None:
    emitter.paces.frombytes(paces[-MOST_PACES:].tobytes())
    del emitter.paces[:-MOST_PACES]
