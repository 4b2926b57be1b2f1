"""Whether a run stands still, by its own rhythm: how long its steps and pauses took so far. It reads no files.

It costs next to nothing while the run is well: a few searches for bytes in what is passed through, and one short line
looked at. What a run is at when it is quiet is only asked once it has been quiet for long.
"""

from collections import deque
from dataclasses import dataclass
from math import inf
from statistics import median

from kb.core.diagnosis.parsing.quiet import QUIET_WORK, SECONDS, STEPS, WORKS_QUIETLY
from kb.core.diagnosis.parsing.steps import BAR, ITERATION

# Before the number of a step stands one of these. The last such line of what was written together speaks for it.
WORDS = (b"step", b"Step", b"iter", b"Iter", b"it/s", b"s/it")
LONGEST_LINE = 400
# Ranks that are some steps apart take turns: only a number that none of the last ones was is a new step.
REMEMBERED = 16
KEPT_GAPS = 256
# Fewer steps make no rhythm.
FEWEST_GAPS = 3
# A pause may be so many times the longest so far.
LONGER = 2.0
# As multiples of the least quiet time: without a rhythm or in a stage that takes long; compiling and similar work.
LONG_STAGE, QUIET_STAGE = 4.0, QUIET_WORK / SECONDS
# Lines that tell what a run is at, counted from its last.
LOOKED_AT, AT_WORK = 20, 3
TAIL = 4096


@dataclass
class Stall:
    """The run stood still. Times are seconds of the run: `noticed`, and when it moved `again`, if it did.

    `quiet`: for how long it had stood still when that was noticed; `limit`: how long it may; `what`: what did not come.
    """

    noticed: float
    quiet: float
    limit: float
    what: str
    last_step: int | None
    usual: float | None
    again: float | None = None


class Rhythm:
    """Hears what the run writes, and knows how long it may be quiet. `least`: no shorter time counts as a stall."""

    def __init__(self, least: float, now: float) -> None:
        self._least = least
        self._wrote = now
        self._stepped = now
        self._steps: deque[int] = deque(maxlen=REMEMBERED)
        self._gaps: deque[float] = deque(maxlen=KEPT_GAPS)
        self._pauses: deque[float] = deque(maxlen=KEPT_GAPS)
        self._tail = b""

    def hear(self, written: bytes, now: float) -> None:
        """The run wrote this."""
        pause = now - self._wrote
        if pause > self._least / LONG_STAGE**2:
            self._pauses.append(pause)
        self._wrote = now
        self._tail = written[-TAIL:] if len(written) >= TAIL else (self._tail + written)[-TAIL:]
        for word in WORDS:
            place = written.rfind(word)
            if place >= 0 and (number := step_in(_line_at(written, place))) is not None:
                self._step(number, now)

    def shift(self, seconds: float) -> None:
        """The run was stopped for so long, and could not have moved."""
        self._wrote += seconds
        self._stepped += seconds

    def moved_since(self, moment: float) -> bool:
        """Whether it moved after that: by a step where it makes steps, else by a line."""
        return (self._stepped if self._has_steps else self._wrote) > moment

    def stall(self, now: float, began: float) -> Stall | None:
        """How the run stands still, if it does. `began`: when it was started."""
        since = self._stepped if self._has_steps else self._wrote
        quiet = now - since
        if quiet <= self._least:
            return None
        limit = self._limit(is_writing=now - self._wrote < self._least)
        if quiet <= limit:
            return None
        last = self._steps[-1] if self._steps else None
        usual = median(self._gaps) if self._has_steps else None
        return Stall(now - began, quiet, limit, "step" if self._has_steps else "output", last, usual)

    @property
    def _has_steps(self) -> bool:
        return len(self._gaps) >= FEWEST_GAPS

    def _step(self, number: int, now: float) -> None:
        if number in self._steps:
            return
        if self._steps:
            self._gaps.append(now - self._stepped)
        self._steps.append(number)
        self._stepped = now

    def _limit(self, *, is_writing: bool) -> float:
        """How long it may be quiet. One that writes without stepping may be at something else than training."""
        patience = patience_of(self._tail.decode(errors="replace"))
        if not self._has_steps:
            return max(self._least * max(patience, LONG_STAGE), LONGER * max(self._pauses, default=0.0))
        usual = max(STEPS * median(self._gaps), LONGER * max(self._gaps))
        return max(self._least * (max(patience, LONG_STAGE) if is_writing else min(patience, QUIET_STAGE)), usual)


def step_in(line: bytes) -> int | None:
    """The number of the step that a line reports, or how far its progress bar is; None if it does neither."""
    text = line.decode(errors="replace")
    match = BAR.search(text) if "%|" in text else ITERATION.search(text)
    return int(match["iteration"][-12:]) if match is not None else None


def patience_of(tail: str) -> float:
    """How much longer than usual a run with these last lines may be quiet; for ever if it is a server."""
    # Compiled when a run is quiet for the first time, not when every run begins.
    from kb.core.diagnosis.parsing.stages import CHECKPOINT, ENDS, EVAL, INIT, LOAD, SERVE, TEARDOWN, mark

    lines = [line for line in tail.splitlines() if line.strip()][-LOOKED_AT:]
    if any(WORKS_QUIETLY.search(line) for line in lines[-AT_WORK:]):
        return QUIET_STAGE
    for line in reversed(lines):
        stage = mark(line)
        stage = ENDS.get(stage, stage)
        if stage == SERVE:
            return inf
        if stage in (CHECKPOINT, EVAL, INIT, LOAD, TEARDOWN):
            return LONG_STAGE
        if stage or step_in(line.encode()) is not None:
            return 1.0
    return 1.0


def _line_at(written: bytes, place: int) -> bytes:
    """The line around this place, cut where it is very long."""
    start = max(written.rfind(b"\n", 0, place), written.rfind(b"\r", 0, place)) + 1
    line = written[max(start, place - LONGEST_LINE) : place + LONGEST_LINE]
    return line.splitlines()[0] if line else b""
