"""Cohen's kappa between two annotators, plain and weighted, for every pair and as their mean."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt

from labeling.agreement.measure import SAMPLES, SEED, Coefficient, Family, Item, Parts, corrected, measure, quotient
from labeling.agreement.patterns import Patterns, Sizes, fold
from labeling.agreement.reasons import no_pairs, said
from labeling.agreement.votes import MISSING, Floats, Ints, VoteTable

Weights = Literal["none", "linear", "quadratic"]
Pair = tuple[int, int]
Evaluator = Callable[[Floats, Mapping[int, Floats]], Parts]

NAMES: dict[Weights, str] = {
    "none": "Cohen's kappa",
    "linear": "Cohen's kappa, linear weights",
    "quadratic": "Cohen's kappa, quadratic weights",
}


@dataclass(frozen=True)
class PairAgreement:
    """Two annotators' kappa over the units that both voted on; `kappa.observed` is their percent agreement."""

    first: str
    second: str
    kappa: Coefficient


def pair_agreement(
    table: VoteTable, *, samples: int = SAMPLES, seed: int = SEED
) -> tuple[Coefficient, tuple[PairAgreement, ...]]:
    """The mean of Cohen's kappa over all pairs, and each pair's."""
    patterns = fold(table)
    (coefficients,) = measure(patterns, [every_pair(patterns)], samples=samples, seed=seed)
    return split(table, coefficients)


def split(table: VoteTable, coefficients: tuple[Coefficient, ...]) -> tuple[Coefficient, tuple[PairAgreement, ...]]:
    """What `every_pair` measured: the mean, and who belongs to which kappa."""
    pairs = combinations(table.annotators, 2)
    each = tuple(PairAgreement(a, b, kappa) for (a, b), kappa in zip(pairs, coefficients[:-1], strict=True))
    return coefficients[-1], each


def weighted(table: VoteTable, weights: Weights, order: Sequence[str]) -> tuple[VoteTable, Floats]:
    """The table to compare over and how much each two answers disagree, from 0 to 1 (Cohen 1968).

    Weights need an order of nodes; votes that have no place in it (sets, other nodes, "does not tell") count as
    missing. Raises `ValueError` without an order of two nodes or more.
    """
    if weights == "none":
        size = len(table.answers)
        return table, 1 - np.eye(size)
    if len(order) < 2:
        raise ValueError("Weights need the order of two nodes or more")
    place = np.arange(len(order)) / (len(order) - 1)
    apart = np.abs(place[:, None] - place[None, :])
    return table.restricted_to(order), apart if weights == "linear" else apart**2


def one_pair(patterns: Patterns, pair: Pair, apart: Floats, weights: Weights) -> Family:
    """Cohen's kappa (Cohen 1960, Educational and Psychological Measurement 20, 37-46) of two columns of the table."""
    item = _pair_item(patterns, pair, weights)
    evaluate = _pair_evaluator(patterns, pair, apart, [_ones(column, len(apart)) for column in patterns.cells.T])
    return Family((item,), lambda weights: evaluate(weights, {}))


def every_pair(patterns: Patterns, apart: Floats | None = None, weights: Weights = "none") -> Family:
    """Cohen's kappa of every pair, in the order of `itertools.combinations`, and last the mean of those defined.

    The mean: Light 1971, Psychological Bulletin 76, 365-377.
    """
    apart = 1 - np.eye(len(patterns.table.answers)) if apart is None else apart
    pairs = list(combinations(range(len(patterns.table.annotators)), 2))
    ones = [_ones(column, len(apart)) for column in patterns.cells.T]
    full = [not (column == MISSING).any() for column in patterns.cells.T]
    evaluators = [_pair_evaluator(patterns, pair, apart, ones) for pair in pairs]
    items = tuple(_pair_item(patterns, pair, weights) for pair in pairs)

    def evaluate(weighted_rows: Floats) -> Parts:
        everywhere = {one: weighted_rows @ ones[one] for one in range(len(ones)) if full[one]}
        parts = [evaluate_pair(weighted_rows, everywhere) for evaluate_pair in evaluators]
        undefined = np.isnan(_beside((part.value for part in parts), len(weighted_rows)))
        columns = [
            _with_mean(_beside(column, len(weighted_rows)), undefined)
            for column in ((p.value for p in parts), (p.observed for p in parts), (p.expected for p in parts))
        ]
        return Parts(*columns)

    return Family((*items, _mean_item(patterns, items, weights)), evaluate)


