"""Agreement of rankings: mean ranks, and Kendall's W with its interval and its chance."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from kb.core.chances import chi_square_above, student_95
from kb.priorities.rankings import Floats

SEED = 20260
SHUFFLES = 999
# Above this many, where printed tables end, chi-square is as good as shuffling, and quicker.
MANY_RATERS = 20
# Below this many raters neither an interval nor a mean says anything.
FEWEST_RATERS = 5
NOTHING = 1e-9
# Schmidt 1997, Managing Delphi surveys using nonparametric statistical techniques, table 2: W and how strong it is.
WORDS = ((0.8, "very strong"), (0.6, "strong"), (0.4, "moderate"), (0.2, "weak"), (0.0, "very weak"))

Chance = Literal["shuffling", "chi-square"]


@dataclass(frozen=True)
class MeanRank:
    """A mean of ranks, 1 is best, with its 95 % interval; the bounds are None where every rater gives the same rank."""

    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Agreement:
    """Kendall's W of `raters` rankings of `items` items.

    `low`, `high`: 95 % interval, None where leaving out any one rater changes nothing. `chance`: how often rankings
    at random agree as much or more, and `by` how it was computed. `words`: how strong the agreement is.
    """

    raters: int
    items: int
    w: float
    low: float | None
    high: float | None
    chance: float
    by: Chance
    words: str


def mean_ranks(ranks: Floats) -> tuple[MeanRank, ...]:
    """Each item's mean rank with Student's interval, which is kept within 1 and the last rank.

    Raises `ValueError` for fewer than `FEWEST_RATERS` raters.
    """
    raters, items = _size(ranks)
    means = ranks.mean(axis=0)
    halves = student_95(raters - 1) * ranks.std(axis=0, ddof=1) / np.sqrt(raters)
    rows = []
    for mean, half in zip(means.tolist(), halves.tolist(), strict=True):
        if half < NOTHING:
            rows.append(MeanRank(mean, None, None))
        else:
            rows.append(MeanRank(mean, max(1.0, mean - half), min(float(items), mean + half)))
    return tuple(rows)


def kendall_w(ranks: Floats) -> float:
    """Kendall's coefficient of concordance with the correction for ties, 0 to 1.

    Kendall & Babington Smith 1939; Siegel & Castellan 1988, section 9.7: W = 12 S / (n²(m³ - m) - n ΣT), T = Σ(t³ - t)
    over a rater's groups of t ties. Raises `ValueError` for fewer than 2 raters or items, or where all ties.
    """
    raters, items = ranks.shape
    if raters < 2 or items < 2:
        raise ValueError(f"{raters} rankings of {items} items cannot agree")
    most: float = raters**2 * (items**3 - items) - raters * float(_ties(ranks).sum())
    if most < NOTHING:
        raise ValueError("nobody prefers anything")
    return min(1.0, 12 * float(_spread(ranks.sum(axis=0), raters)) / most)


def agreement(ranks: Floats) -> Agreement:
    """Kendall's W with its interval and chance. Raises `ValueError` for fewer than `FEWEST_RATERS` raters."""
    raters, items = _size(ranks)
    w = kendall_w(ranks)
    low, high = _interval(ranks, w)
    if raters > MANY_RATERS:
        chance = chi_square_above(raters * (items - 1) * w, items - 1)
        return Agreement(raters, items, w, low, high, chance, "chi-square", words_of(w))
    return Agreement(raters, items, w, low, high, shuffled_chance(ranks), "shuffling", words_of(w))


def words_of(w: float) -> str:
    """How strong an agreement is, in words: Schmidt's .1, .3, .5, .7, .9 are the middles of our bands."""
    for least, words in WORDS:
        if w >= least:
            return words
    raise ValueError(f"{w} is no coefficient of concordance")


def shuffled_chance(ranks: Floats, *, shuffles: int = SHUFFLES, seed: int = SEED) -> float:
    """How often rankings at random agree as much: each rater's ranks are dealt out anew, `shuffles` times.

    The observed rankings count as one deal, so it is never 0 (Phipson & Smyth 2010).
    """
    generator = np.random.default_rng(seed)
    observed = float(_spread(ranks.sum(axis=0), len(ranks)))
    dealt = generator.permuted(np.broadcast_to(ranks, (shuffles, *ranks.shape)), axis=2)
    as_much = int((_spread(dealt.sum(axis=1), len(ranks)) >= observed - NOTHING).sum())
    return (1 + as_much) / (1 + shuffles)


def _size(ranks: Floats) -> tuple[int, int]:
    raters, items = ranks.shape
    if raters < FEWEST_RATERS:
        raise ValueError(f"{raters} raters are fewer than {FEWEST_RATERS}")
    return raters, items


def _spread(sums: Floats, raters: int) -> Floats:
    """S: how far sums of ranks are from all being equal, squared and added up."""
    middle = raters * (sums.shape[-1] + 1) / 2
    spread: Floats = ((sums - middle) ** 2).sum(axis=-1)
    return spread


def _ties(ranks: Floats) -> Floats:
    """T of each rater: an item in a group of t ties adds t² - 1, so that the group adds t³ - t."""
    same = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2)
    ties: Floats = (same.astype(np.float64) ** 2 - 1).sum(axis=1)
    return ties


def _interval(ranks: Floats, w: float) -> tuple[float | None, float | None]:
    """The 95 % interval by leaving out one rater at a time (Efron & Tibshirani 1993, chapter 11).

    It is found for the mean correlation of two raters, (nW - 1) / (n - 1), since W itself rises as raters get fewer.
    """
    raters, items = ranks.shape
    ties = _ties(ranks)
    fewer = raters - 1
    spreads = _spread(ranks.sum(axis=0) - ranks, fewer)
    most = fewer**2 * (items**3 - items) - fewer * (ties.sum() - ties)
    without = (fewer * 12 * spreads / most - 1) / (fewer - 1)
    whole = (raters * w - 1) / fewer
    values = raters * whole - fewer * without
    half = student_95(fewer) * float(values.std(ddof=1)) / raters**0.5
    if half < NOTHING:
        return None, None
    low, high = (((raters - 1) * bound + 1) / raters for bound in (whole - half, whole + half))
    return max(0.0, low), min(1.0, high)
