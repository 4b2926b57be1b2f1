"""Parties that lines name: ranks that launchers report as ended, and ranks and nodes in a line's own words."""

import re
from collections.abc import Iterable

from kb.core.diagnosis.analysis.collectives import waiting
from kb.core.diagnosis.analysis.order import Order
from kb.core.diagnosis.introductions import bus_key
from kb.core.diagnosis.scanning.claim_patterns import PCI
from kb.core.diagnosis.scanning.records import Claim, Place, Scan
from kb.core.diagnosis.scanning.watchdogs import GROUP
from kb.core.diagnosis.topology import Topology

REPORTS = frozenset({"report_rank", "exited", "task", "mpi_exited", "worker_died", "worker_proc"})
# Exit codes that a process gives when it is told to stop, or stops because another did.
FOLLOWS = frozenset({"0", "1", "-15", "143", "-6", "134"})
# Of a rank that torchrun's summary calls the first to fail.
SAID_FIRST = "first"
# Slurm's words for signals; it tells of its tasks in no order, so that others tell nothing.
SIGNALS = {
    "Killed": "-9", "Segmentation fault": "-11", "Bus error": "-7", "Illegal instruction": "-4",
    "Out Of Memory": "-9", "Floating point exception": "-8",
}  # fmt: skip
# Ranks within a group or a node are no ranks of the job.
RANK = re.compile(
    r"(?<!local )(?<!node )(?<!group )(?<!\b[TDPEC]P )\b(?:global[_ ])?rank[ =:#]{1,3}(\d{1,7})\b(?!\.\d)",
    re.IGNORECASE,
)
PROCESS = re.compile(r"\b(?:pid|process)[ =:(]{1,3}(\d{2,9})\b", re.IGNORECASE)
DEVICE = re.compile(r"(?:\b(?:gpu|device)[ :#]{1,2}|\bcuda:|\bnvidia-smi -i )(\d{1,3})\b(?![.:]\d)", re.IGNORECASE)
BUS = re.compile(rf"\b{PCI}\b")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,62}")
SEARCHED = 400
# A line that names more than so many ranks says whom it concerns, not who is at fault.
MOST = 2


def reported_first(scan: Scan, topology: Topology, order: Order) -> tuple[frozenset[int], frozenset[Place]]:
    """Ranks that a launcher reports as failed first, and the lines that report it.

    By a signal comes before ended with a plain error: those who end so mostly follow, and so do all that waited for
    another until they timed out. The line on an end that follows only points to the rank: it is no failure itself.
    """
    reports = [claim for claim in scan.claims if claim.kind in REPORTS]
    reports.sort(key=lambda claim: order.key(claim.place, claim.when))
    first_reports: dict[int, tuple[str, Claim]] = {}
    for claim in reports:
        code, ranks = _reported(claim, topology)
        for rank in ranks:
            first_reports.setdefault(rank, (code, claim))
    for rank in waiting(scan.collectives, topology).intersection(first_reports):
        if first_reports[rank][0] in {*FOLLOWS, ""}:
            del first_reports[rank]
    by_signal = {rank for rank, (code, _) in first_reports.items() if code and code not in FOLLOWS}
    said_first = [claim.rank for claim in reports if claim.kind == "report_rank" and claim.task == SAID_FIRST]
    in_order = [rank for rank in said_first if rank in first_reports]
    in_order += [rank for rank, (_, claim) in first_reports.items() if claim.kind != "task"]
    first = frozenset(by_signal or in_order[:1])
    reports_of_first = (first_reports[rank] for rank in first)
    return first, frozenset(claim.place for code, claim in reports_of_first if code not in FOLLOWS)


def ended_by_signal(scan: Scan, topology: Topology) -> frozenset[int]:
    """Ranks that a launcher reports as ended by a signal of their own, which no other rank brings about."""
    ranks = set[int]()
    for claim in scan.claims:
        if claim.kind in REPORTS:
            code, reported = _reported(claim, topology)
            if code and code not in FOLLOWS:
                ranks.update(reported)
    return frozenset(ranks)


def _reported(claim: Claim, topology: Topology) -> tuple[str, Iterable[int]]:
    """The exit code that is reported, and the ranks that ended with it."""
    if claim.kind == "task":
        code = "1"
        for word, signal in SIGNALS.items():
            if claim.code.startswith(word):
                code = signal
                break
        return code, topology.identities.ranks_of_tasks(claim.task)
    rank = claim.rank
    if rank is None and claim.local is not None:
        node = topology.node_named(claim.node) or topology.node(claim.emitter)
        # Where no second node is heard of, a local rank is the rank; a plain exit code is not worth that guess.
        is_sole = topology.is_single_node and claim.code not in FOLLOWS
        rank = topology.gpu_rank.get((node, claim.local), claim.local if is_sole else None)
    if rank is None and claim.pid:
        rank = topology.identities.rank_of_process(claim.node, claim.pid)
    return claim.code, [] if rank is None else [rank]


def nodes_in(text: str, topology: Topology) -> set[str]:
    """Nodes of the job that the text names, by host name or address."""
    return {topology.node_named(word.rstrip(".-_")) for word in NAME.findall(text[:SEARCHED])} - {""}


def ranks_in(text: str, topology: Topology, node: str) -> set[int]:
    """Ranks that the text names, by number or process; failing that by device. `node`: where it was written.

    None where it names more than two.
    """
    # A rank within a group is no rank of the job's.
    text = GROUP.sub("", text[:SEARCHED])
    ranks: set[int | None] = {int(rank) for rank in RANK.findall(text)}
    ranks.update(topology.identities.rank_of_process(node, pid) for pid in PROCESS.findall(text))
    ranks.discard(None)
    if not ranks:
        keys = [bus_key(place) for place in BUS.findall(text)]
        ranks.update(topology.bus_rank.get((node, key)) for key in keys)
        ranks.discard(None)
    if not ranks:
        devices = [int(device) for device in DEVICE.findall(text)]
        for name in nodes_in(text, topology) or {node}:
            ranks.update(topology.gpu_rank.get((name, device)) for device in devices)
        ranks.discard(None)
    if len(ranks) > MOST:
        return set()
    return {rank for rank in ranks if rank is not None and topology.may_be(rank)}
