"""Which lines may be what went wrong, and how credible each is: by what it says, when, from whom, and how often."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kb.core.diagnosis.analysis.fall import Fall, fall
from kb.core.diagnosis.analysis.order import CLOCKS_APART, Key, Order
from kb.core.diagnosis.analysis.progress import Progress
from kb.core.diagnosis.background.model import NOTHING_USUAL, Usual
from kb.core.diagnosis.parsing.alarms import alarm, goes_on
from kb.core.diagnosis.parsing.headers import Level
from kb.core.diagnosis.scanning.records import Occurrence, Place, Scan, Template
from kb.core.diagnosis.signals.format import Signal
from kb.core.diagnosis.topology import Topology

# How far a role lets a line stand for what went wrong, against a root's.
STANDING = {"root": 1.0, "either": 0.85, "confirmation": 0.75, "cancel": 0.6, "cascade": 0.3, "teardown": 0.1}
FOLLOWS = frozenset({"cancel", "cascade", "teardown"})
# A logger that means a failure calls it worse.
QUIET_LEVELS = frozenset({Level.DEBUG, Level.INFO, Level.WARNING})
SILENT_ROLES = frozenset({"noise", "advice"})
KNOWN_HARMLESS = 0.05
# Of what every healthy run says, so much is taken off; less, if there are as few runs as this.
MOST_USUAL, FEW_RUNS = 0.85, 2
WENT_ON, SPREAD, ALONE, BLAMED, QUIET, GOT_OVER = 0.25, 0.5, 1.12, 1.25, 0.5, 0.4
# What comes after the run was lost is hardly what lost it; an explicit cause still may be, written late.
AFTER, AFTER_EXPLICIT, EXPLICIT, SURE = 0.45, 0.7, 4.0, 5.0
LATE = "It comes after the run was lost."
# So many iterations completed after a line say that the run survived it.
SURVIVED = 2
MANY_WRITERS = 4
SAME_MOMENT, NEAR = 60.0, 200
# Where so large a part of all lines is logged as errors, a collector gave the level to a whole stream.
FLOOD = 0.3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A kind of line with those of its lines that count, the first of them first. `score`: from 0, no upper bound."""

    template: Template
    occurrences: tuple[Occurrence, ...]
    signal: Signal | None
    role: str
    weight: float
    score: float
    reasons: tuple[str, ...]

    @property
    def sureness(self) -> float:
        """How surely the line speaks of a failure, by its signal and by the level that it was logged with."""
        return sureness(self.weight, self.template)

    @property
    def is_late(self) -> bool:
        """Was it written after the run was lost?"""
        return LATE in self.reasons

    @property
    def first(self) -> Occurrence:
        """The line that stands for them all."""
        return self.occurrences[0]


@dataclass(frozen=True)
class Context:
    """What candidates are judged against. `healthy`: masked texts of healthy runs.

    `blamed`: ranks that the launcher says failed first; `reports`: the lines in which it says so. `is_flooded`: errors
    are what most lines are logged as.
    """

    scan: Scan
    topology: Topology
    order: Order
    progress: Progress
    healthy: Collection[str]
    blamed: frozenset[int]
    reports: frozenset[Place]
    is_flooded: bool = False
    usual: Usual = NOTHING_USUAL

    def survived(self, at: Occurrence, sure: float = EXPLICIT) -> bool:
        """Were iterations completed after this line, or, if it is not explicit, was a server at work after it?"""
        at_work = self.scan.serves.get(at.place.file, [])
        if sure < EXPLICIT and len(at_work) > SURVIVED and at.place.line < at_work[0]:
            return True
        if at.place.line < self.progress.late.get(at.place.file, 0):
            return True
        done = self.progress.done
        if len(done) < SURVIVED:
            return False
        after = done[-SURVIVED]
        latest = self.order.latest(at)
        apart = 0.0 if self.order.is_single or at.place.file == after.place.file else CLOCKS_APART
        return self.order.key(after.place, after.when) > (latest[0] + apart, *latest[1:])

    def is_blamed(self, at: Occurrence) -> bool:
        """Does the line come from a process that the launcher says failed first, or does it say so?"""
        return bool(self.blamed) and (at.place in self.reports or self.topology.rank(at.emitter) in self.blamed)

    def key(self, at: Occurrence) -> Key:
        """Sorts lines as they happened."""
        return self.order.key(at.place, at.said or at.when)

    def is_in_time(self, at: Occurrence, role: str, lost: Key) -> bool:
        """Was the line written before the run was lost? A root's only has to be so as far as two clocks can tell."""
        time, file, line = self.key(at)
        apart = CLOCKS_APART if role == "root" and not self.order.is_single and file != lost[1] else 0.0
        return (time - apart, file, line) <= lost

    def same_moment(self, one: Occurrence, other: Occurrence) -> bool:
        """Were both written within a minute, or, without clocks, near each other in one file?"""
        here, there = self.order.moment(one), self.order.moment(other)
        if here is not None and there is not None:
            return abs(here - there) <= SAME_MOMENT
        return one.place.file == other.place.file and abs(one.place.line - other.place.line) <= NEAR