def _pair_evaluator(patterns: Patterns, pair: Pair, apart: Floats, ones: Sequence[Floats]) -> Evaluator:
    """Sums over the rows where both voted: how much they differ, and how often each gave each answer.

    `ones` holds each annotator's answers as zeros and ones. The evaluator takes weights, and the sums of annotators
    who voted on every row, which many pairs share.
    """
    first, second = (patterns.cells[:, one] for one in pair)
    rows = np.flatnonzero((first != MISSING) & (second != MISSING))
    differing = apart[first[rows], second[rows]][:, None]

    def evaluate(weights: Floats, everywhere: Mapping[int, Floats]) -> Parts:
        of_rows = weights if len(rows) == len(patterns.cells) else weights[:, rows]
        if all(one in everywhere for one in pair):
            answers = [everywhere[one] for one in pair]
        else:
            answers = [of_rows @ ones[one][rows] for one in pair]
        units = of_rows.sum(axis=1, keepdims=True)
        by_chance = ((answers[0] @ apart) * answers[1]).sum(axis=1, keepdims=True)
        return corrected(1 - quotient(of_rows @ differing, units), 1 - quotient(by_chance, units**2))

    return evaluate


def _ones(codes: Ints, answers: int) -> Floats:
    """Rows x answers: 1 at the row's answer; nothing where it is missing."""
    ones = np.zeros((len(codes), answers))
    present = np.flatnonzero(codes != MISSING)
    ones[present, codes[present]] = 1
    return ones


def _beside(columns: Iterable[Floats], samples: int) -> Floats:
    return np.hstack([np.zeros((samples, 0)), *columns])


def _with_mean(values: Floats, undefined: npt.NDArray[np.bool_]) -> Floats:
    """The columns, and the mean of the defined ones."""
    total = np.where(undefined, 0.0, values).sum(axis=1, keepdims=True)
    return np.hstack([values, quotient(total, (~undefined).sum(axis=1, keepdims=True).astype(np.float64))])


def _pair_item(patterns: Patterns, pair: Pair, weights: Weights) -> Item:
    key = "cohen" if weights == "none" else f"cohen_{weights}"
    sizes, reason = _pair_sizes(patterns, pair)
    return Item(key, NAMES[weights], sizes, reason)


def _pair_sizes(patterns: Patterns, pair: Pair) -> tuple[Sizes, str]:
    """What two annotators' kappa stands on, and why it is undefined."""
    names = [patterns.table.annotators[one] for one in pair]
    first, second = (patterns.cells[:, one] for one in pair)
    both = (first != MISSING) & (second != MISSING)
    either = (first != MISSING) | (second != MISSING)
    shared, voted = int(patterns.repeats[both].sum()), int(patterns.repeats[either].sum())
    sizes = Sizes(units=shared, votes=2 * shared, missing=voted - shared)
    if not shared:
        return sizes, f"No issue has a vote of both {names[0]} and {names[1]}."
    used = np.unique(np.concatenate([first[both], second[both]]))
    if len(used) == 1:
        answer = said(patterns.table.answers[used[0]])
        return sizes, f"Both always say '{answer}': what is beyond chance cannot be told."
    return sizes, ""


def _mean_item(patterns: Patterns, pairs: tuple[Item, ...], weights: Weights) -> Item:
    key = "cohen_mean" if weights == "none" else f"cohen_{weights}_mean"
    reason = no_pairs(patterns)
    if not reason and all(pair.reason for pair in pairs):
        reason = f"No pair of annotators has a kappa. {pairs[0].reason}"
    name = f"{NAMES[weights]}, mean over pairs"
    return Item(key, name, patterns.sizes(all_votes=False), reason)
