"""Agreement: how far independent votes on one axis say the same, for which nodes and between whom.

Pure: votes in, frozen dataclasses out; no Django. `report_axes` asks for everything at once, the rest for one thing.
Inside, a table of votes (`votes`) is folded into its distinct rows (`patterns`); a family of coefficients (`families`,
`pairs`, `nodes`) says what they are worth under any weights of these rows; `measure` asks a family once with the real
weights and a thousand times with resampled ones.
"""

from labeling.agreement.coefficients import (
    cohen_kappa,
    fleiss_kappa,
    fleiss_kappa_varying,
    gwet_ac1,
    krippendorff_alpha,
    mean_cohen_kappa,
    percent_agreement,
)
from labeling.agreement.confidence import Basis, Confidence, Measure, confidence
from labeling.agreement.confusion import Confusion, Partner, confusion_of
from labeling.agreement.dissent import Dissent, Towards, dissent_profiles
from labeling.agreement.distances import Distance, answer_distances
from labeling.agreement.measure import SAMPLES, SEED, BootstrapInterval, Coefficient
from labeling.agreement.nodes import NodeAgreement, node_agreement
from labeling.agreement.pairs import PairAgreement, Weights, pair_agreement
from labeling.agreement.report import AxisReport, AxisVotes, report_axes, report_axis
from labeling.agreement.votes import MISSING, NOT_TOLD, VoteTable, tabulate
from labeling.agreement.words import WeakNode, paradox, weak_nodes

__all__ = [
    "MISSING",
    "NOT_TOLD",
    "SAMPLES",
    "SEED",
    "AxisReport",
    "AxisVotes",
    "Basis",
    "BootstrapInterval",
    "Coefficient",
    "Confidence",
    "Confusion",
    "Dissent",
    "Distance",
    "Measure",
    "NodeAgreement",
    "PairAgreement",
    "Partner",
    "Towards",
    "VoteTable",
    "WeakNode",
    "Weights",
    "answer_distances",
    "cohen_kappa",
    "confidence",
    "confusion_of",
    "dissent_profiles",
    "fleiss_kappa",
    "fleiss_kappa_varying",
    "gwet_ac1",
    "krippendorff_alpha",
    "mean_cohen_kappa",
    "node_agreement",
    "pair_agreement",
    "paradox",
    "percent_agreement",
    "report_axes",
    "report_axis",
    "tabulate",
    "weak_nodes",
]
