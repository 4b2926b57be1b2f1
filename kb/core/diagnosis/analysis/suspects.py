"""Which nodes and ranks are suspect: writers of what failed first, the named, the reported, the silent, outliers."""

from collections import Counter
from collections.abc import Collection, Sequence
from math import log2

from kb.core.diagnosis.analysis import spatial
from kb.core.diagnosis.analysis.accusations import (
    CERTAIN,
    FOLLOWS_FROM_NODE,
    accusations,
    accusers,
    failed_nodes,
    is_outright,
)
from kb.core.diagnosis.analysis.candidates import Candidate, writers_of
from kb.core.diagnosis.analysis.collectives import waiting
from kb.core.diagnosis.analysis.context import FOLLOWS
from kb.core.diagnosis.analysis.ends import CRASH, HANG, LAUNCH_FAILURE, NUMERICAL, SLOWDOWN
from kb.core.diagnosis.analysis.findings import Findings
from kb.core.diagnosis.analysis.order import CLOCKS_APART
from kb.core.diagnosis.analysis.reports import ended_by_signal, nodes_in, ranks_in
from kb.core.diagnosis.analysis.scores import MOST_SHOWN, Scores
from kb.core.diagnosis.flight_recorder.findings import Analysis
from kb.core.diagnosis.flight_recorder.findings import Suspect as Holder
from kb.core.diagnosis.report import Suspect
from kb.core.diagnosis.scanning.records import Occurrence, Place

WROTE, NAMES, REPORTED, SILENT, SLOW, UNLIKE, NAMED = 1.0, 1.0, 0.9, 0.8, 0.9, 0.2, 0.25
# What the whole job suffers from may still have been noticed by one.
OF_JOB = 0.3
MOST_READ, LONGEST_RANK = 20, 7


def suspects(
    findings: Findings, symptom: str, watched: Analysis | None
) -> tuple[tuple[Suspect, ...], tuple[Suspect, ...]]:
    """Nodes and ranks, the most suspect first; none where every rank says the same. `watched`: by watchdogs."""
    suspicion = _Suspicion(findings, symptom, watched)
    for number, root in enumerate(findings.roots):
        suspicion.add_root(root, number)
    suspicion.add_reported()
    suspicion.add_accused()
    if symptom in (HANG, CRASH):
        suspicion.add_laggards()
    suspicion.add_missing()
    if symptom == HANG:
        suspicion.add_silent()
        suspicion.add_last_words()
    if symptom == SLOWDOWN:
        suspicion.add_slow()
    suspicion.add_outliers()
    alone = spatial.is_one_sided(findings.context.scan, findings.context.topology)
    return suspicion.nodes.suspects(is_one_sided=alone), suspicion.ranks.suspects(is_one_sided=alone)


