"""What the views of a log find, side by side, and which candidates are taken as the root. No verdict is made here."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kb.core.diagnosis.analysis.candidates import (
    AFTER,
    FOLLOWS,
    QUIET_LEVELS,
    Candidate,
    Context,
    candidates,
    is_flooded,
    told_by,
)
from kb.core.diagnosis.analysis.onset import at_onset
from kb.core.diagnosis.analysis.order import order
from kb.core.diagnosis.analysis.progress import progress
from kb.core.diagnosis.analysis.reports import reported_first
from kb.core.diagnosis.analysis.series import SLOWDOWN, Anomaly
from kb.core.diagnosis.analysis.silence import Behind, Quiet, behind, quiet
from kb.core.diagnosis.background.model import NOTHING_USUAL, Usual
from kb.core.diagnosis.parsing.alarms import TELLING
from kb.core.diagnosis.scanning.records import Scan
from kb.core.diagnosis.topology import topology

# From here on a line alone lets a run count as failed; with the weaker score, if other lines follow from it.
STRONG, CREDIBLE = 2.5, 1.95
# A companion of the best candidate is this near to it in score.
CLOSE = 0.6
MOST_ROOTS = 400
LEAST_CANCEL = 0.5
# A line that no signal knows counts among the last words of a run if it is one of so many.
LAST = 5


@dataclass(frozen=True)
class Findings:
    """`roots`: what went wrong first, the best first; `follows`: what was written only because something did.

    `is_taken_down`: lines say that the run or the job ended as a failure, without saying why.
    """

    context: Context
    ranked: tuple[Candidate, ...]
    roots: tuple[Candidate, ...]
    follows: tuple[Candidate, ...]
    is_taken_down: bool
    cancel: Candidate | None
    late: tuple[Behind, ...]
    pause: Quiet | None
    anomaly: Anomaly | None

    @property
    def best(self) -> Candidate | None:
        """The most credible of all, if any is credible."""
        return self.roots[0] if self.roots else None

    @property
    def is_strong(self) -> bool:
        """Is there a line that says for itself that the run failed?"""
        return self.best is not None and self.best.score >= STRONG and self.is_convincing

    @property
    def is_convincing(self) -> bool:
        """Is the best line more than one of many that no signal knows? Does anything follow from it, is it the last?"""
        best = self.best
        if best is None:
            return False
        is_loud = best.template.level not in QUIET_LEVELS or best.score >= STRONG
        is_known = is_loud and (best.signal is not None or best.weight >= TELLING)
        return is_known or bool(self.follows) or self.is_taken_down or (is_loud and self._is_last(best))

    def _is_last(self, one: Candidate) -> bool:
        place = one.first.place
        return self.context.scan.lines[place.file] - place.line < LAST


def findings(scan: Scan, healthy: Collection[str] = (), usual: Usual = NOTHING_USUAL) -> Findings:
    """Look at the log from all sides. `healthy`: the masked texts that healthy runs of the like say too."""
    who = topology(scan)
    ordered = order(scan)
    blamed, reports = reported_first(scan.claims, who, ordered)
    flooded = is_flooded(scan.templates)
    context = Context(scan, who, ordered, progress(scan), healthy, blamed, reports, flooded, usual)
    ranked = tuple(candidates(context))
    lasting = [one for one in ranked if not context.survived(one.first, one.sureness)]
    cancels = (one for one in lasting if one.role == "cancel" and one.score > LEAST_CANCEL)
    cancel = min(cancels, key=lambda one: (-one.weight, context.key(one.first)), default=None)
    come = context.progress
    anomaly = come.anomalies[0] if come.anomalies else None
    began = at_onset(ranked, context, anomaly) if anomaly is not None and anomaly.kind == SLOWDOWN else ()
    best = roots(_credible(ranked), context)
    return Findings(
        context,
        ranked,
        began if began and not (best and best[0].score >= STRONG) else best,
        tuple(one for one in lasting if one.role == "cascade"),
        any(one.role == "teardown" and one.weight > 1 for one in lasting),
        cancel,
        tuple(behind(scan, who)),
        quiet(scan, come, context.order, cancel.first if cancel is not None else None),
        anomaly,
    )


def _credible(ranked: Sequence[Candidate]) -> list[Candidate]:
    """What may be the root; where nothing else may, also what was written late: streams are held back now and then."""
    able = [one for one in ranked if one.role not in FOLLOWS]
    found = [one for one in able if one.score >= CREDIBLE]
    return found or [one for one in able if one.signal is not None and one.is_late and one.score >= CREDIBLE * AFTER]


def roots(credible: Sequence[Candidate], context: Context) -> tuple[Candidate, ...]:
    """The best candidate, and those nearly as good that are of one trouble with it."""
    if not credible:
        return ()
    best = credible[0]
    others = [one for one in credible[1:MOST_ROOTS] if one.score >= CLOSE * best.score and _is_one(one, best, context)]
    return (best, *others)


def _is_one(one: Candidate, best: Candidate, context: Context) -> bool:
    """The same thing said of another place, or another thing said in the same place at the same moment."""
    if best.signal is not None and one.signal is best.signal:
        return True
    if one.role != "root" or (best.signal is None) != (one.signal is None):
        return False
    if not any(context.same_moment(at, best.first) for at in one.occurrences[:50]):
        return False
    nodes, ranks = told_by(best.occurrences, context.topology)
    other_nodes, other_ranks = told_by(one.occurrences, context.topology)
    if ranks and other_ranks:
        return bool(ranks & other_ranks)
    return not (nodes and other_nodes) or bool(nodes & other_nodes)
