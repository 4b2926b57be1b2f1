"""Cohen's kappa between two annotators, plain and weighted, for every pair and as their mean."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt

from labeling.agreement.measure import Coefficient, Family, Item, Parts, corrected, quotient
from labeling.agreement.patterns import Patterns, Sizes
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


def split(table: VoteTable, coefficients: tuple[Coefficient, ...]) -> tuple[Coefficient, tuple[PairAgreement, ...]]:
    """The results of `every_pair`: the mean, and each pair's kappa with the names."""
    pairs = combinations(table.annotators, 2)
    each = tuple(PairAgreement(a, b, kappa) for (a, b), kappa in zip(pairs, coefficients[:-1], strict=True))
    return coefficients[-1], each


def weighted(table: VoteTable, weights: Weights, order: Sequence[str]) -> tuple[VoteTable, Floats]:
    """The table to compare over, and the weight of each two answers' disagreement, from 0 to 1 (Cohen 1968).

    The nodes need an order; votes that are not in it (sets, other nodes, "does not tell") count as missing. Raises
    `ValueError` without an order of two nodes or more.
    """
    if len(order) < 2:
        raise ValueError("Weights need the order of two nodes or more")
    place = np.arange(len(order)) / (len(order) - 1)
    apart = np.abs(place[:, None] - place[None, :])
    return table.restricted_to(order), apart if weights == "linear" else apart**2


def every_pair(patterns: Patterns, apart: Floats | None = None, weights: Weights = "none") -> Family:
    """Cohen's kappa (Cohen 1960, Educational and Psychological Measurement 20, 37-46) of every pair, and their mean.

    Pairs are in the order of `itertools.combinations`; last comes the mean of those that are defined (Light 1971,
    Psychological Bulletin 76, 365-377). `apart`: the weight of each two answers' disagreement; 1 where it is None.
    """
    if apart is None:
        apart = 1 - np.eye(len(patterns.table.answers))
    pairs = list(combinations(range(len(patterns.table.annotators)), 2))
    ones = [_ones(column, len(apart)) for column in patterns.cells.T]
    complete = [number for number, column in enumerate(patterns.cells.T) if not (column == MISSING).any()]
    evaluators = [_pair_evaluator(patterns, pair, apart, ones) for pair in pairs]
    items = tuple(_pair_item(patterns, pair, weights) for pair in pairs)

    def evaluate(weighted_rows: Floats) -> Parts:
        totals = {annotator: weighted_rows @ ones[annotator] for annotator in complete}
        parts = [evaluate_pair(weighted_rows, totals) for evaluate_pair in evaluators]
        none = np.zeros((len(weighted_rows), 0))
        values = np.hstack([none, *(part.value for part in parts)])
        observed = np.hstack([none, *(part.observed for part in parts)])
        expected = np.hstack([none, *(part.expected for part in parts)])
        defined = ~np.isnan(values)
        return Parts(_with_mean(values, defined), _with_mean(observed, defined), _with_mean(expected, defined))

    reason = no_pairs(patterns)
    if not reason and all(item.reason for item in items):
        reason = f"No pair of annotators has a kappa. {items[0].reason}"
    key = "cohen_mean" if weights == "none" else f"cohen_{weights}_mean"
    mean = Item(key, f"{NAMES[weights]}, mean over pairs", patterns.sizes(all_votes=False), reason)
    return Family((*items, mean), evaluate)


def _pair_evaluator(patterns: Patterns, pair: Pair, apart: Floats, ones: Sequence[Floats]) -> Evaluator:
    """The kappa of a pair from sums over the rows where both voted.

    `ones` holds each annotator's answers as zeros and ones. The evaluator takes weights, and the answers' totals of
    annotators who voted on every row, which many pairs share.
    """
    first, second = (patterns.cells[:, annotator] for annotator in pair)
    rows = np.flatnonzero((first != MISSING) & (second != MISSING))
    differing = apart[first[rows], second[rows]][:, None]

    def evaluate(weights: Floats, totals: Mapping[int, Floats]) -> Parts:
        of_rows = weights if len(rows) == len(patterns.cells) else weights[:, rows]
        if all(annotator in totals for annotator in pair):
            answers = [totals[annotator] for annotator in pair]
        else:
            answers = [of_rows @ ones[annotator][rows] for annotator in pair]
        units = of_rows.sum(axis=1, keepdims=True)
        by_chance = ((answers[0] @ apart) * answers[1]).sum(axis=1, keepdims=True)
        return corrected(1 - quotient(of_rows @ differing, units), 1 - quotient(by_chance, units**2))

    return evaluate


def _ones(codes: Ints, answers: int) -> Floats:
    """Rows x answers: 1 at the row's answer, no 1 where it is missing."""
    ones = np.zeros((len(codes), answers))
    present = np.flatnonzero(codes != MISSING)
    ones[present, codes[present]] = 1
    return ones


def _with_mean(values: Floats, defined: npt.NDArray[np.bool_]) -> Floats:
    """The columns, and the mean of the defined ones."""
    total = np.where(defined, values, 0.0).sum(axis=1, keepdims=True)
    return np.hstack([values, quotient(total, defined.sum(axis=1, keepdims=True).astype(np.float64))])


def _pair_item(patterns: Patterns, pair: Pair, weights: Weights) -> Item:
    key = "cohen" if weights == "none" else f"cohen_{weights}"
    first, second = (patterns.cells[:, annotator] for annotator in pair)
    both = (first != MISSING) & (second != MISSING)
    either = (first != MISSING) | (second != MISSING)
    shared, voted = int(patterns.repeats[both].sum()), int(patterns.repeats[either].sum())
    answers = np.unique(np.concatenate([first[both], second[both]]))
    reason = ""
    if not shared:
        names = [patterns.table.annotators[annotator] for annotator in pair]
        reason = f"No issue has a vote of both {names[0]} and {names[1]}."
    elif len(answers) == 1:
        answer = said(patterns.table.answers[answers[0]])
        reason = f"Both always say '{answer}': agreement beyond chance is undefined."
    return Item(key, NAMES[weights], Sizes(units=shared, votes=2 * shared, missing=voted - shared), reason)
