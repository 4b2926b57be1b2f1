"""A diagnosis joined with what lies beside the log: more is said, who is at fault is known better."""

from collections.abc import Sequence
from dataclasses import replace

from kb.core.diagnosis.analysis.verdict import with_signal
from kb.core.diagnosis.beside import memory_words
from kb.core.diagnosis.beside.memory import Snapshot
from kb.core.diagnosis.introductions import machine_of, stems
from kb.core.diagnosis.report import FAILURE, INCOMPLETE, NO_EVIDENCE, Diagnosis, Suspect
from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.diagnosis.topology import Topology

OUT_OF_MEMORY = "cuda-out-of-memory"
RAN_OUT = 0.6
MOST_SUSPECTS = 64


def with_memory(diagnosis: Diagnosis, snapshots: Sequence[Snapshot], job: Topology) -> Diagnosis:
    """The diagnosis with what snapshots of memory show.

    Where a log breaks off or says nothing, and an allocation failed, that is what failed. Who ran out is suspect if
    the others did not.
    """
    if not snapshots:
        return diagnosis
    failed = memory_words.failed(snapshots)
    if failed and diagnosis.verdict in (INCOMPLETE, NO_EVIDENCE):
        diagnosis = with_signal(replace(diagnosis, verdict=FAILURE), catalogue().by_code[OUT_OF_MEMORY])
    ranks: list[Suspect] = []
    nodes: list[Suspect] = []
    if diagnosis.verdict == FAILURE and len(failed) <= max(len(snapshots) / 2, 1):
        for snapshot, memory in failed:
            node = node_of(snapshot.name, job)
            rank = snapshot.rank if snapshot.rank is not None else job.gpu_rank.get((node, memory.device))
            why = "An allocation failed there, by its snapshot of memory."
            if rank is not None and job.may_be(rank):
                ranks.append(Suspect(str(rank), RAN_OUT, why))
                node = job.rank_node.get(rank, node)
            if node:
                nodes.append(Suspect(node, RAN_OUT, why))
    return replace(
        diagnosis,
        recorded=(*diagnosis.recorded, *memory_words.sentences_of(snapshots)),
        checks=tuple(dict.fromkeys((*memory_words.checks_of(snapshots), *diagnosis.checks))),
        ranks=merged(diagnosis.ranks, ranks),
        nodes=merged(diagnosis.nodes, nodes),
    )


def node_of(name: str, job: Topology) -> str:
    """The node that a file is of, by its name or its folder's."""
    known = (job.node_named(stem) for stem in stems(name))
    return next(filter(None, known), "") or machine_of(name) or job.sole


def merged(first: Sequence[Suspect], more: Sequence[Suspect]) -> tuple[Suspect, ...]:
    """The suspects of both, each with its higher score, the most suspect first."""
    strongest: dict[str, Suspect] = {}
    for suspect in (*first, *more):
        if suspect.name not in strongest or suspect.score > strongest[suspect.name].score:
            strongest[suspect.name] = suspect
    return tuple(sorted(strongest.values(), key=lambda suspect: -suspect.score)[:MOST_SUSPECTS])
