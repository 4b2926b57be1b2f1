"""Whom lines accuse outright: nodes and ranks that are said to have failed, to be gone or to be waited for.

What that is worth beside other evidence is said here; what the line itself says was read in `scanning.claims`.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from typing import NamedTuple

from kb.core.diagnosis.scanning.records import Claim, Place, Scan
from kb.core.diagnosis.topology import Topology

CERTAIN, LIKELY, POSSIBLE, HINT = 1.0, 0.75, 0.5, 0.25
# Kinds of claims on a node, what they are worth, and what they say.
ON_NODES = {
    "node_failed": (CERTAIN, "The scheduler or the cluster reports it as failed."),
    "node_down": (CERTAIN, "It is reported as down."),
    "bad_hosts": (CERTAIN, "The hang digest names it as the host with the bad chip."),
    "node_failed_near": (HINT, "Slurm names it in a report of a failed node; it may only be the reporter."),
    "evicted": (LIKELY, "A pod of the job ran on it, and was evicted or killed there."),
    "actor_died": (POSSIBLE, "A worker on it is reported dead."),
    "lost_host": (LIKELY, "The actor or daemon that was lost ran on it."),
    "ras_process": (LIKELY, "NCCL RAS can no longer reach its process there."),
    "crashed": (LIKELY, "A process on it crashed with a fatal signal."),
    "lost_daemon": (LIKELY, "The launcher lost its daemon there."),
    "worker_died": (POSSIBLE, "A worker on it is reported as failed."),
    "unreached": (
        LIKELY,
        "Another rank could not connect to it: nothing listens there, or the network path is blocked.",
    ),
    "closed_by": (HINT / 10, "Others report that it closed their connection."),
    "ssh_exited": (HINT / 5, "The command that ran on it ended with an error."),
}
# Kinds of claims on ranks.
ON_RANKS = {
    "awaited": (LIKELY, "Another rank waited for it and got no answer."),
    "lost_task": (LIKELY, "The coordinator lost it: its heartbeats stopped."),
    "absent_task": (LIKELY, "The coordinator lists it among those missing at the barrier."),
    "desynced": (LIKELY, "PyTorch's own report names it as behind in the collectives."),
    "barrier": (LIKELY, "It did not reach the barrier in time."),
    "aborted": (LIKELY, "It called MPI_Abort."),
    "ras_missing": (LIKELY, "NCCL RAS has no data from it."),
    "device_failed": (LIKELY, "The process of this device reports the failure itself."),
    "culprit": (CERTAIN, "The hang digest names it as the likely culprit."),
}
# That a node failed is said again and again, but it failed once.
ONCE = frozenset({
    "node_failed", "node_down", "node_failed_near", "ssh_exited", "actor_died", "lost_host", "lost_daemon", "evicted",
    "unreached", "bad_hosts",
})  # fmt: skip
# Where a node is said to have failed, these only tell what that led to.
FOLLOWS_FROM_NODE = frozenset({"node_failed_near", "task", "ssh_exited", "closed_by", "unreached", "worker_died"})
FAILED_NODES = frozenset({"node_failed", "node_down", "bad_hosts"})
OF_PROCESSES = frozenset({"ras_process", "crashed"})
# Slurm's words for tasks that ended because others did, and for those that ended by a signal of their own.
FOLLOWED = ("Exited", "Terminated")
ABRUPT = ("Killed", "Segmentation", "Bus", "Illegal", "Out Of", "OUT_OF", "Floating")
LONGEST_RANK, MOST_RANKS = 7, 64
FEW, FEWEST_STACKS = 0.25, 3


class Accusation(NamedTuple):
    """A node or ranks, what is said of them, and what that is worth. `with_ranks`: it holds for the node's ranks."""

    node: str
    ranks: tuple[int, ...]
    score: float
    why: str
    with_ranks: bool = False


def failed_nodes(scan: Scan, topology: Topology) -> frozenset[str]:
    """The nodes that are said to have failed as a whole."""
    return frozenset(_named(claim, topology) for claim in scan.claims if claim.kind in FAILED_NODES) - {""}


def is_outright(claim: Claim, topology: Topology) -> bool:
    """Whether a line says that another than its writer failed, is gone or is waited for."""
    if claim.kind in ON_RANKS:
        return bool(_others(claim, topology))
    node = _named(claim, topology)
    worth = ON_NODES[claim.kind][0] if claim.kind in ON_NODES else 0.0
    return worth >= LIKELY and bool(node) and node != topology.node(claim.emitter)


def accusers(scan: Scan, topology: Topology) -> frozenset[int]:
    """Ranks that say that they waited for another."""
    ranks = {
        topology.rank(claim.emitter) for claim in scan.claims if claim.kind in ON_RANKS and _others(claim, topology)
    }
    return frozenset(rank for rank in ranks if rank is not None)


