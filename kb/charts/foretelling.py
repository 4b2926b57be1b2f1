"""Reads what `leave_one_out` tells causes by: symptoms as they were labelled, and the uppermost groups of causes."""

from collections.abc import Callable, Collection

from kb.charts.counting import combinations
from kb.charts.dimensions import CAUSE, SYMPTOM, Categories, categories
from kb.charts.evidence import Evidence
from kb.charts.leave_one_out import Foretold, Group, leave_one_out


def foretell(evidence: Evidence) -> Foretold:
    """How far symptoms tell causes among these issues."""
    read = categories(evidence, (SYMPTOM, CAUSE))
    labelled, implied = _as_labelled(read[SYMPTOM.key]), read[CAUSE.key].implied
    rows = combinations(evidence, (SYMPTOM.key, CAUSE.key))
    return leave_one_out(Group(labelled(symptoms), implied(causes), reports) for symptoms, causes, reports in rows)


def _as_labelled(symptoms: Categories) -> Callable[[str], Collection[str]]:
    branches = symptoms.tree.branches

    def labelled(answers: str) -> Collection[str]:
        return {branches[int(pk)].code for pk in answers.split() if int(pk) in branches}

    return labelled
