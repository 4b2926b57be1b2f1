"""A diagnosis joined with what lies beside the log: more is said, who is at fault is known better."""

from collections.abc import Sequence
from dataclasses import replace

from kb.core.diagnosis.analysis.ends import CRASH, SLOWDOWN
from kb.core.diagnosis.analysis.verdict import with_signal
from kb.core.diagnosis.beside import memory_words
from kb.core.diagnosis.beside.gpus import LOST, Gpu, Report
from kb.core.diagnosis.beside.memory import Snapshot
from kb.core.diagnosis.introductions import bus_key, machine_of, stems
from kb.core.diagnosis.report import FAILURE, INCOMPLETE, NO_EVIDENCE, Diagnosis, Suspect
from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.diagnosis.topology import Topology

OUT_OF_MEMORY = "cuda-out-of-memory"
RAN_OUT = 0.6
GPU_LOST = "A GPU can no longer be read: it is lost or must be reset."
# How suspect a GPU that is held down makes its node, where the run became slow.
HELD_DOWN = 0.6
MOST_TOLD, MOST_PROCESSES, LEAST_HELD = 8, 4, 1024
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


def with_gpus(diagnosis: Diagnosis, reports: Sequence[Report], job: Topology) -> Diagnosis:
    """The diagnosis with what nvidia-smi reports: faults of GPUs, and who held their memory.

    Where a log breaks off and a GPU is lost, that is what failed. What makes a GPU slow is held against it only where
    the run became slow.
    """
    recorded: list[str] = []
    ranks: list[Suspect] = []
    nodes: list[Suspect] = []
    faults = [fault for report in reports for gpu in report.gpus.values() for fault in gpu.faults.values()]
    if diagnosis.verdict in (INCOMPLETE, NO_EVIDENCE) and any(fault.score >= LOST for fault in faults):
        diagnosis = replace(diagnosis, verdict=FAILURE, symptom=CRASH, sentence=GPU_LOST)
    for report in reports:
        node = node_of(report.name, job)
        recorded += _told(report, node)
        for gpu in report.gpus.values():
            score, why = _worst(gpu, is_slow=diagnosis.symptom == SLOWDOWN)
            if score and diagnosis.verdict == FAILURE:
                rank = job.bus_rank.get((node, bus_key(gpu.bus)), job.gpu_rank.get((node, gpu.number)))
                ranks += [Suspect(str(rank), score, why)] if rank is not None else []
                nodes += [Suspect(node, score, why)] if node else []
    return replace(
        diagnosis,
        recorded=(*diagnosis.recorded, *recorded),
        ranks=merged(diagnosis.ranks, ranks),
        nodes=merged(diagnosis.nodes, nodes),
    )


def _worst(gpu: Gpu, *, is_slow: bool) -> tuple[float, str]:
    """How suspect the GPU is, and for what; 0 if it is not."""
    scores = [
        ((HELD_DOWN if is_slow else 0.0) if fault.is_slow else fault.score, fault.text) for fault in gpu.faults.values()
    ]
    score, text = max(scores, default=(0.0, ""), key=lambda entry: entry[0])
    return score, f"nvidia-smi of GPU {gpu.number} ({gpu.bus}): {text}."


def _told(report: Report, node: str) -> list[str]:
    """What a report comes to, in sentences."""
    where = f" of {node}" if node else ""
    gpus = list(report.gpus.values())
    faulty = sorted((gpu for gpu in gpus if gpu.faults), key=lambda gpu: -_worst(gpu, is_slow=True)[0])
    sentences = [
        f"GPU {gpu.number} ({gpu.bus}){where}, by nvidia-smi: {'; '.join(gpu.faults)}." for gpu in faulty[:MOST_TOLD]
    ]
    if len(faulty) > MOST_TOLD:
        sentences.append(f"So it is with {len(faulty) - MOST_TOLD} more GPUs{where}.")
    if gpus and not faulty:
        count = "the one GPU" if len(gpus) == 1 else f"the {len(gpus)} GPUs"
        sentences.append(f"nvidia-smi shows no fault of {count}{where}.")
    held = [(size, gpu.number, pid, name) for gpu in gpus for pid, name, size in gpu.processes if size >= LEAST_HELD]
    if held:
        told = [f"{pid} ({name}) {size:,} MiB of GPU {number}" for size, number, pid, name in sorted(held)[::-1]]
        sentences.append(f"Processes that held memory{where}, by nvidia-smi: {'; '.join(told[:MOST_PROCESSES])}.")
    return sentences


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
