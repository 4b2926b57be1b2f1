"""Inter-annotator agreement on one axis: over all annotators, by node and by pair of annotators.

Pure: votes in, frozen dataclasses out; no Django. `report_axes` and `report_axis` compute everything.
Inside, a table of votes (`votes`) is folded into its distinct rows (`patterns`); a family of coefficients (`families`,
`pairs`, `nodes`) evaluates weights of these rows; `measure` evaluates a family once with the real weights and a
thousand times with resampled ones.
"""

from labeling.agreement.confidence import Basis, Confidence, Measure, confidence
from labeling.agreement.confusion import Confusion
from labeling.agreement.measure import SAMPLES, SEED, BootstrapInterval, Coefficient
from labeling.agreement.report import AxisReport, AxisVotes, report_axes, report_axis
from labeling.agreement.votes import MISSING, NOT_TOLD, VoteTable, tabulate

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
    "Measure",
    "VoteTable",
    "confidence",
    "report_axes",
    "report_axis",
    "tabulate",
]
