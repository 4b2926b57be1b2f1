"""Computes the whole agreement report of axes; callers separate rounds and codebook versions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from labeling.agreement import families, pairs, scales
from labeling.agreement.confusion import Confusion, confused
from labeling.agreement.dissent import Dissent, dissent_of
from labeling.agreement.distances import DISTANCES, Distance
from labeling.agreement.measure import SAMPLES, SEED, Coefficient, measure
from labeling.agreement.nodes import NodeAgreement, gather, node_families
from labeling.agreement.pairs import PairAgreement, Weights
from labeling.agreement.patterns import fold
from labeling.agreement.reasons import said
from labeling.agreement.votes import NOT_TOLD, Row, VoteTable, tabulate
from labeling.agreement.words import WeakNode, paradox, weak_nodes

ORDERED: tuple[Weights, ...] = ("linear", "quadratic")


@dataclass(frozen=True)
class AxisVotes:
    """The votes on one axis, see `votes.tabulate`; `order` of its nodes, lowest first, if they are on one scale.

    `is_number`: its answers are numbers.
    """

    axis: str
    rows: Sequence[Row]
    order: tuple[str, ...] = ()
    is_number: bool = False


@dataclass(frozen=True)
class AxisReport:
    """The agreement on one axis. `alpha_key` is the alpha that fits its kind: nominal, sets, ordinal or interval.

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
    alpha_key: str = "alpha_nominal"

    def coefficient(self, key: str) -> Coefficient:
        """The coefficient with this key. Raises `KeyError` if it is not among them."""
        for coefficient in self.coefficients:
            if coefficient.key == key:
                return coefficient
        raise KeyError(key)

    @property
    def alpha(self) -> Coefficient:
        """Krippendorff's alpha with the distance that fits the axis."""
        return self.coefficient(self.alpha_key)


def report_axes(axes: Iterable[AxisVotes], *, samples: int = SAMPLES, seed: int = SEED) -> tuple[AxisReport, ...]:
    """The agreement of each axis, with bootstrap intervals unless `samples` is 0.

    Raises `ValueError` for rows that make no table, see `votes.tabulate`.
    """
    reports = []
    for each in axes:
        table = tabulate(each.rows)
        if each.is_number:
            reports.append(report_numbers(each.axis, table, samples=samples, seed=seed))
        else:
            reports.append(report_axis(each.axis, table, each.order, samples=samples, seed=seed))
    return tuple(reports)


def report_axis(
    axis: str, table: VoteTable, order: Sequence[str] = (), *, samples: int = SAMPLES, seed: int = SEED
) -> AxisReport:
    """The agreement of a table. All coefficients but those of an order see the same samples."""
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
    coefficients += [mean, *_ordered(table, order, samples, seed)]
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
        alpha_key="alpha_ordinal" if order else "alpha_masi" if table.set_valued else "alpha_nominal",
    )


def report_numbers(axis: str, table: VoteTable, *, samples: int = SAMPLES, seed: int = SEED) -> AxisReport:
    """The agreement of a table of numbers: how often they are equal, and how near to one another they are.

    Numbers are no categories: there is no agreement by category, and no confusion of one with another.
    """
    patterns = fold(table)
    told = fold(table.restricted_to([code for code in table.nodes if code != NOT_TOLD]))
    ((equal,),) = measure(patterns, [families.percent(patterns)], samples=samples, seed=seed)
    ((alpha,),) = measure(told, [scales.interval_alpha(told)], samples=samples, seed=seed)
    return AxisReport(
        axis=axis, annotators=table.annotators, units=patterns.units, votes=table.votes, set_valued=False,
        coefficients=(equal, alpha), nodes=(), pairs=(),
        dissent=tuple(dissent_of(patterns, column) for column in range(len(table.annotators))),
        confusion=Confusion((), (), ()), weak=(), paradox="", alpha_key="alpha_interval",
    )  # fmt: skip


def _ordered(table: VoteTable, order: Sequence[str], samples: int, seed: int) -> list[Coefficient]:
    """Ordinal alpha and the weighted kappas, mean over pairs, if the nodes have an order; all without other answers."""
    if not order:
        return []
    steps = fold(table.restricted_to(order))
    ((alpha,),) = measure(steps, [scales.ordinal_alpha(steps)], samples=samples, seed=seed)
    kappas = [alpha]
    for weights in ORDERED:
        compared, apart = pairs.weighted(table, weights, order)
        patterns = fold(compared)
        (coefficients,) = measure(patterns, [pairs.every_pair(patterns, apart, weights)], samples=samples, seed=seed)
        kappas.append(coefficients[-1])
    return kappas
