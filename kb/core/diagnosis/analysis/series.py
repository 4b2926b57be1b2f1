"""Whether a run's loss and pace stayed sound, read off its steps. Which line is to blame is not said here."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from statistics import median

from kb.core.diagnosis.scanning.records import Told

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
    """Something that a series shows: `kind` is nan, spike or slowdown; `told`: the iterations that show it."""

    kind: str
    told: tuple[Told, ...]

    @property
    def why(self) -> str:
        """What it means, in words for the reader."""
        return WHY[self.kind]


def anomalies(done: Sequence[Told]) -> tuple[Anomaly, ...]:
    """What is unsound in the series of one process, the loss before the pace."""
    found = (unsound_loss(done), slowdown(done))
    return tuple(one for one in found if one is not None)


def unsound_loss(done: Sequence[Told]) -> Anomaly | None:
    """NaNs, and the leaps right before them; failing those, leaps that last."""
    bad = _not_finite(done)
    leaps = _leaps(done)
    if bad:
        place = {told: number for number, told in enumerate(done)}
        first = place[bad[0]]
        before = [told for told in leaps if place[told] < first]
        while before and first - place[before[-1]] <= TOGETHER:
            first = place[before.pop()]
        unsound = {*bad, *leaps}
        return Anomaly(NAN, tuple(told for told in done[first:] if told in unsound))
    return Anomaly(SPIKE, tuple(leaps)) if leaps else None


def _not_finite(done: Sequence[Told]) -> list[Told]:
    bad = [told for told in done if told.step.loss is not None and not isfinite(told.step.loss)]
    known = [told.step.loss is not None for told in done]
    # A framework may leave the loss out of a step that it skipped for not being finite.
    if not bad and any(known) and not all(known):
        lacking = [told for told, has_loss in zip(done, known, strict=True) if not has_loss]
        norms = [told.step.norm for told in done if told.step.norm is not None]
        is_short = len(done) < FEWEST
        bad = [
            told
            for told in lacking
            if told.step.norm is not None and (is_short or told.step.norm > WILD * median(norms))
        ]
    return bad


def _leaps(done: Sequence[Told]) -> list[Told]:
    losses = [(told, told.step.loss) for told in done if told.step.loss is not None and isfinite(told.step.loss)]
    found: list[Told] = []
    sound: list[float] = []
    for place, (told, loss) in enumerate(losses):
        later = [after for _, after in losses[place + 1 : place + 3]]
        if told.step.iteration >= WARM_UP and (_is_leap(loss, sound[-WINDOW:]) or _is_above(loss, sound, later)):
            found.append(told)
            continue
        # One bad step among many that the run got over is no trouble.
        if len(found) == 1 and len(losses) > 4 * FEWEST:
            found = []
        sound.append(loss)
    return found


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
    """The median step from one loss to the next, up or down; a fiftieth of a single loss."""
    return median([abs(one - other) for one, other in pairwise(losses)] or [0.02 * abs(losses[0])])


def slowdown(done: Sequence[Told]) -> Anomaly | None:
    """Steps that take much longer than they did, to the end of the series. The first step is slow in any run."""
    paced = [(told, told.step.seconds) for told in done if told.step.seconds]
    if len(paced) < 2 * FEWEST:
        return None
    usual = median(pace for _, pace in paced[1 : max(len(paced) // 3, FEWEST + 1)])
    first = len(paced)
    while first > 0 and paced[first - 1][1] > LONGER * usual:
        first -= 1
    slow = paced[first:]
    if len(slow) < FEWEST - 1 or median(pace for _, pace in slow) < SLOWER * usual:
        return None
    return Anomaly(SLOWDOWN, tuple(told for told, _ in slow))
