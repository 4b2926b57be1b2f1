"""What the views of a log find, side by side, and which candidates are taken as the root. No verdict is made here."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import inf

from kb.core.diagnosis.analysis.alone import said_alone
from kb.core.diagnosis.analysis.candidates import (
    AFTER,
    EXPLICIT,
    QUIET_LEVELS,
    Candidate,
    candidates,
    is_flooded,
    writers_of,
)
from kb.core.diagnosis.analysis.context import FOLLOWS, SURE, Context
from kb.core.diagnosis.analysis.order import Key, order_of
from kb.core.diagnosis.analysis.pauses import Pause, final_pause, stalled_pause, watched_pause
from kb.core.diagnosis.analysis.progress import progress_of
from kb.core.diagnosis.analysis.reports import reported_first
from kb.core.diagnosis.analysis.series import SLOWDOWN, Anomaly
from kb.core.diagnosis.analysis.spatial import Laggard, Straggler, behind, stragglers
from kb.core.diagnosis.background.model import NOTHING_USUAL, Usual
from kb.core.diagnosis.parsing.alarms import TELLING, VAGUE
from kb.core.diagnosis.parsing.stages import FINISHED
from kb.core.diagnosis.scanning.records import Scan
from kb.core.diagnosis.topology import topology

# From here on a line alone lets a run count as failed; with the weaker score, if other lines follow from it.
STRONG, CREDIBLE = 2.5, 1.95
# A companion of the best candidate is this near to it in score.
CLOSE = 0.6
# Scores that differ by less are alike.
LIKE = 0.3
MOST_ROOTS, MOST_COMPARED = 400, 50
LEAST_CANCEL = 0.5
# A run may be given time for so many steps more. A batch system's report stands before the output.
MOST_IN_GRACE, HEAD = 50, 30
# A line that no signal knows counts among the last words of a run if it is one of so many.
LAST, LAST_VAGUE = 5, 2
# An onset lies so many steps before the first bad one and after it.
STEPS_BEFORE, STEPS_AFTER = 2, 1
MOST_AT_ONSET, MOST_ONSET_SCORE = 4, 2.4
NEVER: Key = (inf, 0, 0)
NEW = "It first appears when the run becomes slow."
LAST_WORDS = "It is the last line of one process before the run stops."


@dataclass(frozen=True)
class Findings:
    """`roots`: what went wrong first, the best first; `cascades`: what was written only because something did.

    `is_taken_down`: lines say that the run or the job ended as a failure, without saying why.
    """

    context: Context
    ranked: tuple[Candidate, ...]
    roots: tuple[Candidate, ...]
    cascades: tuple[Candidate, ...]
    is_taken_down: bool
    cancel: Candidate | None
    laggards: tuple[Laggard, ...]
    pause: Pause | None
    anomaly: Anomaly | None
    stragglers: tuple[Straggler, ...] = ()

    @property
    def best(self) -> Candidate | None:
        """The most credible of all, if any is credible."""
        return self.roots[0] if self.roots else None

    @property
    def named(self) -> tuple[Candidate, ...]:
        """What is said to have failed first: the roots or, where there are none, the first thing that followed."""
        if self.roots or not self.cascades:
            return self.roots
        hangs = [cascade for cascade in self.cascades if cascade.signal and cascade.signal.run_symptom == "hang"]
        return (min(hangs or self.cascades, key=lambda cascade: self.context.key(cascade.first)),)

    @property
    def is_strong(self) -> bool:
        """Whether a line says for itself that the run failed."""
        return self.best is not None and self.best.score >= STRONG and self.is_convincing

    @property
    def is_convincing(self) -> bool:
        """Whether the best line may be taken for a failure without more."""
        if self.best is None:
            return False
        return bool(self.cascades) or self.is_taken_down or _is_convincing(self.best, self.context.scan)


def _is_convincing(candidate: Candidate, scan: Scan) -> bool:
    """Whether the line is known to a signal or sounds grave, ends a traceback, or is one of the last."""
    if candidate.template.level in QUIET_LEVELS and candidate.score < STRONG:
        return False
    place, block = candidate.first.place, candidate.first.block
    ends_traceback = block is not None and block.is_traceback and block.summary == place.line
    is_last = scan.lines[place.file] - place.line < (LAST if candidate.weight > VAGUE else LAST_VAGUE)
    return candidate.signal is not None or candidate.weight >= TELLING or ends_traceback or is_last


def findings_of(
    scan: Scan, healthy: Collection[str] = (), usual: Usual = NOTHING_USUAL, stands_still: float = 0.0
) -> Findings:
    """Look at the log from all sides. `healthy`: the masked texts that healthy runs of the like say too.

    `stands_still`: for so many seconds, as somebody sees who watches the run.
    """
    job = topology(scan)
    order = order_of(scan)
    progress = progress_of(scan)
    blamed, reports = reported_first(scan, job, order)
    context = Context(scan, job, order, progress, healthy, blamed, reports, is_flooded(scan.templates), usual)
    ranked = tuple(candidates(context))
    lasting = [candidate for candidate in ranked if not context.survived(candidate.first, candidate.sureness)]
    cancel = _cancel(ranked, lasting, context)
    anomaly = progress.anomalies[0] if progress.anomalies else None
    cascades = tuple(candidate for candidate in lasting if candidate.role == "cascade")
    ranked = (*ranked, *said_alone(context, [cascade for cascade in cascades if _is_wait(cascade)]))
    roots = _roots(ranked, context)
    if anomaly is not None and anomaly.kind == SLOWDOWN and not (roots and roots[0].score >= STRONG):
        roots = _new_at_onset(ranked, context, anomaly) or roots
    return Findings(
        context,
        ranked,
        roots,
        cascades,
        any(candidate.role == "teardown" and candidate.weight > 1 for candidate in lasting),
        cancel,
        tuple(behind(scan, job)),
        watched_pause(scan, progress, stands_still)
        if stands_still and scan.lines
        else stalled_pause(scan) or final_pause(scan, progress, order, cancel.first if cancel is not None else None),
        anomaly,
        tuple(stragglers(scan, job)),
    )


def _cancel(ranked: Sequence[Candidate], lasting: Collection[Candidate], context: Context) -> Candidate | None:
    """The line that says most surely that somebody or something ended the run from outside."""
    cancels = [
        candidate
        for candidate in ranked
        if candidate.role == "cancel"
        and candidate.score > LEAST_CANCEL
        and not _is_after_end(candidate, context)
        and (candidate in lasting or _is_in_grace(candidate, context))
    ]
    return min(cancels, key=lambda candidate: (-candidate.weight, context.key(candidate.first)), default=None)


def _is_after_end(candidate: Candidate, context: Context) -> bool:
    """Whether the run had said in the same file that it was done: what it ends with may tell its processes to stop."""
    place, steps = candidate.first.place, context.progress.steps
    ends = [mark.place.line for mark in context.scan.marks if mark.stage == FINISHED and mark.place.file == place.file]
    trained = [step.place.line for step in steps if step.place.file == place.file]
    return any(max(trained, default=-1) < end < place.line for end in ends)


def _is_in_grace(candidate: Candidate, context: Context) -> bool:
    """Whether a scheduler ended the run although it made some steps more: it is given time, or reported on before."""
    if candidate.weight < EXPLICIT or candidate.signal is None or candidate.signal.family != "schedulers":
        return False
    key = context.key(candidate.first)
    later = sum(context.order.key(line.place, line.when) > key for line in context.progress.steps)
    is_finished = any(
        mark.stage == FINISHED and context.order.key(mark.place, mark.when) > key for mark in context.scan.marks
    )
    return not is_finished and (later <= MOST_IN_GRACE or candidate.first.place.line <= HEAD)


def _is_wait(cascade: Candidate) -> bool:
    """Whether the line says that its writer waited for others in vain."""
    return cascade.signal is not None and cascade.signal.run_symptom == "hang"


def _roots(ranked: Sequence[Candidate], context: Context) -> tuple[Candidate, ...]:
    """The best candidate, and those nearly as good that are of one trouble with it."""
    able = [candidate for candidate in ranked if candidate.role not in FOLLOWS]
    credible = [candidate for candidate in able if candidate.score >= CREDIBLE]
    if not credible:
        # Streams are held back now and then: what was written late may be the root where nothing else may.
        late = [candidate for candidate in able if candidate.signal is not None and candidate.is_late]
        credible = [candidate for candidate in late if candidate.weight >= SURE and candidate.score >= CREDIBLE * AFTER]
    if not credible:
        return ()
    # One that says little for itself may have the best score and yet not be what failed.
    convincing = [candidate for candidate in credible if _is_convincing(candidate, context.scan)]
    best = max(convincing or credible[:1], key=lambda candidate: round(candidate.score + _known(candidate), 2))
    others = [candidate for candidate in credible[:MOST_ROOTS] if candidate is not best]
    close = [candidate for candidate in others if candidate.score >= CLOSE * best.score]
    return (best, *(candidate for candidate in close if _is_same_trouble(candidate, best, context)))


def _known(candidate: Candidate) -> float:
    """What is added for being known to a signal: of two like scores, the one that is known is the better founded."""
    return LIKE if candidate.signal is not None else 0.0


def _is_same_trouble(candidate: Candidate, best: Candidate, context: Context) -> bool:
    """The same thing said of another place, or another thing said in the same place at the same moment."""
    if best.signal is not None and candidate.signal is best.signal:
        return True
    if candidate.role != "root" or (best.signal is None) != (candidate.signal is None):
        return False
    compared = candidate.occurrences[:MOST_COMPARED]
    if not any(context.same_moment(occurrence, best.first) for occurrence in compared):
        return False
    nodes, ranks = writers_of(best.occurrences, context.topology)
    other_nodes, other_ranks = writers_of(candidate.occurrences, context.topology)
    if ranks and other_ranks:
        return bool(ranks & other_ranks)
    return not (nodes and other_nodes) or bool(nodes & other_nodes)


def _new_at_onset(ranked: Sequence[Candidate], context: Context, anomaly: Anomaly) -> tuple[Candidate, ...]:
    """Kinds of lines that begin with the anomaly, the gravest first; none that was written before, or at the end."""
    steps = context.progress.steps
    number = steps.index(anomaly.steps[0])
    first, last = steps[max(number - STEPS_BEFORE, 0)], steps[min(number + STEPS_AFTER, len(steps) - 1)]
    end = context.order.key(steps[-1].place, steps[-1].when)
    until = min(context.order.key(last.place, last.when), end)
    able = [candidate for candidate in ranked if candidate.role not in FOLLOWS]
    return _new_between(able, context, context.order.key(first.place, first.when), until, NEW)


def last_words(ranked: Sequence[Candidate], context: Context) -> tuple[Candidate, ...]:
    """Kinds of lines that one process alone says, after the last steps and never before, the gravest first."""
    steps = context.progress.steps
    if len(steps) < STEPS_BEFORE:
        return ()
    able = [candidate for candidate in ranked if candidate.role not in FOLLOWS and not candidate.is_late]
    alone = [candidate for candidate in able if len({line.emitter.id for line in candidate.template.occurrences}) == 1]
    last = steps[-STEPS_BEFORE]
    return _new_between(alone, context, context.order.key(last.place, last.when), NEVER, LAST_WORDS)


def _new_between(
    able: Sequence[Candidate], context: Context, first: Key, last: Key, reason: str
) -> tuple[Candidate, ...]:
    """Those that were first written between two moments, the gravest first."""
    new: list[Candidate] = []
    for candidate in able:
        occurrences = sorted(candidate.template.occurrences, key=context.key)
        if candidate.weight >= 1 and first < context.key(occurrences[0]) < last:
            score = min(candidate.weight, MOST_ONSET_SCORE)
            new.append(replace(candidate, occurrences=tuple(occurrences), score=score, reasons=(reason,)))
    new.sort(key=lambda candidate: (-candidate.weight, context.key(candidate.first)))
    return tuple(new[:MOST_AT_ONSET])
