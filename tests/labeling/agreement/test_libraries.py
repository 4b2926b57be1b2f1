"""The coefficients beside kept libraries, over random tables.

irrCAC cannot be installed beside numpy 2 (it wants scipy 1.12.0), so its numbers were taken once and stand here. It was
told the categories: with pandas 3 it takes a missing vote for one more.
"""

from collections import Counter
from importlib import import_module

import krippendorff
import numpy as np
import pytest

from labeling.agreement.patterns import fold
from labeling.agreement.votes import MISSING, Floats, VoteTable
from tests.labeling.agreement.strategies import CODES, coefficient, seeded

SEEDS = range(12)
# These have no types.
raters = import_module("statsmodels.stats.inter_rater")
metrics = import_module("sklearn.metrics")

# irrCAC 0.4.4 over `seeded(seed, units=40, annotators=5, missing=missing)`: AC1 with its observed and expected
# agreement, and what it calls Fleiss' kappa.
IRRCAC = {
    (0, 0): (0.398644458226, 0.5475, 0.247533333333, 0.390654457312),
    (1, 0.3): (0.338665242, 0.503703703704, 0.249553587963, 0.337087877134),
    (2, 0.6): (0.418243179437, 0.5625, 0.247967562157, 0.411885441527),
    (3, 0.6): (0.249303455338, 0.436507936508, 0.249374374374, 0.246792344635),
}


def with_gaps(table: VoteTable) -> Floats:
    """Units x annotators, with NaN where a vote is missing, as the libraries want it."""
    return np.where(table.cells == MISSING, np.nan, table.cells)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("missing", [0, 0.3])
def test_alpha_is_that_of_krippendorff(seed: int, missing: float) -> None:
    table = seeded(seed, units=40, annotators=5, missing=missing)
    theirs = krippendorff.alpha(reliability_data=with_gaps(table).T, level_of_measurement="nominal")
    assert coefficient(table, "alpha_nominal").value == pytest.approx(theirs)


@pytest.mark.parametrize(("seed", "missing"), IRRCAC)
def test_ac1_and_fleiss_for_varying_numbers_are_those_of_irrcac(seed: int, missing: float) -> None:
    table = seeded(seed, units=40, annotators=5, missing=missing)
    ours = coefficient(table, "ac1")
    kappa = coefficient(table, "fleiss_varying")
    assert (ours.value, ours.observed, ours.expected, kappa.value) == pytest.approx(IRRCAC[seed, missing], abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("missing", [0, 0.3, 0.6])
def test_ac1_fleiss_and_percent_are_as_defined(seed: int, missing: float) -> None:
    """Gwet 2014, chapter 2, vote by vote."""
    table = seeded(seed, units=40, annotators=5, missing=missing)
    units = [Counter(code for code in row if code != MISSING) for row in table.cells.tolist()]
    paired = [unit for unit in units if unit.total() > 1]
    observed = sum(
        sum(n * (n - 1) for n in unit.values()) / (unit.total() * (unit.total() - 1)) for unit in paired
    ) / len(paired)
    voted = [unit for unit in units if unit]
    codes = range(len(table.answers))
    shares = [sum(unit[code] / unit.total() for unit in voted) / len(voted) for code in codes]
    by_chance = sum(share * (1 - share) for share in shares) / (len(shares) - 1)
    same = sum(share**2 for share in shares)
    assert coefficient(table, "percent").value == pytest.approx(observed)
    assert coefficient(table, "ac1").value == pytest.approx((observed - by_chance) / (1 - by_chance))
    assert coefficient(table, "fleiss_varying").value == pytest.approx((observed - same) / (1 - same))


@pytest.mark.parametrize("seed", SEEDS)
def test_fleiss_is_that_of_statsmodels(seed: int) -> None:
    table = seeded(seed, units=40, annotators=5)
    patterns = fold(table)
    counts = np.repeat(patterns.counts, patterns.repeats, axis=0)
    assert coefficient(table, "fleiss").value == pytest.approx(raters.fleiss_kappa(counts))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("weights", "key"), [(None, "cohen_mean"), ("linear", "cohen_linear_mean"), ("quadratic", "cohen_quadratic_mean")]
)
def test_cohen_is_that_of_statsmodels(seed: int, weights: str | None, key: str) -> None:
    table = seeded(seed, units=60, annotators=2)
    crossed = np.zeros((len(CODES), len(CODES)))
    np.add.at(crossed, (table.cells[:, 0], table.cells[:, 1]), 1)
    theirs = raters.cohens_kappa(crossed, wt=weights, return_results=False)
    assert coefficient(table, key, order=CODES).value == pytest.approx(theirs)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("weights", "key"), [(None, "cohen_mean"), ("linear", "cohen_linear_mean"), ("quadratic", "cohen_quadratic_mean")]
)
def test_cohen_is_that_of_scikit_learn(seed: int, weights: str | None, key: str) -> None:
    table = seeded(seed, units=60, annotators=2)
    theirs = metrics.cohen_kappa_score(table.cells[:, 0], table.cells[:, 1], weights=weights)
    assert coefficient(table, key, order=CODES).value == pytest.approx(theirs)