def candidates(context: Context) -> list[Candidate]:
    """All that may be what went wrong, the most credible first."""
    in_steps = context.progress.highest < 0 and not context.topology.rank_node
    fell = fall(context.scan.templates, context.order, context.survived, in_steps=in_steps)
    found = (_judged(template, context, fell) for template in context.scan.templates)
    judged = [one for one in found if one is not None and one.score > 0]
    return sorted(judged, key=lambda one: (-round(one.score, 2), context.key(one.first)))


def _judged(template: Template, context: Context, fell: Fall) -> Candidate | None:
    signal = template.signals[0] if template.signals else None
    weight = float(signal.weight) if signal else _sound(template, context)
    is_silent = any(one.role in SILENT_ROLES for one in template.signals)
    if template.is_frame or not template.occurrences or is_silent or weight <= 0:
        return None
    role = signal.role if signal else "root"
    occurrences, survival = _kept(template, context, sureness(weight, template))
    factors = [
        survival,
        (KNOWN_HARMLESS, "Healthy runs say it too.") if template.text in context.healthy else None,
        _usualness(template, context.usual),
        _lateness(occurrences, role, weight, context, fell.lost),
        _earliness(occurrences, context, fell.before),
        _quietness(template, role, weight),
        _hope(template, role, context),
        _blame(occurrences, role, context),
        _loneliness(occurrences, context),
    ]
    score = weight * STANDING.get(role, 1.0)
    for factor in factors:
        score *= factor[0] if factor else 1.0
    score += 0.2 if occurrences[0].block is not None else 0.0
    reasons = tuple(factor[1] for factor in factors if factor and factor[1])
    return Candidate(template, occurrences, signal, role, weight, score, reasons)


def sureness(weight: float, template: Template) -> float:
    """The weight, or half of it where the logger did not mean a failure."""
    return weight * (QUIET if template.level in QUIET_LEVELS else 1.0)


def is_flooded(templates: Sequence[Template]) -> bool:
    """Are so many lines logged as errors that the level tells nothing?"""
    grave = sum(template.count for template in templates if template.level >= Level.ERROR)
    return grave > FLOOD * sum(template.count for template in templates)


def _sound(template: Template, context: Context) -> float:
    is_flood = context.is_flooded and template.level >= Level.ERROR
    return alarm(template.text, Level.UNKNOWN) if is_flood else template.alarm


# What a score is multiplied with, and why, in words for the reader; no words where there is nothing to say.
_Factor = tuple[float, str] | None


def _kept(template: Template, context: Context, sure: float) -> tuple[tuple[Occurrence, ...], _Factor]:
    """Those of its lines that the run did not survive, if there are any; those of who is blamed come first."""
    occurrences = sorted(template.occurrences, key=lambda at: (not context.is_blamed(at), context.key(at)))
    kept = [at for at in occurrences if not context.survived(at, sure)]
    if not kept:
        return tuple(occurrences), (WENT_ON, "The run went on after it.")
    return tuple(kept), (SPREAD, "") if len(kept) < len(occurrences) else None


def _usualness(template: Template, usual: Usual) -> _Factor:
    """What nearly all healthy runs say is worth little, if there are enough of them to tell."""
    seen = usual.seen(template)
    if not seen:
        return None
    said = f"{seen} of {usual.runs} healthy runs of such formats say it, too."
    return (1.0 - MOST_USUAL * seen / (usual.runs + FEW_RUNS), said)


def _lateness(
    occurrences: Sequence[Occurrence], role: str, weight: float, context: Context, lost: Key | None
) -> _Factor:
    if lost is None or role in FOLLOWS or any(context.is_in_time(at, role, lost) for at in occurrences):
        return None
    if any(context.is_blamed(at) for at in occurrences):
        return None
    return (AFTER_EXPLICIT if weight >= EXPLICIT else AFTER, LATE)


def _earliness(occurrences: Sequence[Occurrence], context: Context, before: Key | None) -> _Factor:
    if before is None or any(context.key(at) > before for at in occurrences):
        return None
    return (WENT_ON, "The job went on after it.")


def _quietness(template: Template, role: str, weight: float) -> _Factor:
    loudest = Level.WARNING if template.signals else Level.INFO
    if role not in FOLLOWS and Level.UNKNOWN < template.level <= loudest and weight < SURE:
        return (QUIET, "It was logged as no error.")
    return None


def _hope(template: Template, role: str, context: Context) -> _Factor:
    is_long = bool(context.progress.done or context.scan.serves)
    if not is_long or role in FOLLOWS or not template.signals or not goes_on(template.text):
        return None
    return (GOT_OVER, "It says that it is being got over.")


def _blame(occurrences: Sequence[Occurrence], role: str, context: Context) -> _Factor:
    if role == "cascade" or not any(context.is_blamed(at) for at in occurrences):
        return None
    return (BLAMED, "It comes from the process that the launcher says failed first.")


def _loneliness(occurrences: Sequence[Occurrence], context: Context) -> _Factor:
    if len(context.scan.emitters) < MANY_WRITERS or len({at.emitter.id for at in occurrences}) > 1:
        return None
    return (ALONE, "One process alone says it.")


def told_by(occurrences: Sequence[Occurrence], topology: Topology) -> tuple[set[str], set[int]]:
    """The nodes and ranks that wrote these lines, as far as known."""
    nodes = {node for at in occurrences if (node := topology.node(at.emitter))}
    ranks = {rank for at in occurrences if (rank := topology.rank(at.emitter)) is not None}
    return nodes, ranks
