"""One coefficient at a time, from a table of votes. Each has a bootstrap interval unless `samples` is 0."""

from collections.abc import Sequence

from labeling.agreement import families, pairs
from labeling.agreement.distances import Distance
from labeling.agreement.measure import SAMPLES, SEED, Coefficient, Family, measure
from labeling.agreement.pairs import Weights
from labeling.agreement.patterns import Patterns, fold
from labeling.agreement.votes import VoteTable


def percent_agreement(table: VoteTable, *, samples: int = SAMPLES, seed: int = SEED) -> Coefficient:
    """The share of equal pairs of votes; see `families.percent`."""
    patterns = fold(table)
    return _only(patterns, families.percent(patterns), samples, seed)


def fleiss_kappa(table: VoteTable, *, samples: int = SAMPLES, seed: int = SEED) -> Coefficient:
    """Fleiss' kappa, undefined unless all units with votes have as many; see `families.fleiss`."""
    patterns = fold(table)
    return _only(patterns, families.fleiss(patterns), samples, seed)


def fleiss_kappa_varying(table: VoteTable, *, samples: int = SAMPLES, seed: int = SEED) -> Coefficient:
    """Fleiss' kappa generalised to varying numbers of votes; see `families.fleiss_varying`."""
    patterns = fold(table)
    return _only(patterns, families.fleiss_varying(patterns), samples, seed)


def gwet_ac1(table: VoteTable, *, samples: int = SAMPLES, seed: int = SEED) -> Coefficient:
    """Gwet's AC1; see `families.ac1`."""
    patterns = fold(table)
    return _only(patterns, families.ac1(patterns), samples, seed)


def krippendorff_alpha(
    table: VoteTable, distance: Distance = "nominal", *, samples: int = SAMPLES, seed: int = SEED
) -> Coefficient:
    """Krippendorff's alpha with a distance between answers; see `families.alpha`, `distances`.

    Raises `ValueError` for an unknown distance.
    """
    patterns = fold(table)
    return _only(patterns, families.alpha(patterns, distance), samples, seed)


def cohen_kappa(
    table: VoteTable,
    first: str,
    second: str,
    *,
    weights: Weights = "none",
    order: Sequence[str] = (),
    samples: int = SAMPLES,
    seed: int = SEED,
) -> Coefficient:
    """Cohen's kappa of two annotators; weights need the nodes' `order`, see `pairs.weighted`.

    Raises `ValueError` for a name that has no votes, and for weights without an order.
    """
    compared, apart = pairs.weighted(table, weights, order)
    patterns = fold(compared)
    pair = table.annotators.index(first), table.annotators.index(second)
    return _only(patterns, pairs.one_pair(patterns, pair, apart, weights), samples, seed)


def mean_cohen_kappa(
    table: VoteTable,
    *,
    weights: Weights = "none",
    order: Sequence[str] = (),
    samples: int = SAMPLES,
    seed: int = SEED,
) -> Coefficient:
    """The mean of Cohen's kappa over pairs of annotators; see `pairs.every_pair`.

    Raises `ValueError` for weights without an order.
    """
    compared, apart = pairs.weighted(table, weights, order)
    patterns = fold(compared)
    (coefficients,) = measure(patterns, [pairs.every_pair(patterns, apart, weights)], samples=samples, seed=seed)
    return coefficients[-1]


def _only(patterns: Patterns, family: Family, samples: int, seed: int) -> Coefficient:
    ((coefficient,),) = measure(patterns, [family], samples=samples, seed=seed)
    return coefficient
