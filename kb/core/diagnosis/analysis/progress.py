"""How far the run came, by the steps that its lines tell of."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kb.core.diagnosis.analysis.series import Anomaly, anomalies
from kb.core.diagnosis.parsing.clocks import seconds
from kb.core.diagnosis.scanning.records import Emitter, Scan, Told


@dataclass(frozen=True)
class Progress:
    """`done`: iterations that were completed, of the process that tells most of them. `highest`: begun or done.

    `late`: of each file, the line of its last iteration but one: what stands before it was survived.
    """

    done: tuple[Told, ...]
    highest: int
    anomalies: tuple[Anomaly, ...]
    late: Mapping[int, int]

    @property
    def last(self) -> int | None:
        """The last iteration that was completed, or failing that begun."""
        return self.done[-1].step.iteration if self.done else self.highest if self.highest >= 0 else None


def progress(scan: Scan) -> Progress:
    """Read the series of the process that tells most."""
    teller = _teller(scan)
    done = _paced([told for told in scan.told if told.emitter is teller])
    highest = max((emitter.iteration for emitter in scan.emitters), default=-1)
    late = {file: lines[0] for file, lines in scan.turns.items() if len(lines) > 1}
    return Progress(done, highest, anomalies(done), late)


def _paced(done: Sequence[Told]) -> tuple[Told, ...]:
    """The same steps; where none tells how long it took, by the times of their lines."""
    if any(told.step.seconds is not None for told in done):
        return tuple(done)
    return (*done[:1], *(_timed(before, told) for before, told in pairwise(done)))


def _timed(before: Told, told: Told) -> Told:
    """The step with the seconds since the one before it, for each step between; as it was where no time tells."""
    began, ended = (seconds(when) if when else None for when in (before.when, told.when))
    steps = told.step.iteration - before.step.iteration
    if began is None or ended is None or steps <= 0 or ended <= began:
        return told
    return told._replace(step=told.step._replace(seconds=(ended - began) / steps))


def _teller(scan: Scan) -> Emitter | None:
    counts = Counter(told.emitter.id for told in scan.told)
    if not counts:
        return None
    best = max(counts, key=lambda number: (counts[number], -number))
    return next(emitter for emitter in scan.emitters if emitter.id == best)
