"""Playbooks of common faults for a failure: those that know a line of it, else those with its symptom."""

from kb.core.diagnosis.schema import DiagnosisData, FittingPlaybook
from kb.core.fault_playbooks import FaultPlaybook, fault_playbooks
from kb.core.knowledge.issues import body_of
from kb.core.knowledge.sources import Known
from kb.core.search.playbooks import playbooks_of_lines

MOST = 2


def playbooks_of_failure(data: DiagnosisData, known: Known) -> list[FittingPlaybook]:
    """At most two, the likeliest first."""
    lines = [body_of(line) for line in data["lines"] if line["indicated"]]
    if by_line := playbooks_of_lines(lines):
        return [_fitting(playbook, known, "A line that failed is one of its lines.") for playbook in by_line[:MOST]]
    symptom = data["symptom_code"]
    same = [playbook for playbook in fault_playbooks() if symptom and playbook.symptom == symptom]
    # Several with one symptom are no answer: which of them it is, only a line can tell.
    return [_fitting(playbook, known, "It is about this symptom.") for playbook in same] if len(same) == 1 else []


def _fitting(playbook: FaultPlaybook, known: Known, why: str) -> FittingPlaybook:
    return {"name": playbook.name, "url": known.page("fault-playbook", playbook.slug), "why": why}
