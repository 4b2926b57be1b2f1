"""Which nodes and ranks are suspect: who wrote what failed first, whom others name, who fell silent, who is unlike."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from kb.diagnosis.analysis.candidates import Candidate, told_by
from kb.diagnosis.analysis.order import Order
from kb.diagnosis.analysis.silence import Behind
from kb.diagnosis.report import Suspect
from kb.diagnosis.scanning.records import Claim, Place, Scan
from kb.diagnosis.topology import Topology

WROTE, REPORTED, SILENT, NAMED = 1.0, 0.9, 0.8, 0.25
MOST_RANKS = 100_000
# Exit codes that a process gives when it is told to stop, or stops because another did.
FOLLOWS = frozenset({"0", "1", "-15", "143", "-6", "134"})


@dataclass
class _Ledger:
    scores: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    reasons: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, score: float, why: str) -> None:
        if score > 0 and (name not in self.reasons or score > self.scores[name]):
            self.reasons[name] = why
        self.scores[name] += score

    def suspects(self) -> tuple[Suspect, ...]:
        if not self.scores:
            return ()
        most = max(self.scores.values())
        ordered = sorted(self.scores.items(), key=lambda one: -one[1])
        return tuple(
            Suspect(name, round(score / max(most, 1.0), 3), self.reasons[name]) for name, score in ordered[:64]
        )


def reported_first(
    claims: Sequence[Claim], topology: Topology, order: Order
) -> tuple[frozenset[int], frozenset[Place]]:
    """Ranks that a launcher reports as failed first, and the lines that report it.

    By a signal comes before ended with a plain error: those who end so mostly follow.
    """
    reports = [claim for claim in claims if claim.kind in ("report_rank", "exited")]
    reports.sort(key=lambda claim: order.key(claim.place, claim.when))
    ranks: dict[int, Claim] = {}
    for claim in reports:
        rank = claim.rank
        if rank is None and claim.local is not None:
            node = claim.node or topology.node(claim.emitter)
            rank = topology.gpu_rank.get((node, claim.local))
        if rank is not None:
            ranks.setdefault(rank, claim)
    by_signal = {rank for rank, claim in ranks.items() if claim.code and claim.code not in FOLLOWS}
    first = frozenset(by_signal or list(ranks)[:1])
    return first, frozenset(claim.place for rank, claim in ranks.items() if rank in first)


def suspects(
    scan: Scan, topology: Topology, roots: Sequence[Candidate], late: Sequence[Behind], blamed: frozenset[int]
) -> tuple[tuple[Suspect, ...], tuple[Suspect, ...]]:
    """Nodes and ranks, the most suspect first; none where every rank says the same."""
    nodes, ranks = _Ledger(), _Ledger()
    for place, root in enumerate(roots):
        _wrote(root, WROTE / (1 + place) * min(root.weight / 4, 1.2), topology, nodes, ranks)
    for one in late:
        _fell_behind(one, SILENT / len(late), nodes, ranks)
    for rank in blamed:
        ranks.add(str(rank), REPORTED / len(blamed), "The launcher reports it as the first to fail.")
        if node := topology.rank_node.get(rank):
            nodes.add(node, REPORTED / len(blamed), f"Rank {rank} on it is reported as the first to fail.")
    for claim in scan.claims:
        _claimed(claim, topology, nodes)
    for rank in _kept_still(scan.claims, topology):
        ranks.add(str(rank), SILENT / 2, "Other ranks' collectives timed out, its own did not: it may not have come.")
        if node := topology.rank_node.get(rank):
            nodes.add(node, SILENT / 4, f"Rank {rank} on it did not time out as others did.")
    return nodes.suspects(), ranks.suspects()


def _fell_behind(one: Behind, share: float, nodes: _Ledger, ranks: _Ledger) -> None:
    why = f"It stopped at iteration {one.iteration}, the others at {one.others}."
    if one.node:
        nodes.add(one.node, share, why)
    if one.rank is not None:
        ranks.add(str(one.rank), share, why)


def _wrote(root: Candidate, share: float, topology: Topology, nodes: _Ledger, ranks: _Ledger) -> None:
    wrote_nodes, wrote_ranks = told_by(root.occurrences, topology)
    scope = root.signal.scope if root.signal else "rank"
    if scope == "job":
        return
    of_nodes, of_ranks = max(len(topology.nodes), 1), max(topology.world, len(topology.rank_node), 1)
    if of_nodes > 1 and 2 * len(wrote_nodes) > of_nodes and len(wrote_nodes) > 1:
        return
    for node in wrote_nodes:
        nodes.add(node, share / len(wrote_nodes), "What failed first was written there.")
    if 2 * len(wrote_ranks) > of_ranks > 1 and len(wrote_ranks) > 1:
        return
    for rank in wrote_ranks:
        ranks.add(str(rank), share / len(wrote_ranks), "It wrote what failed first.")


def _kept_still(claims: Sequence[Claim], topology: Topology) -> list[int]:
    """Ranks without a timeout where nearly all others had one; none where it is not known how many there are."""
    timed_out = {claim.rank for claim in claims if claim.kind == "timed_out"}
    still = [rank for rank in range(min(topology.world, MOST_RANKS)) if rank not in timed_out]
    return still if len(timed_out) >= 2 and len(still) * 4 <= topology.world else []


def _claimed(claim: Claim, topology: Topology, nodes: _Ledger) -> None:
    node = topology.node_named(claim.node)
    if claim.kind == "node_failed" and (node or any(letter.isdigit() for letter in claim.node)):
        nodes.add(node or claim.node, WROTE, "The scheduler says that it failed.")
    elif node and claim.kind == "actor_died":
        nodes.add(node, NAMED * 2, "A worker on it is said to have died.")
    elif node and claim.kind == "closed_by":
        nodes.add(node, NAMED / 10, "Others say that it closed their connection.")
    elif node and claim.kind == "task" and not claim.code.startswith(("Exited", "Terminated")):
        nodes.add(node, NAMED * 2, f"Slurm says of its task: {claim.code}.")
