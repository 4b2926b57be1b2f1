"""Computes the whole agreement report of axes; callers separate rounds and codebook versions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from labeling.agreement import families, pairs
from labeling.agreement.confusion import Confusion, confused
from labeling.agreement.dissent import Dissent, dissent_of
from labeling.agreement.distances import DISTANCES, Distance
from labeling.agreement.measure import SAMPLES, SEED, Coefficient, measure
from labeling.agreement.nodes import NodeAgreement, gather, node_families
from labeling.agreement.pairs import PairAgreement, Weights
from labeling.agreement.patterns import fold
from labeling.agreement.reasons import said
from labeling.agreement.votes import Row, VoteTable, tabulate
from labeling.agreement.words import WeakNode, paradox, weak_nodes

ORDERED: tuple[Weights, ...] = ("linear", "quadratic")


@dataclass(frozen=True)
class AxisVotes:
    """The votes on one axis, see `votes.tabulate`; `order` of its nodes, for weights, if they are on one scale."""

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
        for coefficient in self.coefficients:
            if coefficient.key == key:
                return coefficient
        raise KeyError(key)


def report_axes(axes: Iterable[AxisVotes], *, samples: int = SAMPLES, seed: int = SEED) -> tuple[AxisReport, ...]:
    """The agreement of each axis, with bootstrap intervals unless `samples` is 0.

    Raises `ValueError` for rows that make no table, see `votes.tabulate`.
    """
    return tuple(report_axis(each.axis, tabulate(each.rows), each.order, samples=samples, seed=seed) for each in axes)


def report_axis(
    axis: str, table: VoteTable, order: Sequence[str] = (), *, samples: int = SAMPLES, seed: int = SEED
) -> AxisReport:
    """The agreement of a table. All coefficients but the weighted ones see the same samples."""
    patterns = fold(table)
    distances: Sequence[Distance] = DISTANCES if table.set_valued else ("nominal",)
    overall = [
        families.percent(patterns),
        families.fleiss(patterns),
        families.fleiss_varying(patterns),
        families.ac1(patterns),
        *(families.alpha(patterns, distance) for distance in distances),
    ]
    every_family = [*overall, pairs.every_pair(patterns), *node_families(patterns)]
    measured = measure(patterns, every_family, samples=samples, seed=seed)
    coefficients = [coefficient for (coefficient,) in measured[: len(overall)]]
    mean, by_pair = pairs.split(table, measured[len(overall)])
    coefficients += [mean, *_weighted_kappas(table, order, samples, seed)]
    nodes, confusion = gather(patterns, measured[len(overall) + 1 :]), confused(patterns)
    _, fleiss, fleiss_varying, ac1, *_ = coefficients
    totals = patterns.repeats @ patterns.counts
    most_common = said(table.answers[int(np.argmax(totals))]) if table.answers else ""
    return AxisReport(
        axis=axis,
        annotators=table.annotators,
        units=patterns.units,
        votes=table.votes,
        set_valued=table.set_valued,
        coefficients=tuple(coefficients),
        nodes=nodes,
        pairs=by_pair,
        dissent=tuple(dissent_of(patterns, column) for column in range(len(table.annotators))),
        confusion=confusion,
        weak=weak_nodes(nodes, confusion),
        paradox=paradox(
            fleiss_varying if fleiss.reason else fleiss, ac1, most_common=most_common, votes=totals.tolist()
        ),
    )


def _weighted_kappas(table: VoteTable, order: Sequence[str], samples: int, seed: int) -> list[Coefficient]:
    """The weighted kappas, mean over pairs, if the nodes have an order."""
    kappas = []
    for weights in ORDERED if order else ():
        compared, apart = pairs.weighted(table, weights, order)
        patterns = fold(compared)
        (coefficients,) = measure(patterns, [pairs.every_pair(patterns, apart, weights)], samples=samples, seed=seed)
        kappas.append(coefficients[-1])
    return kappas
