"""Whom launchers report: which ranks ended first, and which only ended because others did."""

from collections.abc import Iterable, Iterator, Sequence

from kb.core.diagnosis.analysis.order import Order
from kb.core.diagnosis.scanning.records import Claim, Place
from kb.core.diagnosis.topology import Topology

REPORTS = frozenset({"report_rank", "exited", "task", "mpi_exited", "worker_died", "worker_proc"})
# Exit codes that a process gives when it is told to stop, or stops because another did.
FOLLOWS = frozenset({"0", "1", "-15", "143", "-6", "134"})
# Slurm's words for signals; it tells of its tasks in no order, so that others tell nothing.
SIGNALS = {
    "Killed": "-9", "Segmentation fault": "-11", "Bus error": "-7", "Illegal instruction": "-4",
    "Out Of Memory": "-9", "Floating point exception": "-8",
}  # fmt: skip


def timed_out(claims: Iterable[Claim], topology: Topology) -> frozenset[int]:
    """Ranks whose collectives timed out: they waited for another."""
    waited = (claim for claim in claims if claim.kind == "timed_out")
    ranks = (claim.rank if claim.rank is not None else topology.rank(claim.emitter) for claim in waited)
    return frozenset(rank for rank in ranks if rank is not None)


def reported_first(
    claims: Sequence[Claim], topology: Topology, order: Order
) -> tuple[frozenset[int], frozenset[Place]]:
    """Ranks that a launcher reports as failed first, and the lines that report it.

    By a signal comes before ended with a plain error: those who end so mostly follow, and so do all that waited for
    another until they timed out.
    """
    reports = [claim for claim in claims if claim.kind in REPORTS]
    reports.sort(key=lambda claim: order.key(claim.place, claim.when))
    ranks: dict[int, tuple[str, Claim]] = {}
    for claim in reports:
        for rank, code in _reported(claim, topology):
            ranks.setdefault(rank, (code, claim))
    waited = timed_out(claims, topology)
    ranks = {rank: told for rank, told in ranks.items() if rank not in waited or told[0] not in {*FOLLOWS, ""}}
    by_signal = {rank for rank, (code, _) in ranks.items() if code and code not in FOLLOWS}
    in_order = [rank for rank, (_, claim) in ranks.items() if claim.kind != "task"]
    first = frozenset(by_signal or in_order[:1])
    return first, frozenset(claim.place for rank, (_, claim) in ranks.items() if rank in first)


def _reported(claim: Claim, topology: Topology) -> Iterator[tuple[int, str]]:
    """The ranks that this reports, each with its exit code."""
    if claim.kind == "task":
        code = next((code for word, code in SIGNALS.items() if claim.code.startswith(word)), "1")
        yield from ((rank, code) for rank in topology.told.ranks_of_tasks(claim.task))
        return
    node = topology.node_named(claim.node) or topology.node(claim.emitter)
    rank = claim.rank
    if rank is None and claim.local is not None:
        rank = topology.gpu_rank.get((node, claim.local))
    if rank is None and claim.pid:
        pids = topology.told.pids
        rank = pids.get((claim.node, claim.pid), pids.get(("", claim.pid)))
    if rank is not None:
        yield rank, claim.code
