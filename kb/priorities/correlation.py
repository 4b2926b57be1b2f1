"""How far mean ranks follow a published order: Kendall's tau-b."""

from dataclasses import dataclass

import numpy as np

from kb.priorities.agreement import FEWEST_RATERS, NOTHING, SEED
from kb.priorities.rankings import Floats

SAMPLES = 999
# With two items there is one pair: whatever it says, it says all or nothing.
FEWEST_ITEMS = 3


@dataclass(frozen=True)
class RankCorrelation:
    """Tau-b, -1 to 1, of `raters` raters' mean ranks with a published order of `items` items.

    `low`, `high`: 95 % interval over raters; the order is taken as given. `most`: the largest value that the order's
    ties leave possible.
    """

    raters: int
    items: int
    tau: float
    low: float
    high: float
    most: float


def tau_b(first: Floats, second: Floats) -> float | None:
    """Kendall's tau-b of two rows of ranks (Kendall 1945, formula 4); None where one of them has one value only."""
    (tau,) = _taus(first[None, :], second)
    return None if np.isnan(tau) else float(tau)


def correlate(ranks: Floats, order: Floats) -> RankCorrelation | None:
    """Tau-b of mean ranks (raters x items in) with an order's positions, its interval from draws of raters.

    None where there are too few raters or items, or where one of the two has all items equal.
    """
    raters, items = ranks.shape
    if raters < FEWEST_RATERS or items < FEWEST_ITEMS:
        return None
    tau = tau_b(ranks.mean(axis=0), order)
    if tau is None:
        return None
    generator = np.random.default_rng(SEED)
    drawn = generator.multinomial(raters, np.full(raters, 1 / raters), size=SAMPLES) @ ranks / raters
    taus = _taus(drawn, order)
    low, high = np.nanquantile(np.append(taus, tau), (0.025, 0.975))
    return RankCorrelation(raters, items, tau, float(low), float(high), most_possible(order))


def most_possible(order: Floats) -> float:
    """The largest tau-b that ranks without ties can have with this order."""
    untied = np.abs(_signs(order[None, :])).mean()
    return float(np.sqrt(untied))


def _signs(rows: Floats) -> Floats:
    """Rows x pairs of items: -1, 0 or 1."""
    first, second = np.triu_indices(rows.shape[1], k=1)
    gaps = rows[:, first] - rows[:, second]
    signs: Floats = np.where(np.abs(gaps) < NOTHING, 0.0, np.sign(gaps))
    return signs


def _taus(rows: Floats, order: Floats) -> Floats:
    """Tau-b of each row with the order; not a number where a row or the order has one value only."""
    row_signs, order_signs = _signs(rows), _signs(order[None, :])[0]
    size = np.sqrt(np.abs(row_signs).sum(axis=1) * np.abs(order_signs).sum())
    taus: Floats = np.divide(row_signs @ order_signs, size, out=np.full(len(rows), np.nan), where=size > 0)
    return taus
