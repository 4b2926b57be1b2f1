"""Whether a run's loss and pace stayed sound, read off its steps. Which line is to blame is decided elsewhere."""

import re
from collections.abc import Callable, Iterator, Sequence
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
# Before that, only such a leap is unsound.
FAR_ABOVE = 2.0
# A pace is another one if most of its steps take so many times as long, and each of them clearly longer.
SLOWER, LONGER, FAR_SLOWER = 1.7, 1.4, 3.0
# A single step that takes so many times as long is told, if there are only a few.
ODD, MOST_ODD = 5.0, 3
# A gradient's norm this many times the usual one is unsound where the loss is left out.
WILD = 20.0
# A NaN that follows a leap within so many steps is of one trouble with it.
TOGETHER = 3

# Several in a row are no accident; steps that a loss scaler skips are, unless they lasted to the end for this long.
SEVERAL, MOST_SKIPPED = 3, 40
# A loss that was at least this large does not become nothing from one step to the next; one of so many may begin there.
SOME_LOSS, FEWEST_ZEROS = 0.02, 5
LEAST_SCALE = 1.0
# The loss of a policy is 0 before its first update, and often near it.
REWARDED = re.compile(r"\b(?:rewards?|advantages?|kl)\b", re.IGNORECASE)

NAN, SPIKE, SLOWDOWN = "nan", "spike", "slowdown"
NORM, ZERO, SCALE = "norm", "zero", "scale"
WHY = {
    NAN: "The loss is NaN or infinite from here on.",
    NORM: "The gradient norm is NaN or infinite from here on.",
    ZERO: "The loss is exactly 0 from here on.",
    SCALE: "The loss scale is at its minimum from here on.",
    SPIKE: "The loss jumps far above its usual values.",
    SLOWDOWN: "Steps take much longer than before.",
}


# Signals that say in words what such a series shows.
SIGNALS = {
    NAN: "loss-not-finite",
    NORM: "gradient-not-finite",
    ZERO: "gradient-not-finite",
    SCALE: "loss-scale-at-minimum",
    SPIKE: "loss-spike-reported",
}


@dataclass(frozen=True)
class Anomaly:
    """Something unsound in a series: `kind` is a key of `WHY`; `steps`: the iterations that show it."""

    kind: str
    steps: tuple[StepLine, ...]

    @property
    def symptom(self) -> str:
        """The symptom of a run with it."""
        return SLOWDOWN if self.kind == SLOWDOWN else "numerical"

    @property
    def signal(self) -> str | None:
        """The code of the signal that says what it means; None for a pace."""
        return SIGNALS.get(self.kind)

    @property
    def why(self) -> str:
        """What it means, in words for the reader."""
        return WHY[self.kind]


def anomalies(steps: Sequence[StepLine]) -> tuple[Anomaly, ...]:
    """What is unsound in the series of one process, the numbers before the pace, the earliest of them first."""
    numbers = [unsound for unsound in (unsound_loss(steps), *_stuck(steps)) if unsound is not None]
    numbers.sort(key=lambda anomaly: anomaly.steps[0].place)
    pace = slowdown(steps)
    return (*numbers, pace) if pace is not None else tuple(numbers)


def _stuck(steps: Sequence[StepLine]) -> Iterator[Anomaly]:
    """Gradients that stay NaN or infinite, losses that stay 0, loss scales that stay at their minimum."""
    norms = [line for line in steps if line.step.norm is not None]
    bad = _last_run(norms, lambda line: line.step.norm is not None and not isfinite(line.step.norm))
    skipped = sum(bool(line.step.skipped) for line in bad)
    if len(bad) >= (MOST_SKIPPED if skipped else SEVERAL):
        yield Anomaly(NORM, tuple(bad))
    losses = [line for line in steps if line.step.loss is not None]
    zeros = _last_run(losses, _is_without_loss)
    before = [line.step.loss for line in losses[: len(losses) - len(zeros)] if line.step.loss]
    is_sudden = bool(before) and before[-1] >= SOME_LOSS and min(before[-SEVERAL:]) >= SOME_LOSS
    if len(zeros) >= (SEVERAL if is_sudden else FEWEST_ZEROS) and (is_sudden or len(zeros) == len(losses)):
        yield Anomaly(ZERO, tuple(zeros))
    scales = [line for line in steps if line.step.scale is not None]
    least = _last_run(scales, lambda line: line.step.scale is not None and line.step.scale <= LEAST_SCALE)
    # Where it never was larger, nothing is scaled.
    if SEVERAL <= len(least) < len(scales):
        yield Anomaly(SCALE, tuple(least))


def _is_without_loss(line: StepLine) -> bool:
    """Whether the loss is exactly 0 and no gradient says that there is something to learn, as objectives may."""
    norm = line.step.norm
    return line.step.loss == 0 and (norm is None or norm == 0 or not isfinite(norm)) and not REWARDED.search(line.text)


def _last_run(lines: Sequence[StepLine], is_bad: Callable[[StepLine], bool]) -> list[StepLine]:
    """The bad ones with no sound one after them."""
    first = len(lines)
    while first > 0 and is_bad(lines[first - 1]):
        first -= 1
    return list(lines[first:])


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
    got_over = 0
    for number, (line, loss) in enumerate(losses):
        later = [after for _, after in losses[number + 1 : number + 3]]
        is_settled = line.step.iteration >= WARM_UP or _is_for_good(line, sound, [loss, *later])
        if is_settled and (_is_leap(loss, sound[-WINDOW:]) or _is_above(loss, sound, later)):
            leaps.append(line)
            got_over = 0
            continue
        sound.append(loss)
        got_over += 1
        # One bad step that the run got over is no trouble.
        if len(leaps) == 1 and (got_over >= RECENT or len(losses) > 4 * FEWEST):
            leaps = []
    return leaps


def _is_for_good(line: StepLine, past: Sequence[float], following: Sequence[float]) -> bool:
    """Whether a loss that was reported now and then leaps and stays there: a report stands for many steps."""
    if line.step.is_numbered or len(past) < FEWEST or len(following) < SEVERAL:
        return False
    return min(following) > FAR_ABOVE * max(past[-RECENT:])


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
    if len(timed) < 2 * SEVERAL:
        return None
    usual = median(duration for _, duration in timed[1 : min(max(len(timed) // 3, FEWEST + 1), len(timed) - SEVERAL)])
    first = len(timed)
    while first > 0 and timed[first - 1][1] > LONGER * usual:
        first -= 1
    slow = timed[first:]
    # Of a few steps, or of reports that stand for many each, only a pace far from the usual is another one.
    least = SLOWER if len(timed) >= 2 * FEWEST else FAR_SLOWER
    if len(slow) < FEWEST - 1 or median(duration for _, duration in slow) < least * usual:
        return None
    return Anomaly(SLOWDOWN, tuple(line for line, _ in slow))


def slow_steps(steps: Sequence[StepLine]) -> list[tuple[StepLine, float]]:
    """The few steps that took far longer than the others, with how many times as long. The first is slow in any run."""
    timed = [(line, line.step.seconds) for line in steps[1:] if line.step.seconds]
    if len(timed) < 2 * FEWEST:
        return []
    usual = median(duration for _, duration in timed)
    slow = [(line, duration / usual) for line, duration in timed if duration >= ODD * usual]
    return slow if len(slow) <= MOST_ODD else []
