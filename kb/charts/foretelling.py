"""Reads what `leave_one_out` tells causes by: symptoms as they were labelled, and the uppermost groups of causes."""

from collections.abc import Callable, Collection

from kb.charts.counting import combinations
from kb.charts.dimensions import CAUSE, SYMPTOM, Categories, categories
from kb.charts.evidence import Evidence
from kb.charts.leave_one_out import Foretold, Group, leave_one_out


def foretell(evidence: Evidence) -> Foretold:
    """How far symptoms tell causes among these issues."""
    read = categories(evidence, (SYMPTOM, CAUSE))
    symptoms, causes = read[SYMPTOM.key], read[CAUSE.key]
    labelled = _as_labelled(symptoms)
    groups = []
    for symptom_answers, cause_answers, reports in combinations(evidence, (SYMPTOM.key, CAUSE.key)):
        shown = symptoms.implied(symptom_answers)
        groups.append(Group(labelled(symptom_answers), causes.implied(cause_answers), reports, shown))
    return leave_one_out(groups)


def _as_labelled(symptoms: Categories) -> Callable[[str], Collection[str]]:
    branches = symptoms.tree.branches

    def labelled(answers: str) -> Collection[str]:
        return {branches[int(pk)].code for pk in answers.split() if int(pk) in branches}

    return labelled
