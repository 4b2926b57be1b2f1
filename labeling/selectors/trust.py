"""The confidence in a decision, from the agreement measured in its own round. The rule: `agreement.confidence`."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from kb.models import Source
from labeling.agreement import Basis, Measure, confidence
from labeling.models import Decision, Round, Vote
from labeling.selectors.results import Measured, Names, VoteSet, measured, names_of, quickly_measured, vote_set
from labeling.selectors.votes import blind_arm


@dataclass(frozen=True)
class RoundAgreement:
    """Krippendorff's alpha in one round: by axis code, and by axis and node code."""

    axes: Mapping[str, Measure] = field(default_factory=dict)
    nodes: Mapping[tuple[str, str], Measure] = field(default_factory=dict)


def agreement_of(*, rounds: Collection[int], is_for_page: bool = False) -> dict[int, RoundAgreement]:
    """Round id -> the agreement of its released votes, with intervals; seconds where there are many votes.

    A page, which cannot wait, gets it without intervals there.
    """
    rows = Round.objects.filter(pk__in=rounds).select_related("codebook")
    measure = quickly_measured if is_for_page else measured
    return {round_.pk: _agreement(round_, measure) for round_ in rows}


def level_of(decision: Decision, agreement: RoundAgreement, *, is_demo: bool) -> Source.Confidence:
    """The confidence in a decision. Its `item.round`, `axis` and `versions.node` should be selected."""
    axis = decision.axis.code
    categories = [agreement.nodes.get((axis, version.node.code)) for version in decision.versions.all()]
    basis = Basis(
        axis=agreement.axes.get(axis),
        categories=categories,
        votes=decision.votes,
        support=decision.support,
        is_pilot=decision.item.round.kind == Round.Kind.PILOT,
        is_from_file=decision.item.round.is_from_file,
        is_demo=is_demo,
    )
    return Source.Confidence[confidence(basis).name]


def _agreement(round_: Round, measure: Callable[[VoteSet, Names], Measured]) -> RoundAgreement:
    names = names_of(codebook=round_.codebook)
    votes = blind_arm(Vote.objects.filter(item__round=round_, item__released_at__isnull=False))
    codes = {(axis, name): code for (axis, code), name in names.nodes.items()}
    axes, nodes = {}, {}
    for report in measure(vote_set(votes, project_id=round_.project_id), names).reports:
        alpha = report.alpha
        axes[report.axis] = Measure(alpha, alpha.units)
        for node in report.nodes:
            # The report calls nodes by their names.
            code = codes.get((report.axis, node.code), node.code)
            nodes[report.axis, code] = Measure(node.alpha, node.compared)
    return RoundAgreement(axes, nodes)