class _Suspicion:
    """Collects what speaks against nodes and ranks. What is said of a rank is said of its node, too."""

    def __init__(self, findings: Findings, symptom: str, watched: Analysis | None) -> None:
        context = findings.context
        self.nodes, self.ranks = Scores(), Scores()
        self._findings, self._symptom, self._watched = findings, symptom, watched
        self._context, self._scan, self._topology = context, context.scan, context.topology
        self._timed_out = waiting(context.scan.collectives, context.topology)
        # Ranks that waited for another are not to blame for it.
        self._waiting = accusers(context.scan, context.topology) | (self._timed_out if symptom == HANG else set())
        # Lines that tell how a task ended, or what a node's failure led to, are judged as claims.
        judged = FOLLOWS_FROM_NODE if failed_nodes(context.scan, context.topology) else {"task"}
        self._judged = {claim.place for claim in context.scan.claims if claim.kind in judged}
        # Who writes that another failed did not.
        self._accusing = {claim.place for claim in context.scan.claims if is_outright(claim, context.topology)}

    def add_rank(self, rank: int, score: float, why: str) -> None:
        self.ranks.add(str(rank), score, why)
        node = self._topology.rank_node.get(rank)
        if node:
            self.nodes.add(node, score, f"Rank {rank} runs on it. {why}")

    def add_shared(self, ranks: Collection[int], score: float, why: str) -> None:
        """A score that several ranks share."""
        for rank in ranks:
            self.add_rank(rank, score / len(ranks), why)

    def add_ranks_on(self, node: str, score: float) -> None:
        """The ranks of a node suffer from what it suffers from."""
        ranks = self._topology.ranks_on(node)
        for rank in ranks:
            self.ranks.add(str(rank), score / len(ranks), f"It runs on {node}.")

    def add_root(self, root: Candidate, number: int) -> None:
        """Blame the writers of what failed first, or the ranks that it names. `number`: 0 for the best of the roots."""
        share = WROTE / (1 + number) * min(root.weight / 4, 1.2)
        if self._symptom == SLOWDOWN:
            # A slowdown is explained by what one process says again and again.
            share *= log2(1 + len(root.occurrences))
        topology, read = self._topology, root.occurrences[:MOST_READ]
        scope = root.signal.scope if root.signal else "rank"
        nodes, ranks = writers_of(root.occurrences, topology)
        named = self._others_named(read, ranks) - self._waiting
        node_share = share * OF_JOB if scope == "job" else share
        self._add_named_node(root, read, node_share, is_node_known=bool(nodes), is_rank_known=bool(ranks or named))
        if scope == "job":
            share *= OF_JOB if len(ranks | named) == 1 or len(nodes) == 1 else 0.0
        if named:
            self.add_shared(sorted(named), share * NAMES, "The failing line names it.")
        elif not self._is_common(nodes, ranks) and not any(line.place in self._accusing for line in read):
            self._add_writers(nodes, ranks, share)
        if scope == "node" and len(nodes) == 1 and not ranks and not named:
            self.add_ranks_on(min(nodes), share)

    def _is_common(self, nodes: set[str], ranks: set[int]) -> bool:
        """Whether several ranks or nodes wrote it, more than half of all there are."""
        rank_count, node_count = max(self._topology.world, len(self._topology.rank_node)), len(self._topology.nodes)
        if rank_count > 1 and len(ranks) > max(rank_count / 2, 1):
            return True
        return node_count > 1 and len(nodes) > max(node_count / 2, 1)

    def _others_named(self, read: Collection[Occurrence], writers: set[int]) -> set[int]:
        """The one or two ranks that the lines name besides their writers; none where they name a writer as well."""
        named = set[int]()
        for line in read:
            named |= ranks_in(line.text, self._topology, self._topology.node(line.emitter))
        return named if len(named) <= 2 and not named & writers else set()

    def _add_named_node(
        self, root: Candidate, read: Collection[Occurrence], share: float, *, is_node_known: bool, is_rank_known: bool
    ) -> None:
        """The one node that the lines name."""
        if any(line.place in self._judged for line in read):
            return
        named = set[str]()
        for line in read:
            named |= nodes_in(line.text, self._topology)
        if len(named) != 1:
            return
        node = min(named)
        if self._waiting and not is_node_known and all(ranks_in(line.text, self._topology, node) for line in read):
            return
        score = share * (0.5 if is_node_known else NAMES)
        self.nodes.add(node, score, "The failing line names it.")
        if root.signal is not None and root.signal.scope == "node" and not is_rank_known:
            self.add_ranks_on(node, score)

    def _add_writers(self, nodes: set[str], writers: set[int], share: float) -> None:
        ranks = writers - self._waiting
        # Numbers are those of all, whoever prints them, and that is rank 0.
        if (writers and not ranks) or (self._symptom == NUMERICAL and ranks == {0}):
            return
        for node in sorted(nodes):
            self.nodes.add(node, share / len(nodes), "The failing line was written there.")
        for rank in sorted(ranks):
            why = "It wrote the failing line."
            if nodes:
                self.ranks.add(str(rank), share / len(ranks), why)
            else:
                self.add_rank(rank, share / len(ranks), why)

    def add_reported(self) -> None:
        """Blame who is reported first; who waited, or failed as all did, only if a signal of its own ended it."""
        by_signal, roots = ended_by_signal(self._scan, self._topology), self._findings.roots
        reported = {rank for rank in self._context.blamed if rank in by_signal or rank not in self._waiting}
        if roots and self._is_said_by_all(roots[0]):
            reported &= by_signal
        # Which process ended first counts less than who wrote what failed first.
        writers = writers_of(roots[0].occurrences, self._topology)[1] if roots else set[int]()
        is_other = bool(writers) and writers.isdisjoint(reported) and not reported & by_signal
        why = "The launcher reports it as the first to fail."
        self.add_shared(sorted(reported), REPORTED / 2 if is_other else REPORTED, why)

    def _is_said_by_all(self, root: Candidate) -> bool:
        """Whether more than half of all ranks wrote it; lines of which it is not known whose they are count, too."""
        nodes, ranks = writers_of(root.occurrences, self._topology)
        unknown = sum(self._topology.rank(line.emitter) is None for line in root.occurrences)
        count = max(self._topology.world, len(self._topology.rank_node))
        return self._is_common(nodes, ranks) or (count > 1 and len(ranks) + unknown > max(count / 2, 1))

    def add_accused(self) -> None:
        """Blame the nodes and ranks that lines accuse outright."""
        is_in_hang = self._symptom == HANG and bool(self._timed_out)
        places: set[Place] = set()
        for root in self._findings.roots:
            places.update(line.place for line in root.occurrences)
        for accusation in accusations(self._scan, self._topology, places, is_in_hang=is_in_hang):
            node, score, why = accusation.node, accusation.score, accusation.why
            if node:
                self.nodes.add(node, score, why, is_certain=score >= CERTAIN)
            if accusation.with_ranks:
                self.add_ranks_on(node, score)
            self.add_shared(accusation.ranks, score, why)

    def add_laggards(self) -> None:
        """Blame ranks that are iterations behind the others."""
        laggards = self._findings.laggards
        for laggard in laggards:
            why = f"It stopped at iteration {laggard.iteration}, the others at {laggard.others}."
            if laggard.node:
                self.nodes.add(laggard.node, SILENT / len(laggards), why)
            self.ranks.add(str(laggard.rank), SILENT / len(laggards), why)

    def add_held_up(self, held_up_by: Sequence[Holder]) -> None:
        """Blame the ranks that hold up the others in a collective; those as suspect as one another share it."""
        shared = Counter(holder.score for holder in held_up_by)
        for holder in held_up_by[:MOST_SHOWN]:
            self.add_rank(holder.rank, holder.score / shared[holder.score], holder.why)

    def add_missing(self) -> None:
        """Blame ranks that did not write what nearly all others wrote."""
        topology = self._topology
        score = SILENT if self._symptom == HANG else NAMED
        missing = spatial.lacking(self._timed_out, topology)
        if self._watched is not None and self._watched.suspects:
            self.add_held_up(self._watched.suspects)
        elif missing:
            why = "Other ranks' collectives timed out, its own did not: it may never have joined them."
            self.add_shared(missing, score, why)
        else:
            lines: list[Occurrence] = []
            for candidate in self._findings.ranked:
                if candidate.role == "cascade":
                    lines += candidate.template.occurrences
            why = "The others report a lost peer, it does not."
            self.add_shared(spatial.lacking(writers_of(lines, topology)[1], topology), score / 2, why)
        if self._symptom in (HANG, LAUNCH_FAILURE):
            why = "It never reported in, nearly all others did."
            self.add_shared(spatial.never_came(self._scan, topology), SILENT / 2, why)

    def add_silent(self) -> None:
        """Blame ranks and nodes whose files ended before the others' did."""
        for rank, node, seconds in spatial.fell_silent(self._scan, self._topology, self._context.order):
            why = f"Its output ends {round(seconds)} s before the others'."
            if rank is not None:
                self.add_rank(rank, SILENT / 2, why)
            else:
                self.nodes.add(node, SILENT / 2, why)

    def add_last_words(self) -> None:
        """Blame the one rank or node that wrote the last words before the silence, other than steps."""
        pause, topology = self._findings.pause, self._topology
        words: list[Occurrence] = []
        for candidate in self._findings.ranked:
            if candidate.role not in FOLLOWS:
                words += [line for line in candidate.template.occurrences if self._is_last(line)]
        # What the silence began with says more than what was written in its last minute.
        before_pause = [line for line in words if pause is not None and line.place == pause.after]
        ranks, nodes = set[int](), set[str]()
        for line in before_pause or words:
            node, rank = topology.node(line.emitter), topology.rank(line.emitter)
            nodes |= {node} - {""}
            ranks |= {rank} if rank is not None else ranks_in(line.text, topology, node)
        if ranks & self._waiting:
            return
        why = "It wrote the last line before the run went silent."
        if len(ranks) == 1:
            self.add_rank(min(ranks), SILENT / 2, why)
        elif not ranks and len(nodes) == 1:
            self.nodes.add(min(nodes), SILENT / 2, why)

    def _is_last(self, line: Occurrence) -> bool:
        """Whether it is newer than the last step, as far as two clocks can tell, and older than the run's end."""
        findings, order, steps = self._findings, self._context.order, self._context.progress.steps
        if findings.pause is not None and line.place == findings.pause.after:
            return True
        if not steps or (findings.cancel is not None and order.is_before(findings.cancel.first, line)):
            return False
        last = steps[-1]
        time, *place = self._context.key(line)
        if not order.is_single and line.place.file != last.place.file:
            time += CLOCKS_APART
        return (time, *place) > order.key(last.place, last.when)

    def add_slow(self) -> None:
        """Blame ranks that lines call slow, and those whose steps take longer than the others'."""
        named = Counter[int]()
        for claim in self._scan.claims:
            if claim.kind in ("slow", "slowest"):
                words = claim.code.replace(" ", "").split(",") if claim.rank is None else [str(claim.rank)]
                named.update(int(word) for word in words if word.isdigit() and len(word) <= LONGEST_RANK)
        for rank, times in named.items():
            self.add_rank(rank, SLOW * times / named.total(), "The log reports it as slow.")
        for rank, share in spatial.slower(self._scan, self._topology):
            self.add_rank(rank, SLOW / 2, f"Its steps take {share:.1f} times as long as the others'.")

    def add_outliers(self) -> None:
        """Outliers count least: if they are suspect already, or if nobody is and the job as a whole is not at fault."""
        ranked, roots = self._findings.ranked, self._findings.roots
        is_of_one = False
        if roots:
            is_of_job = roots[0].signal is not None and roots[0].signal.scope == "job"
            is_of_one = not is_of_job and len(roots[0].template.counts) == 1
        for scores, outliers in (
            (self.nodes, spatial.outlying_nodes(ranked, self._scan, self._topology)),
            (self.ranks, spatial.outlying_ranks(ranked, self._scan, self._topology)),
        ):
            is_open = is_of_one and not scores.totals
            for outlier in outliers:
                if is_open or outlier.name in scores.totals:
                    scores.add(outlier.name, UNLIKE * outlier.share, outlier.why)
