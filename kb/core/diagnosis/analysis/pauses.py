"""Whether a run fell silent without ending, for far longer than its steps take. What that means is judged elsewhere."""

from dataclasses import dataclass
from statistics import median

from kb.core.diagnosis.analysis.order import Order
from kb.core.diagnosis.analysis.progress import Progress
from kb.core.diagnosis.parsing.quiet import QUIET_WORK, SECONDS, STEPS, WORKS_QUIETLY
from kb.core.diagnosis.scanning.records import Occurrence, Place, Scan, Silence

LONGEST = 30 * 86_400.0
# More lines without a time may have been written by a run that goes on.
MOST_UNDATED = 1
# A server that says so often in a row that its requests get nowhere stands still.
FEWEST_STALLED = 3
STALLED = "From here on, the server generates nothing for the requests that it runs."


@dataclass(frozen=True)
class Pause:
    """The run fell silent although it did not end, for at least so many seconds after this line.

    `is_watched`: somebody saw it stand still, and does not only read about it. `why`: what shows it, if not the clock.
    """

    seconds: float
    after: Place
    text: str
    is_watched: bool = False
    why: str = ""


def watched_pause(scan: Scan, progress: Progress, seconds: float) -> Pause:
    """The pause that somebody sees in a run whose log ends with it: after the last line of the file with its steps."""
    steps = progress.steps
    file = steps[-1].place.file if steps else max(range(len(scan.lines)), key=scan.lines.__getitem__)
    number, text = scan.tails[file][-1] if scan.tails[file] else (1, "")
    return Pause(seconds, Place(file, number), text, is_watched=True)


def stalled_pause(scan: Scan) -> Pause | None:
    """The pause of a server that works on requests to the end of its log, and gets nowhere."""
    for reports in scan.stalled.values():
        if len(reports) >= FEWEST_STALLED:
            place, text = reports[0]
            return Pause(0.0, place, text, is_watched=True, why=STALLED)
    return None


def final_pause(scan: Scan, progress: Progress, order: Order, end: Occurrence | None) -> Pause | None:
    """The pause at the end of the run, if it is far longer than its steps take.

    `end`: the line that says that the run was ended from outside.
    """
    if scan.serving_lines and not progress.steps:
        # Nobody asks a server at night.
        return None
    durations = [line.step.seconds for line in progress.steps if line.step.seconds]
    least = max(SECONDS, STEPS * median(durations)) if durations else SECONDS
    stepped = _last_step(scan, progress, order)
    for silence in scan.silences:
        if silence.seconds < least or _may_be_at_work(silence.before, silence.seconds) or _holds(silence, end):
            continue
        if not _has_steps(silence, scan, order, stepped, least):
            return Pause(silence.seconds, Place(silence.place.file, silence.place.line - 1), silence.before)
    return _pause_before(end, scan, order, least) if end is not None else None


def _holds(silence: Silence, end: Occurrence | None) -> bool:
    """Whether the run was ended before the silence, or in it."""
    return end is not None and silence.place.file == end.place.file and silence.place.line > end.place.line


def _last_step(scan: Scan, progress: Progress, order: Order) -> float | None:
    """When the last step was told of, begun or completed, by anybody; None where no clock tells."""
    told = [(emitter.file, emitter.iteration_when) for emitter in scan.emitters if emitter.iteration >= 0]
    told += [(line.place.file, line.when) for line in progress.steps[-1:]]
    times = [time for file, when in told if (time := order.time(file, when)) is not None]
    return max(times, default=None)


def _has_steps(silence: Silence, scan: Scan, order: Order, stepped: float | None, least: float) -> bool:
    """Whether a step was told of after the silence began, as far as clocks tell: lines without one may be in it."""
    if _works_on(silence.place.file, silence.since, scan) or _last_line(silence.place.file, scan) >= silence.place.line:
        return True
    ended = order.time(silence.place.file, silence.when)
    return ended is not None and stepped is not None and ended - stepped < least


def _works_on(file: int, dated: int, scan: Scan) -> bool:
    """Whether iterations went by after this line, the last one with a time: one may have been begun and not ended."""
    steps = scan.latest_steps.get(file, [])
    return bool(steps) and steps[0] > dated


def _last_line(file: int, scan: Scan) -> int:
    return scan.latest_steps.get(file, [0])[-1]


def _may_be_at_work(text: str, seconds: float) -> bool:
    return seconds < QUIET_WORK and WORKS_QUIETLY.search(text) is not None


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
    if not least <= ended - time <= LONGEST or _goes_on_undated(file, end, scan):
        return None
    before = [(number, text) for number, text in scan.tails[file] if Place(file, number) != end.place]
    number, text = before[-1] if before else (1, "")
    return None if _may_be_at_work(text, ended - time) else Pause(ended - time, Place(file, number), text)


def _goes_on_undated(file: int, end: Occurrence, scan: Scan) -> bool:
    """Whether lines without a time show that the run worked on after the last line with one."""
    dated = scan.last_dated[file]
    if file in scan.latest_steps:
        return _works_on(file, dated, scan)
    last = end.place.line - 1 if end.place.file == file else scan.lines[file]
    return last - dated > MOST_UNDATED
