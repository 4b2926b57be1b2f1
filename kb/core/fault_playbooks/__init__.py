"""Playbooks of common faults by what people call them: what to check first, what it tells, what to do. A file each.

`format` says what a file may hold. Playbooks of fix patterns are in `kb.codebook.playbooks`; which playbook a text asks
for is found in `kb.core.search.playbooks`.
"""

from kb.core.fault_playbooks.format import FaultPlaybook, Outcome, Step, Trial, fault_playbook, fault_playbooks

__all__ = ["FaultPlaybook", "Outcome", "Step", "Trial", "fault_playbook", "fault_playbooks"]
