"""Numbers of agreement in words: which nodes are weak and why, and why kappa is low where people agree."""

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


def paradox(kappa: Coefficient, ac1: Coefficient, *, most_common: str, share: float) -> str:
    """Why `kappa` is low although votes agree, or nothing if that is not the case.

    Feinstein and Cicchetti 1990 (Journal of Clinical Epidemiology 43, 543-549), the first paradox: with most votes on
    one answer, much agreement is expected by chance, and kappa has little room. Told when the observed agreement
    is at least 0.8 and kappa below 0.6. `share` of the votes say `most_common`.
    """
    if not _paradoxical(kappa):
        return ""
    expects = f" {ac1.name}, which expects less by chance here, is {coefficient(ac1.value)}."
    return (
        f"Votes agree in {percent(kappa.observed or 0)} of the pairs, yet {kappa.name} is only "
        f"{coefficient(kappa.value)}. Both are right: {percent(share)} of the votes say '{most_common}', so that "
        f"{percent(kappa.expected or 0)} agreement would come about by chance, and what is left to earn is small (the "
        f"prevalence paradox, Feinstein and Cicchetti 1990).{expects}"
    )


def weak_nodes(nodes: tuple[NodeAgreement, ...], confusion: Confusion) -> tuple[WeakNode, ...]:
    """The weak ones, the weakest first."""
    weak = [(node.alpha.value, node) for node in nodes if node.alpha.value is not None]
    chosen = sorted((pair for pair in weak if pair[0] < TENTATIVE), key=lambda pair: (pair[0], pair[1].code))
    return tuple(_weak(node, confusion.partners(node.code)) for _, node in chosen)


def _weak(node: NodeAgreement, partners: tuple[Partner, ...]) -> WeakNode:
    often = tuple(partner for partner in partners[:PARTNERS] if partner.share >= PARTNER_SHARE)
    sentences = [_how_low(node), _repeated(node), _mixed_up(node, often), _rare(node)]
    return WeakNode(node.code, node, often, " ".join(filter(None, sentences)))


def _how_low(node: NodeAgreement) -> str:
    interval = node.alpha.interval
    bounds = ""
    if interval and interval.low is not None and interval.high is not None:
        bounds = f" (95 % interval {coefficient(interval.low)} to {coefficient(interval.high)})"
        if interval.high >= TENTATIVE:
            bounds += f", which with so few votes may still be {TENTATIVE} or more"
    votes = "1 vote" if node.votes == 1 else f"{node.votes:,} votes"
    issues = "1 issue" if node.units == 1 else f"{node.units:,} issues"
    return f"'{node.code}': alpha is {coefficient(node.alpha.value)}{bounds}; {votes} on {issues} name it."


def _repeated(node: NodeAgreement) -> str:
    share = node.chosen_again.value
    return "" if share is None else f"Where one vote names it, another does so in {percent(share)} of the comparisons."


def _mixed_up(node: NodeAgreement, often: tuple[Partner, ...]) -> str:
    if not often:
        return f"No single other node takes the place of '{node.code}' often."
    others = ", ".join(f"'{partner.code}' ({percent(partner.share)})" for partner in often)
    return f"Others say instead: {others}."


def _rare(node: NodeAgreement) -> str:
    if not _paradoxical(node.alpha):
        return ""
    rare = 2 * node.votes < node.ac1.votes
    return (
        f"Votes agree about it in {percent(node.alpha.observed or 0)} of the pairs, but mostly that it is "
        f"{'not ' if rare else ''}the answer, which is easy with so {'rare' if rare else 'common'} a node "
        f"(Feinstein and Cicchetti 1990): Gwet's AC1, {coefficient(node.ac1.value)}, credits that, alpha does not."
    )


def _paradoxical(kappa: Coefficient) -> bool:
    return kappa.value is not None and kappa.value < LOW_KAPPA and (kappa.observed or 0) >= HIGH_OBSERVED
