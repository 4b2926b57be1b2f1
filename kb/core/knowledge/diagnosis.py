"""What is known of a failure, put into the data of its diagnosis: named causes, known issues, playbooks."""

from kb.core.diagnosis.pipeline import is_worth_asking, without_known
from kb.core.diagnosis.schema import DiagnosisData
from kb.core.knowledge.causes import likely_causes, playbooks_of
from kb.core.knowledge.issues import issues_like
from kb.core.knowledge.playbooks import playbooks_of_failure
from kb.core.knowledge.sources import Known
from kb.core.setups.facts import Setup


def with_known(data: DiagnosisData, setup: Setup, known: Known) -> DiagnosisData:
    """The data with named causes, `issues` and `playbooks`. `setup`: what the log tells of the run's own."""
    if not is_worth_asking(data):
        return without_known(data, "")
    signature = data["signature"]
    confirmations = known.confirmed(signature["key"], signature["version"]) if signature else []
    causes = likely_causes(data["causes"], data["symptom_code"], confirmations, known)
    issues = issues_like(data, confirmations, setup, known)
    playbooks = [*playbooks_of_failure(data, known), *playbooks_of(causes, known)]
    return {**data, "causes": causes, "issues": issues, "playbooks": playbooks}
