"""Everything about the agreement of several axes in one call; rounds and codebook versions are the caller's to part."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from labeling.agreement import families, pairs
from labeling.agreement.confusion import Confusion, confused
from labeling.agreement.dissent import Dissent, dissent_of
from labeling.agreement.distances import DISTANCES
from labeling.agreement.measure import SAMPLES, SEED, Coefficient, measure
from labeling.agreement.nodes import NodeAgreement, gather, node_families
from labeling.agreement.pairs import PairAgreement, Weights
from labeling.agreement.patterns import Patterns, fold
from labeling.agreement.reasons import said
from labeling.agreement.votes import Row, VoteTable, tabulate
from labeling.agreement.words import WeakNode, paradox, weak_nodes

ORDERED: tuple[Weights, ...] = ("linear", "quadratic")


@dataclass(frozen=True)
class AxisVotes:
    """One axis' votes, see `votes.tabulate`; `order` of its nodes if they are degrees of one thing, for weights."""

    axis: str
    rows: Sequence[Row]
    order: tuple[str, ...] = ()


@dataclass(frozen=True)
class AxisReport:
    """The agreement on one axis.

    `units` have votes, `votes` in all. `coefficients` are over all annotators, each with its reason if it is
    undefined; `pairs`, `nodes` and `dissent` are in the order of names. `paradox` is empty where there is none.
    """

    axis: str
    annotators: tuple[str, ...]
    units: int
    votes: int
    set_valued: bool
    coefficients: tuple[Coefficient, ...]
    nodes: tuple[NodeAgreement, ...]
    pairs: tuple[PairAgreement, ...]
    dissent: tuple[Dissent, ...]
    confusion: Confusion
    weak: tuple[WeakNode, ...]
    paradox: str

    def coefficient(self, key: str) -> Coefficient:
        """The coefficient with this key. Raises `KeyError` if it is not among them."""
        for one in self.coefficients:
            if one.key == key:
                return one
        raise KeyError(key)


def report_axes(axes: Iterable[AxisVotes], *, samples: int = SAMPLES, seed: int = SEED) -> tuple[AxisReport, ...]:
    """The agreement of each axis, with bootstrap intervals unless `samples` is 0.

    Raises `ValueError` for rows that make no table, see `votes.tabulate`.
    """
    return tuple(report_axis(one.axis, tabulate(one.rows), one.order, samples=samples, seed=seed) for one in axes)


def report_axis(
    axis: str, table: VoteTable, order: Sequence[str] = (), *, samples: int = SAMPLES, seed: int = SEED
) -> AxisReport:
    """The agreement of a table. All coefficients but the weighted ones see the same samples."""
    patterns = fold(table)
    overall = [
        families.percent(patterns),
        families.fleiss(patterns),
        families.fleiss_varying(patterns),
        families.ac1(patterns),
        *(families.alpha(patterns, distance) for distance in DISTANCES if distance == "nominal" or table.set_valued),
    ]
    asked = [*overall, pairs.every_pair(patterns), *node_families(patterns)]
    measured = measure(patterns, asked, samples=samples, seed=seed)
    mean, by_pair = pairs.split(table, measured[len(overall)])
    coefficients = (*(one for (one,) in measured[: len(overall)]), mean, *_ordered(table, order, samples, seed))
    nodes, mixed_up = gather(patterns, measured[len(overall) + 1 :]), confused(patterns)
    _, fleiss, fleiss_varying, ac1, *_ = coefficients
    return AxisReport(
        axis=axis,
        annotators=table.annotators,
        units=patterns.units,
        votes=table.votes,
        set_valued=table.set_valued,
        coefficients=coefficients,
        nodes=nodes,
        pairs=by_pair,
        dissent=tuple(dissent_of(patterns, column) for column in range(len(table.annotators))),
        confusion=mixed_up,
        weak=weak_nodes(nodes, mixed_up),
        paradox=_paradox(patterns, fleiss_varying if fleiss.reason else fleiss, ac1),
    )


def _ordered(table: VoteTable, order: Sequence[str], samples: int, seed: int) -> list[Coefficient]:
    """Weighted kappas, mean over pairs, if the nodes have an order."""
    found = []
    for weights in ORDERED if order else ():
        compared, apart = pairs.weighted(table, weights, order)
        patterns = fold(compared)
        (coefficients,) = measure(patterns, [pairs.every_pair(patterns, apart, weights)], samples=samples, seed=seed)
        found.append(coefficients[-1])
    return found


def _paradox(patterns: Patterns, kappa: Coefficient, ac1: Coefficient) -> str:
    totals = patterns.repeats @ patterns.counts
    if kappa.value is None:
        return ""
    most = int(np.argmax(totals))
    name, share = said(patterns.table.answers[most]), float(totals[most] / totals.sum())
    return paradox(kappa, ac1, most_common=name, share=share)