def accusations(scan: Scan, topology: Topology, roots: Collection[Place], *, is_in_hang: bool) -> Iterator[Accusation]:
    """What all claims come to. `roots`: lines of what failed first; `is_in_hang`: ranks waited, so that how they ended
    says nothing.
    """
    failed = failed_nodes(scan, topology)
    seen = set[tuple[str, str]]()
    for claim in scan.claims:
        node = _named(claim, topology)
        if not node or (failed and claim.kind in FOLLOWS_FROM_NODE):
            continue
        if claim.kind in ONCE and (claim.kind, node) in seen:
            continue
        # Once a run has failed, its processes do not reach one another.
        if claim.kind == "unreached" and claim.place not in roots:
            continue
        seen.add((claim.kind, node))
        if claim.kind in ON_NODES and not (claim.kind == "worker_died" and is_in_hang):
            score, why = ON_NODES[claim.kind]
            rank = _rank_of_process(claim, node, topology) if claim.kind in OF_PROCESSES else None
            ranks = () if rank is None else (rank,)
            with_ranks = claim.kind in (*FAILED_NODES, "node_failed_near")
            yield Accusation(node, ranks, score, why, with_ranks=with_ranks)
        elif claim.kind == "task" and not is_in_hang and not claim.code.startswith(FOLLOWED):
            score = POSSIBLE if claim.code.startswith(ABRUPT) else HINT / 5
            yield Accusation(node, (), score, f"Slurm reports its task as: {claim.code}.")
    yield from _of_ranks(scan, topology)
    yield from _of_counts(scan)
    yield from _of_stacks(scan, topology)


def _named(claim: Claim, topology: Topology) -> str:
    return topology.node_named(claim.node) if claim.node else ""


def _of_ranks(scan: Scan, topology: Topology) -> Iterator[Accusation]:
    """Ranks that lines name as absent or behind share what that is worth, by how often each is named.

    Who waits for a third itself is not at fault, unless all do.
    """
    named: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for claim in scan.claims:
        if claim.kind in ON_RANKS:
            named[claim.kind].update(_others(claim, topology))
    waiting = accusers(scan, topology)
    for kind, all_counts in named.items():
        score, why = ON_RANKS[kind]
        counts = Counter({rank: count for rank, count in all_counts.items() if rank not in waiting}) or all_counts
        for rank, count in counts.most_common(MOST_RANKS):
            yield Accusation("", (rank,), score * count / counts.total(), why)


def _rank_of_process(claim: Claim, node: str, topology: Topology) -> int | None:
    rank = topology.identities.rank_of_process(claim.node, claim.pid)
    return topology.gpu_rank.get((node, claim.local)) if rank is None and claim.local is not None else rank


def _of_counts(scan: Scan) -> Iterator[Accusation]:
    """Ranks that launched fewer collectives than others, by NCCL's own status, where they are few."""
    most = max((int(claim.code) for claim in scan.claims if claim.kind == "ras_count"), default=0)
    behind: dict[int, str] = {}
    for claim in scan.claims:
        if claim.kind == "ras_rank" and claim.rank is not None and claim.code and int(claim.code) < most:
            behind[claim.rank] = claim.code
    for rank, count in list(behind.items())[:MOST_RANKS]:
        why = f"By NCCL RAS it launched no operation beyond {count}, others {most}."
        yield Accusation("", (rank,), POSSIBLE / len(behind), why)


def _of_stacks(scan: Scan, topology: Topology) -> Iterator[Accusation]:
    """The few ranks whose main thread stands elsewhere than those of nearly all others."""
    tops: dict[int, str] = {}
    for stack in scan.stacks:
        rank = topology.rank(stack.emitter)
        if rank is None:
            rank = topology.identities.rank_of_process(topology.node(stack.emitter), stack.pid)
        if rank is not None and stack.top:
            tops[rank] = stack.top
    if len(tops) < FEWEST_STACKS:
        return
    usual, count = Counter(tops.values()).most_common(1)[0]
    odd = [rank for rank, top in tops.items() if top != usual]
    if len(odd) <= max(FEW * len(tops), 1) and count > 1:
        for rank in odd:
            yield Accusation(
                "", (rank,), LIKELY / len(odd), f"Its stack stands in {tops[rank]}, the others' in {usual}."
            )


def _others(claim: Claim, topology: Topology) -> list[int]:
    """The ranks that the claim names besides its writer's."""
    own = topology.rank(claim.emitter)
    return [rank for rank in _ranks(claim, topology) if rank != own]


def _ranks(claim: Claim, topology: Topology) -> list[int]:
    """The ranks that the claim names, as far as there are such."""
    words = [str(claim.rank)] if claim.rank is not None else claim.code.replace(" ", "").split(",")
    ranks = [int(word) for word in words if word.isdigit() and len(word) <= LONGEST_RANK]
    return [rank for rank in ranks if topology.may_be(rank)]
