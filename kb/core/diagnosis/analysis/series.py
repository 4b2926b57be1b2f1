"""Whether a run's loss and pace stayed sound, read off its steps. Which line is to blame is decided elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from statistics import median

from kb.core.diagnosis.scanning.records import StepLine

WINDOW, FEWEST = 30, 4
# A loss that leaps by so many of its own usual changes, and by this share of itself, is unsound.
SIGMAS, SHARE, LEAST = 8.0, 0.15, 0.05
# So is one that is this much above the best of the last few, where such changes are not usual and it stays there; where
# a whole window tells what is usual, by so many of them.
ABOVE, RECENT, CALM, BEYOND = 1.25, 5, 0.1, 7.0
# A loss finds its level in its first steps.
WARM_UP = 10
# A pace is another one if most of its steps take so many times as long, and each of them clearly longer.
SLOWER, LONGER = 1.7, 1.4
# A gradient's norm this many times the usual one is unsound where the loss is left out.
WILD = 20.0
# A NaN that follows a leap within so many steps is of one trouble with it.
TOGETHER = 3

NAN, SPIKE, SLOWDOWN = "nan", "spike", "slowdown"
WHY = {
    NAN: "The loss is not a number from here on.",
    SPIKE: "The loss leaps far above what it was.",
    SLOWDOWN: "Steps take much longer than before.",
}


@dataclass(frozen=True)
class Anomaly:
    """Something unsound in a series: `kind` is nan, spike or slowdown; `steps`: the iterations that show it."""

    kind: str
    steps: tuple[StepLine, ...]

    @property
    def why(self) -> str:
        """What it means, in words for the reader."""
        return WHY[self.kind]


def anomalies(steps: Sequence[StepLine]) -> tuple[Anomaly, ...]:
    """What is unsound in the series of one process, the loss before the pace."""
    return tuple(anomaly for anomaly in (unsound_loss(steps), slowdown(steps)) if anomaly is not None)


def unsound_loss(steps: Sequence[StepLine]) -> Anomaly | None:
    """NaNs, and the leaps right before them; failing those, leaps that last."""
    bad = _not_finite(steps)
    leaps = _leaps(steps)
    if not bad:
        return Anomaly(SPIKE, tuple(leaps)) if leaps else None
    numbers = {line: number for number, line in enumerate(steps)}
    first = numbers[bad[0]]
    before = [line for line in leaps if numbers[line] < first]
    while before and first - numbers[before[-1]] <= TOGETHER:
        first = numbers[before.pop()]
    unsound = {*bad, *leaps}
    return Anomaly(NAN, tuple(line for line in steps[first:] if line in unsound))


def _not_finite(steps: Sequence[StepLine]) -> list[StepLine]:
    bad = [line for line in steps if line.step.loss is not None and not isfinite(line.step.loss)]
    without_loss = [line for line in steps if line.step.loss is None]
    # A framework may leave the loss out of a step that it skipped for not being finite.
    if bad or not without_loss or len(without_loss) == len(steps):
        return bad
    norms = [line.step.norm for line in steps if line.step.norm is not None]
    usual = median(norms) if norms else 0.0
    for line in without_loss:
        norm = line.step.norm
        if norm is not None and (len(steps) < FEWEST or norm > WILD * usual):
            bad.append(line)
    return bad


def _leaps(steps: Sequence[StepLine]) -> list[StepLine]:
    losses = [(line, line.step.loss) for line in steps if line.step.loss is not None and isfinite(line.step.loss)]
    leaps: list[StepLine] = []
    sound: list[float] = []
    for number, (line, loss) in enumerate(losses):
        later = [after for _, after in losses[number + 1 : number + 3]]
        if line.step.iteration >= WARM_UP and (_is_leap(loss, sound[-WINDOW:]) or _is_above(loss, sound, later)):
            leaps.append(line)
            continue
        # One bad step among many that the run got over is no trouble.
        if len(leaps) == 1 and len(losses) > 4 * FEWEST:
            leaps = []
        sound.append(loss)
    return leaps


def _is_leap(loss: float, past: Sequence[float]) -> bool:
    if not past:
        return False
    level = median(past)
    usual = max(_usual_change(past), 0.005 * abs(level), 1e-9)
    return loss - past[-1] > SIGMAS * usual and loss - level > SHARE * abs(level) + LEAST


def _is_above(loss: float, past: Sequence[float], later: Sequence[float]) -> bool:
    recent = past[-RECENT:]
    if len(recent) < 2:
        return False
    best = min(recent)
    # Most losses end here, before anything is worked out.
    if best <= 0 or loss <= ABOVE * best or loss - best <= LEAST:
        return False
    is_calm = _usual_change(recent) < CALM * abs(median(recent))
    stays = all(after > ABOVE * best for after in later)
    is_within_noise = len(past) >= WINDOW and loss - best <= BEYOND * _usual_change(past[-WINDOW:])
    return is_calm and stays and not is_within_noise


def _usual_change(losses: Sequence[float]) -> float:
    """The median change from one loss to the next, up or down; a fiftieth of a single loss."""
    if len(losses) == 1:
        return 0.02 * abs(losses[0])
    return median(abs(loss - following) for loss, following in pairwise(losses))


def slowdown(steps: Sequence[StepLine]) -> Anomaly | None:
    """Steps that take much longer than they did, to the end of the series. The first step is slow in any run."""
    timed = [(line, line.step.seconds) for line in steps if line.step.seconds]
    if len(timed) < 2 * FEWEST:
        return None
    usual = median(duration for _, duration in timed[1 : max(len(timed) // 3, FEWEST + 1)])
    first = len(timed)
    while first > 0 and timed[first - 1][1] > LONGER * usual:
        first -= 1
    slow = timed[first:]
    if len(slow) < FEWEST - 1 or median(duration for _, duration in slow) < SLOWER * usual:
        return None
    return Anomaly(SLOWDOWN, tuple(line for line, _ in slow))
