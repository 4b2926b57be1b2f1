"""What Flight Recorder dumps beside a log add to its diagnosis. What the dumps say together is found elsewhere."""

from dataclasses import replace

from kb.core.diagnosis.flight_recorder.analysis import Analysis
from kb.core.diagnosis.report import FAILURE, HEALTHY, NO_EVIDENCE, Diagnosis, Suspect
from kb.core.diagnosis.topology import Topology

HANG = "hang"


def with_dumps(diagnosis: Diagnosis, recorded: Analysis, topology: Topology) -> Diagnosis:
    """The diagnosis with the ranks that hold up the others, and with what the dumps show.

    Ranks that the dumps name come first: they saw every collective, a log only what somebody printed.
    """
    findings = tuple(finding.description for finding in recorded.findings)
    if not recorded.suspects:
        return replace(diagnosis, recorded=(recorded.sentence, *findings))
    ranks = [Suspect(str(one.rank), round(one.score, 3), one.why) for one in recorded.suspects]
    nodes = {topology.rank_node.get(one.rank): one for one in reversed(recorded.suspects)}
    of_nodes = [
        Suspect(name, round(one.score, 3), f"Rank {one.rank} runs on it. {one.why}")
        for name, one in nodes.items()
        if name
    ]
    is_news = diagnosis.verdict in (HEALTHY, NO_EVIDENCE)
    return replace(
        diagnosis,
        verdict=FAILURE,
        symptom=HANG if is_news else diagnosis.symptom,
        sentence=recorded.sentence if is_news else diagnosis.sentence,
        ranks=_joined(ranks, diagnosis.ranks),
        nodes=_joined(sorted(of_nodes, key=lambda one: -one.score), diagnosis.nodes),
        recorded=(recorded.sentence, *findings),
    )


def _joined(first: list[Suspect], then: tuple[Suspect, ...]) -> tuple[Suspect, ...]:
    named = {one.name for one in first}
    return (*first, *(one for one in then if one.name not in named))
