"""How far the run came, by the steps that its lines report."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kb.core.diagnosis.analysis.series import Anomaly, anomalies
from kb.core.diagnosis.parsing.clocks import seconds
from kb.core.diagnosis.scanning.records import Scan, StepLine


@dataclass(frozen=True)
class Progress:
    """`steps`: the completed iterations of the process that reports most of them. `highest`: begun or completed.

    `survived`: by file, the line of its last iteration but one; the run got over what stands before it.
    """

    steps: tuple[StepLine, ...]
    highest: int
    anomalies: tuple[Anomaly, ...]
    survived: Mapping[int, int]

    @property
    def last_iteration(self) -> int | None:
        """The last iteration that was completed, failing that the last one begun; None where the log has no numbers."""
        if self.steps:
            return self.steps[-1].step.iteration if self.steps[-1].step.is_numbered else None
        return self.highest if self.highest >= 0 else None


def progress_of(scan: Scan) -> Progress:
    """Read the series of the process that reports most steps."""
    counts = Counter(line.emitter.id for line in scan.step_lines)
    reporter = max(counts, key=lambda number: (counts[number], -number), default=None)
    steps = _with_durations([line for line in scan.step_lines if line.emitter.id == reporter])
    highest = max((emitter.iteration for emitter in scan.emitters), default=-1)
    survived = {file: lines[0] for file, lines in scan.latest_steps.items() if len(lines) > 1}
    return Progress(steps, highest, anomalies(steps), survived)


def _with_durations(steps: Sequence[StepLine]) -> tuple[StepLine, ...]:
    """The same steps; where none tells its duration, with the time since the one before it, per iteration."""
    if any(line.step.seconds is not None for line in steps):
        return tuple(steps)
    timed = list(steps[:1])
    for previous, line in pairwise(steps):
        began = seconds(previous.when) if previous.when else None
        ended = seconds(line.when) if line.when else None
        count = line.step.iteration - previous.step.iteration
        step = line.step
        if began is not None and ended is not None and count > 0 and ended > began:
            step = step._replace(seconds=(ended - began) / count)
        timed.append(line._replace(step=step))
    return tuple(timed)
