"""What suggestions did: how often votes equal them, and how long votes take, with and without; issues are resampled.

Also how far two readers agree, of whom one is no person.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from kb.core.intervals import Interval, newcombe
from labeling.agreement import families, pairs, scales
from labeling.agreement.measure import SAMPLES, SEED, Coefficient, measure
from labeling.agreement.patterns import fold
from labeling.agreement.votes import NOT_TOLD, Floats, Row, tabulate

LEAST = 5
# So many samples are drawn at the same time, so that memory stays small.
AT_ONCE = 100


@dataclass(frozen=True)
class Observed:
    """Something seen of one vote on a unit: its value, and its arm."""

    unit: int
    is_assisted: bool
    value: float


@dataclass(frozen=True)
class Difference:
    """The assisted arm less the blind arm; no `value` where either has fewer than `LEAST` votes.

    `by_issue`: the middle 95 % when issues are resampled. `newcombe`: of shares, as if votes were independent.
    """

    assisted: float | None
    blind: float | None
    assisted_votes: int
    blind_votes: int
    value: float | None = None
    by_issue: Interval | None = None
    newcombe: Interval | None = None


def shares(observed: Sequence[Observed], *, samples: int = SAMPLES, seed: int = SEED) -> Difference:
    """How the shares of votes with a value of 1 differ; values are 0 or 1."""
    difference = _difference(observed, _weighted_mean, samples, seed)
    if difference.value is None:
        return difference
    yes = [int(sum(one.value for one in observed if one.is_assisted is arm)) for arm in (True, False)]
    interval = newcombe(yes[0], difference.assisted_votes, yes[1], difference.blind_votes)
    return replace(difference, newcombe=interval)


def medians(observed: Sequence[Observed], *, samples: int = SAMPLES, seed: int = SEED) -> Difference:
    """How the medians of the values differ."""
    return _difference(observed, _weighted_median, samples, seed)


Statistic = Callable[[Floats, Floats], Floats]


def _difference(observed: Sequence[Observed], statistic: Statistic, samples: int, seed: int) -> Difference:
    arms = [_arm(observed, is_assisted=True), _arm(observed, is_assisted=False)]
    sizes = [len(values) for _, values in arms]
    if min(sizes) < LEAST:
        return Difference(None, None, sizes[0], sizes[1])
    both = [float(statistic(values, np.ones((1, len(values))))[0]) for _, values in arms]
    units = len({one.unit for one in observed})
    random = np.random.default_rng(seed)
    drawn = []
    for start in range(0, samples, AT_ONCE):
        weights = random.multinomial(units, np.full(units, 1 / units), size=min(AT_ONCE, samples - start))
        first, second = (statistic(values, weights[:, rows].astype(np.float64)) for rows, values in arms)
        drawn.append(first - second)
    low, high = np.nanpercentile(np.concatenate(drawn), [2.5, 97.5])
    by_issue = Interval(float(low), float(high))
    return Difference(both[0], both[1], sizes[0], sizes[1], both[0] - both[1], by_issue)


def _arm(observed: Sequence[Observed], *, is_assisted: bool) -> tuple[npt.NDArray[np.int64], Floats]:
    """The arm's values in order, and for each the number of its unit among all units."""
    number = {unit: index for index, unit in enumerate(sorted({one.unit for one in observed}))}
    rows = sorted((one.value, number[one.unit]) for one in observed if one.is_assisted is is_assisted)
    return np.array([unit for _, unit in rows], dtype=np.int64), np.array(
        [value for value, _ in rows], dtype=np.float64
    )


def _weighted_mean(values: Floats, weights: Floats) -> Floats:
    totals = weights.sum(axis=1)
    return np.asarray(weights @ values / np.where(totals > 0, totals, np.nan))


def _weighted_median(values: Floats, weights: Floats) -> Floats:
    """The median of sorted values, each as often as its weight says, for each row of weights; NaN without any."""
    up_to = weights.cumsum(axis=1)
    totals = up_to[:, -1]
    lower = (up_to <= (totals[:, None] - 1) // 2).sum(axis=1)
    upper = (up_to <= totals[:, None] // 2).sum(axis=1)
    last = len(values) - 1
    middle = (values[np.minimum(lower, last)] + values[np.minimum(upper, last)]) / 2
    return np.where(totals > 0, middle, np.nan)


@dataclass(frozen=True)
class Scale:
    """What the answers on an axis are: steps in this order, numbers, sets of several nodes, or else single nodes."""

    order: tuple[str, ...] = ()
    is_number: bool = False
    has_sets: bool = False


@dataclass(frozen=True)
class Agreed:
    """How far the readers of a table agree; no `kappa` for numbers, nor where it is not of two readers."""

    units: int
    percent: Coefficient
    alpha: Coefficient
    kappa: Coefficient | None = None


def agreed(rows: Sequence[Row], scale: Scale, *, is_pair: bool = False, samples: int = SAMPLES) -> Agreed:
    """Percent agreement and the alpha that fits the axis; of two readers Cohen's kappa too, over what both answered."""
    if is_pair:
        answered: dict[object, int] = {}
        for unit, _, _ in rows:
            answered[unit] = answered.get(unit, 0) + 1
        rows = [row for row in rows if answered[row[0]] == 2]
    table = tabulate(rows)
    patterns = fold(table)
    overall = [families.percent(patterns)]
    if is_pair and not scale.is_number:
        overall.append(pairs.every_pair(patterns))
    (percent,), *kappas = measure(patterns, overall, samples=samples)
    if scale.is_number:
        told = fold(table.restricted_to([code for code in table.nodes if code != NOT_TOLD]))
        ((alpha,),) = measure(told, [scales.interval_alpha(told)], samples=samples)
    elif scale.order:
        steps = fold(table.restricted_to(scale.order))
        ((alpha,),) = measure(steps, [scales.ordinal_alpha(steps)], samples=samples)
    else:
        family = families.alpha(patterns, "masi" if scale.has_sets else "nominal")
        ((alpha,),) = measure(patterns, [family], samples=samples)
    return Agreed(patterns.units, percent, alpha, kappas[0][-1] if kappas else None)
