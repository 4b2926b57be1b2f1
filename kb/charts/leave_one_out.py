"""How far a symptom tells the group of its cause: each report is told by the others. Pure.

The causes of the other reports that share a symptom are counted, a report once for each symptom that it shares. The
most frequent is told first; equal ones in the order of how frequent they are in all other reports. A report whose
symptom no other one has is told the most frequent of all. The baseline tells these of every report.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

THREE = 3


class Group(NamedTuple):
    """So many reports with these symptoms and these groups of causes; `shown`: the groups of their symptoms."""

    symptoms: Collection[str]
    causes: Collection[str]
    reports: int
    shown: Collection[str] = ()


@dataclass
class Told:
    """How many of the reports were told right: first, among the first three, and by the baseline."""

    reports: int = 0
    first: int = 0
    three: int = 0
    commonest: int = 0
    three_commonest: int = 0


@dataclass(frozen=True)
class Foretold:
    """All reports that have a symptom and a cause, and those in each group of symptoms."""

    together: Told = field(default_factory=Told)
    by_group: dict[str, Told] = field(default_factory=dict)


def leave_one_out(groups: Iterable[Group]) -> Foretold:
    """Tell each report's group of causes by the other reports."""
    known = [group for group in groups if group.symptoms and group.causes]
    by_symptom: dict[str, Counter[str]] = {}
    overall: Counter[str] = Counter()
    for group in known:
        for cause in group.causes:
            overall[cause] += group.reports
            for symptom in group.symptoms:
                by_symptom.setdefault(symptom, Counter())[cause] += group.reports
    result = Foretold()
    for group in known:
        others = overall - Counter(dict.fromkeys(group.causes, 1))
        votes: Counter[str] = Counter()
        for symptom in group.symptoms:
            votes += by_symptom[symptom] - Counter(dict.fromkeys(group.causes, 1))
        commonest = _first_three(others, others)
        told = _first_three(votes, others)
        for counted in (result.together, *(result.by_group.setdefault(each, Told()) for each in group.shown)):
            counted.reports += group.reports
            counted.first += group.reports * _is_among(group, told[:1])
            counted.three += group.reports * _is_among(group, told)
            counted.commonest += group.reports * _is_among(group, commonest[:1])
            counted.three_commonest += group.reports * _is_among(group, commonest)
    return result


def _first_three(votes: Counter[str], overall: Counter[str]) -> list[str]:
    """The three causes with most votes; those without any come last, the most frequent overall first."""
    return sorted(overall, key=lambda cause: (-votes[cause], -overall[cause], cause))[:THREE]


def _is_among(group: Group, told: Iterable[str]) -> bool:
    return any(cause in group.causes for cause in told)
