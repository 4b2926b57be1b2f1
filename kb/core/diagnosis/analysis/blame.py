"""Which nodes and ranks are suspect: who wrote what failed first, whom it names, whom others report, who is unlike."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import log2

from kb.core.diagnosis.analysis.candidates import FOLLOWS, Candidate, Context
from kb.core.diagnosis.analysis.ends import CRASH, HANG, LAUNCH_FAILURE, SLOWDOWN
from kb.core.diagnosis.analysis.findings import Findings
from kb.core.diagnosis.analysis.named_parties import nodes_in, ranks_in
from kb.core.diagnosis.analysis.order import CLOCKS_APART
from kb.core.diagnosis.analysis.reports import timed_out
from kb.core.diagnosis.analysis.silence import Behind
from kb.core.diagnosis.analysis.spatial import fell_silent, followers, lacking, never_came, slower, unlike
from kb.core.diagnosis.report import Suspect
from kb.core.diagnosis.scanning.records import Claim, Occurrence, Place
from kb.core.diagnosis.topology import Topology

WROTE, NAMES, REPORTED, SILENT, SLOW, UNLIKE, NAMED = 1.0, 1.0, 0.9, 0.8, 0.9, 0.2, 0.25
# What the whole job suffers from may still have been noticed by one.
OF_JOB = 0.3
MOST_SHOWN, MOST_READ = 64, 20
# Kinds of claims on nodes, what they are worth, and what they say.
ON_NODES = {
    "node_failed": (WROTE, "The scheduler says that it failed."),
    "node_failed_near": (NAMED, "Slurm names it where a node failed; it may only be the one that tells."),
    "actor_died": (NAMED * 2, "A worker on it is said to have died."),
    "worker_died": (NAMED * 2, "A worker on it is said to have failed."),
    "closed_by": (NAMED / 10, "Others say that it closed their connection."),
    "ssh_exited": (NAMED / 5, "The command that ran on it ended with an error."),
}
# Not worth a reader's time.
LEAST = 0.04
ONCE = frozenset({"node_failed", "node_failed_near", "ssh_exited", "actor_died"})
ABRUPT = ("Killed", "Segmentation", "Bus", "Illegal", "Out Of", "Floating")


@dataclass
class _Ledger:
    scores: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    reasons: dict[str, tuple[float, str]] = field(default_factory=dict)

    def add(self, name: str, score: float, why: str) -> None:
        if score > self.reasons.get(name, (0.0, ""))[0]:
            self.reasons[name] = (score, why)
        self.scores[name] += score

    def suspects(self) -> tuple[Suspect, ...]:
        if not self.scores:
            return ()
        most = max(self.scores.values())
        ordered = sorted(self.scores.items(), key=lambda one: -round(one[1], 6))
        return tuple(
            Suspect(name, round(score / max(most, 1.0), 3), self.reasons[name][1])
            for name, score in ordered[:MOST_SHOWN]
            if score >= LEAST
        )


@dataclass
class _Ledgers:
    """Scores of nodes and ranks; what is said of a rank is said of its node, too. `waited`: they are not to blame.

    `tasks`: lines in which Slurm tells how a task ended, which are judged by themselves.
    """

    topology: Topology
    waited: frozenset[int] = frozenset()
    tasks: frozenset[Place] = frozenset()
    nodes: _Ledger = field(default_factory=_Ledger)
    ranks: _Ledger = field(default_factory=_Ledger)

    def rank(self, rank: int, score: float, why: str) -> None:
        self.ranks.add(str(rank), score, why)
        if node := self.topology.rank_node.get(rank):
            self.nodes.add(node, score, f"Rank {rank} runs on it. {why}")

    def share(self, ranks: Iterable[int], score: float, why: str) -> None:
        each = list(ranks)
        for rank in each:
            self.rank(rank, score / len(each), why)


def suspects(found: Findings, symptom: str) -> tuple[tuple[Suspect, ...], tuple[Suspect, ...]]:
    """Nodes and ranks, the most suspect first; none where every rank says the same."""
    context = found.context
    waited = timed_out(context.scan.claims, context.topology) if symptom == HANG else frozenset()
    tasks = frozenset(claim.place for claim in context.scan.claims if claim.kind == "task")
    ledgers = _Ledgers(context.topology, waited, tasks)
    for place, root in enumerate(found.roots):
        _wrote(root, _share(root, place, symptom), context, ledgers)
    ledgers.share(sorted(context.blamed), REPORTED, "The launcher reports it as the first to fail.")
    for claim in _once(context.scan.claims):
        _claimed(claim, ledgers)
    if symptom in (HANG, CRASH):
        for one in found.late:
            _fell_behind(one, SILENT / len(found.late), ledgers)
    _silent(found, symptom, ledgers)
    if symptom == SLOWDOWN:
        _slow(context, ledgers)
    _unlike(found, ledgers)
    return ledgers.nodes.suspects(), ledgers.ranks.suspects()


def _share(root: Candidate, place: int, symptom: str) -> float:
    """What it is worth to have written this; of what explains a slowdown, what one alone says again and again."""
    share = WROTE / (1 + place) * min(root.weight / 4, 1.2)
    return share * log2(1 + len(root.occurrences)) if symptom == SLOWDOWN else share


def _wrote(root: Candidate, share: float, context: Context, ledgers: _Ledgers) -> None:
    topology = context.topology
    scope = root.signal.scope if root.signal else "rank"
    read = root.occurrences[:MOST_READ]
    writers = {at.emitter.id: at for at in root.occurrences}
    nodes = {node for at in writers.values() if (node := topology.node(at.emitter))}
    ranks = {rank for at in writers.values() if (rank := topology.rank(at.emitter)) is not None}
    named = _named(read, ranks, topology) - ledgers.waited
    of_ranks = max(topology.world, len(topology.rank_node), 1)
    is_common = (2 * len(ranks) > of_ranks > 1 and len(ranks) > 1) or (
        2 * len(nodes) > max(len(topology.nodes), 1) > 1 and len(nodes) > 1
    )
    _name_nodes(root, share * (OF_JOB if scope == "job" else 1.0), nodes, bool(ranks or named), ledgers)
    if scope == "job":
        share *= OF_JOB if len(ranks | named) == 1 or len(nodes) == 1 else 0.0
    if named:
        ledgers.share(sorted(named), share * NAMES, "What failed first names it.")
    elif not is_common:
        _blame_writers(ranks, nodes, share, ledgers)
    if scope == "node" and len(nodes) == 1 and not ranks and not named:
        _spread(next(iter(nodes)), share, ledgers)


def _name_nodes(root: Candidate, share: float, writers: set[str], is_known: bool, ledgers: _Ledgers) -> None:
    """The one node that the lines name. `is_known`: the rank is known anyway."""
    topology = ledgers.topology
    if any(at.place in ledgers.tasks for at in root.occurrences[:MOST_READ]):
        return
    named = {node for at in root.occurrences[:MOST_READ] for node in nodes_in(at.text, topology)}
    if len(named) != 1:
        return
    node, worth = next(iter(named)), share * (0.5 if writers else NAMES)
    if ledgers.waited and not writers and all(ranks_in(at.text, topology, node) for at in root.occurrences[:MOST_READ]):
        return
    ledgers.nodes.add(node, worth, "What failed first names it.")
    if root.signal is not None and root.signal.scope == "node" and not is_known:
        _spread(node, worth, ledgers)


def _named(read: Sequence[Occurrence], writers: set[int], topology: Topology) -> set[int]:
    """Ranks that the lines name, other than those that wrote them; none where each names another."""
    named = {rank for at in read for rank in ranks_in(at.text, topology, topology.node(at.emitter))}
    others = named - writers
    return others if 0 < len(others) <= 2 and not (named & writers) else set()


def _blame_writers(ranks: set[int], nodes: set[str], share: float, ledgers: _Ledgers) -> None:
    ranks = ranks - ledgers.waited
    for node in sorted(nodes):
        ledgers.nodes.add(node, share / len(nodes), "What failed first was written there.")
    for rank in sorted(ranks):
        ledgers.ranks.add(str(rank), share / len(ranks), "It wrote what failed first.")
        if not nodes and (place := ledgers.topology.rank_node.get(rank)):
            ledgers.nodes.add(place, share / len(ranks), f"Rank {rank} runs on it. It wrote what failed first.")


def _spread(node: str, share: float, ledgers: _Ledgers) -> None:
    """What a node suffers from, its ranks do."""
    ranks = ledgers.topology.ranks_on(node)
    for rank in ranks:
        ledgers.ranks.add(str(rank), share / len(ranks), f"It runs on {node}.")


def _fell_behind(one: Behind, share: float, ledgers: _Ledgers) -> None:
    why = f"It stopped at iteration {one.iteration}, the others at {one.others}."
    if one.node:
        ledgers.nodes.add(one.node, share, why)
    if one.rank is not None:
        ledgers.ranks.add(str(one.rank), share, why)


def _once(claims: Iterable[Claim]) -> Iterator[Claim]:
    """That a node failed is said again and again, but it failed once."""
    seen = set[tuple[str, str]]()
    for claim in claims:
        key = (claim.kind, claim.node)
        if claim.kind not in ONCE or key not in seen:
            seen.add(key)
            yield claim


def _claimed(claim: Claim, ledgers: _Ledgers) -> None:
    topology = ledgers.topology
    node = topology.node_named(claim.node)
    if claim.kind in ON_NODES:
        score, why = ON_NODES[claim.kind]
        if claim.kind == "worker_died" and ledgers.waited:
            return
        is_new = claim.kind == "node_failed" and not topology.nodes and any(map(str.isdigit, claim.node))
        name = node or (claim.node if is_new else "")
        if name:
            ledgers.nodes.add(name, score, why)
        if claim.kind.startswith("node_failed") and node:
            _spread(node, score, ledgers)
    elif claim.kind == "task" and node and not ledgers.waited and not claim.code.startswith(("Exited", "Terminated")):
        score = NAMED * 2 if claim.code.startswith(ABRUPT) else NAMED / 5
        ledgers.nodes.add(node, score, f"Slurm says of its task: {claim.code}.")


def _silent(found: Findings, symptom: str, ledgers: _Ledgers) -> None:
    """Who does not say what the others say, or anything at all."""
    scan, topology = found.context.scan, found.context.topology
    waited = timed_out(scan.claims, topology)
    score = SILENT if symptom == HANG else NAMED
    if still := lacking(waited, topology):
        ledgers.share(still, score, "Other ranks' collectives timed out, its own did not: it may not have come.")
    elif still := lacking(followers(found.ranked, topology), topology):
        ledgers.share(still, score / 2, "The others wrote that somebody failed them, it did not.")
    if symptom in (HANG, LAUNCH_FAILURE):
        ledgers.share(never_came(scan, topology), SILENT / 2, "It never said that it was there, nearly all others did.")
    if symptom != HANG:
        return
    for rank, node, seconds in fell_silent(scan, topology, found.context.order):
        why = f"It fell silent {round(seconds)} s before the others."
        if rank is not None:
            ledgers.rank(rank, SILENT / 2, why)
        else:
            ledgers.nodes.add(node, SILENT / 2, why)
    _last_words(found, ledgers)


def _last_words(found: Findings, ledgers: _Ledgers) -> None:
    """What was last said before a silence, if it was said by one and tells of no step."""
    topology = ledgers.topology
    kept = (at for one in found.ranked if one.role not in FOLLOWS for at in one.template.occurrences)
    words = [at for at in kept if _is_last(at, found)]
    # What the silence began with says more than what was written in its last minute.
    words = [at for at in words if found.pause is not None and at.place == found.pause.after] or words
    ranks, nodes = set[int](), set[str]()
    for at in words:
        node, rank = topology.node(at.emitter), topology.rank(at.emitter)
        nodes |= {node} - {""}
        ranks |= {rank} if rank is not None else ranks_in(at.text, topology, node)
    why = "Its words were the last before the silence."
    if len(ranks) == 1:
        ledgers.rank(next(iter(ranks)), SILENT / 2, why)
    elif not ranks and len(nodes) == 1:
        ledgers.nodes.add(next(iter(nodes)), SILENT / 2, why)


def _is_last(at: Occurrence, found: Findings) -> bool:
    """Was it written after the last step, as far as two clocks can tell, and before the run was ended?"""
    context, done = found.context, found.context.progress.done
    if found.pause is not None and at.place == found.pause.after:
        return True
    if not done or (found.cancel is not None and context.order.is_before(found.cancel.first, at)):
        return False
    time, *place = context.key(at)
    is_apart = not context.order.is_single and at.place.file != done[-1].place.file
    return (time + (CLOCKS_APART if is_apart else 0.0), *place) > context.order.key(done[-1].place, done[-1].when)


def _slow(context: Context, ledgers: _Ledgers) -> None:
    told = [claim for claim in context.scan.claims if claim.kind in ("slow", "slowest")]
    named = Counter(rank for claim in told for rank in _ranks(claim))
    for rank, times in named.items():
        ledgers.rank(rank, SLOW * times / named.total(), "The log says that it is slow.")
    for rank, longer in slower(context.scan, context.topology):
        ledgers.rank(rank, SLOW / 2, f"Its steps take {longer:.1f} times as long as the others'.")


def _ranks(claim: Claim) -> list[int]:
    listed = (int(word) for word in claim.code.replace(" ", "").split(",") if word.isdigit() and len(word) < 8)
    return [claim.rank] if claim.rank is not None else list(listed)


def _unlike(found: Findings, ledgers: _Ledgers) -> None:
    """The weakest of all: among those that are suspect anyway, or where nobody is and what failed is not the job's."""
    nodes, ranks = unlike(found.ranked, found.context.scan, found.context.topology)
    is_of_job = any(root.signal is not None and root.signal.scope == "job" for root in found.roots[:1])
    for ledger, each in ((ledgers.nodes, nodes), (ledgers.ranks, ranks)):
        is_open = not ledger.scores and found.roots and not is_of_job and len(found.roots[0].template.counts) == 1
        for one in each:
            name = one.node or str(one.rank)
            if is_open or name in ledger.scores:
                ledger.add(name, UNLIKE * one.share, one.why)
