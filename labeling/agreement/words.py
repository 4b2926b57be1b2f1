"""Agreement in words: weak nodes and their reasons, and why kappa can be low although people agree."""

from collections.abc import Sequence
from dataclasses import dataclass

from labeling.agreement.confusion import Confusion, Partner
from labeling.agreement.measure import Coefficient
from labeling.agreement.nodes import NodeAgreement

TENTATIVE = 0.667  # below it not even tentative conclusions: Krippendorff 2004, Content Analysis, chapter 11
HIGH_OBSERVED = 0.8
LOW_KAPPA = 0.6
PARTNERS = 3
PARTNER_SHARE = 0.05


@dataclass(frozen=True)
class WeakNode:
    """A node whose alpha is below `TENTATIVE`, the nodes it is confused with, and both in words."""

    code: str
    agreement: NodeAgreement
    confused_with: tuple[Partner, ...]
    words: str


def percent(share: float) -> str:
    """A share with one decimal, `12.3 %`; 100.0 and 0.0 only if it is exactly that."""
    if 0.9995 <= share < 1:
        return "over 99.9 %"
    if 0 < share < 0.0005:
        return "under 0.1 %"
    return f"{100 * share:.1f} %"


def coefficient(value: float | None) -> str:
    """A coefficient with two decimals, and no sign before a nothing."""
    return "none" if value is None else f"{round(value, 2) + 0.0:.2f}"


def paradox(kappa: Coefficient, ac1: Coefficient, *, most_common: str, votes: Sequence[float]) -> str:
    """Why `kappa` is low although votes agree; empty where that is not the case.

    Feinstein and Cicchetti 1990 (Journal of Clinical Epidemiology 43, 543-549), the first paradox: with most votes on
    one answer, much agreement is expected by chance, and kappa has little room. Reported when the observed agreement
    is at least 0.8 and kappa below 0.6. `votes`: the number of votes of each answer.
    """
    if not _paradoxical(kappa):
        return ""
    expects = f" {ac1.name}, which expects less by chance here, is {coefficient(ac1.value)}."
    share = max(votes) / sum(votes)
    return (
        f"Votes agree in {percent(kappa.observed or 0)} of the pairs, yet {kappa.name} is only "
        f"{coefficient(kappa.value)}. Both are right: {percent(share)} of the votes say '{most_common}', so that "
        f"{percent(kappa.expected or 0)} agreement would come about by chance, and what is left to earn is small (the "
        f"prevalence paradox, Feinstein and Cicchetti 1990).{expects}"
    )


def weak_nodes(nodes: tuple[NodeAgreement, ...], confusion: Confusion) -> tuple[WeakNode, ...]:
    """The nodes whose alpha is below `TENTATIVE`, the weakest first."""
    alphas = {node.code: node.alpha.value for node in nodes if node.alpha.value is not None}
    weak = []
    for node in nodes:
        if alphas.get(node.code, TENTATIVE) < TENTATIVE:
            partners = confusion.partners(node.code)[:PARTNERS]
            frequent = tuple(partner for partner in partners if partner.share >= PARTNER_SHARE)
            weak.append(WeakNode(node.code, node, frequent, _describe(node, frequent)))
    return tuple(sorted(weak, key=lambda node: (alphas[node.code], node.code)))


def _describe(node: NodeAgreement, partners: Sequence[Partner]) -> str:
    interval = node.alpha.interval
    bounds = ""
    if interval and interval.low is not None and interval.high is not None:
        bounds = f" (95 % interval {coefficient(interval.low)} to {coefficient(interval.high)})"
        if interval.high >= TENTATIVE:
            bounds += f", which with so few votes may still be {TENTATIVE} or more"
    votes = "1 vote" if node.votes == 1 else f"{node.votes:,} votes"
    issues = "1 issue" if node.units == 1 else f"{node.units:,} issues"
    sentences = [f"'{node.code}': alpha is {coefficient(node.alpha.value)}{bounds}; {votes} on {issues} name it."]
    if node.chosen_again.value is not None:
        share = percent(node.chosen_again.value)
        sentences.append(f"Where one vote names it, another does so in {share} of the comparisons.")
    if partners:
        others = ", ".join(f"'{partner.code}' ({percent(partner.share)})" for partner in partners)
        sentences.append(f"Others say instead: {others}.")
    else:
        sentences.append(f"No single other node takes the place of '{node.code}' often.")
    if _paradoxical(node.alpha):
        answer, frequency = "the answer", "common"
        if 2 * node.votes < node.ac1.votes:
            answer, frequency = "not the answer", "rare"
        observed = percent(node.alpha.observed or 0)
        sentences.append(
            f"Votes agree about it in {observed} of the pairs, but mostly that it is {answer}, which is easy with so "
            f"{frequency} a node (Feinstein and Cicchetti 1990): Gwet's AC1, {coefficient(node.ac1.value)}, credits "
            "that, alpha does not."
        )
    return " ".join(sentences)


def _paradoxical(kappa: Coefficient) -> bool:
    return kappa.value is not None and kappa.value < LOW_KAPPA and (kappa.observed or 0) >= HIGH_OBSERVED
