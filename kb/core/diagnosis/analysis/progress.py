"""How far the run came, by the steps that its lines report, and whether it stopped without ending."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from kb.core.diagnosis.analysis.order import Order
from kb.core.diagnosis.analysis.series import Anomaly, anomalies
from kb.core.diagnosis.parsing.clocks import seconds
from kb.core.diagnosis.scanning.records import Occurrence, Place, Scan, StepLine

# A pause that is many times the usual step, and minutes long, is a hang and not a slow step.
STEPS, SECONDS = 8.0, 240.0
LONGEST = 30 * 86_400.0


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


@dataclass(frozen=True)
class Pause:
    """The run fell silent although it did not end, for at least so many seconds after this line."""

    seconds: float
    after: Place
    text: str


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


def final_pause(scan: Scan, progress: Progress, order: Order, end: Occurrence | None) -> Pause | None:
    """The pause at the end of the run, if it is far longer than its steps take.

    `end`: the line that says that the run was ended from outside.
    """
    durations = [line.step.seconds for line in progress.steps if line.step.seconds]
    least = max(SECONDS, STEPS * median(durations)) if durations else SECONDS
    for silence in scan.silences:
        if silence.seconds < least:
            continue
        if progress.steps:
            # The silence must have lasted for long after the last step too, not only since something else was written.
            last = progress.steps[-1]
            ended, stepped = order.time(silence.place.file, silence.when), order.time(last.place.file, last.when)
            if ended is None or stepped is None:
                is_after_steps = order.key(silence.place, silence.when) > order.key(last.place, last.when)
            else:
                is_after_steps = ended - stepped >= least
            if not is_after_steps:
                continue
        return Pause(silence.seconds, Place(silence.place.file, silence.place.line - 1), silence.before)
    return _pause_before(end, scan, order, least) if end is not None else None


def _pause_before(end: Occurrence, scan: Scan, order: Order, least: float) -> Pause | None:
    """The pause before the line that ended the run, by the time in its text, else by its prefix in its own file."""
    ended = order.moment(end)
    last_times: list[tuple[float, int]] = []
    for file, when in enumerate(scan.last_times):
        time = order.time(file, when)
        if time is not None and (end.own_time or file != end.place.file):
            last_times.append((time, file))
    if ended is None or not last_times:
        return None
    time, file = max(last_times)
    # Clocks that are so far apart do not tell of the same thing.
    if not least <= ended - time <= LONGEST:
        return None
    for number, text in reversed(scan.tails[file]):
        if Place(file, number) != end.place:
            return Pause(ended - time, Place(file, number), text)
    return Pause(ended - time, Place(file, 1), "")
