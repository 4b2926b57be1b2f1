"""Which kinds of lines may be what went wrong, and how credible each is: by words, time, writer and number.

A score is a weight times the factors of several strategies; each factor comes with its reason in words.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kb.core.diagnosis.analysis.context import FOLLOWS, SURE, Context, is_first_cause, loss_of
from kb.core.diagnosis.parsing.alarms import TELLING, alarm, goes_on, warns
from kb.core.diagnosis.parsing.prefixes import Level
from kb.core.diagnosis.scanning.records import Occurrence, Template
from kb.core.diagnosis.signals.format import Signal
from kb.core.diagnosis.topology import Topology

# How far a role lets a line stand for what went wrong, against a root's.
STANDING = {"root": 1.0, "either": 0.85, "confirmation": 0.75, "cancel": 0.6, "cascade": 0.3, "teardown": 0.1}
# A logger that means a failure calls it worse.
QUIET_LEVELS = frozenset({Level.DEBUG, Level.INFO, Level.WARNING})
SILENT_ROLES = frozenset({"noise", "advice"})
KNOWN_HARMLESS = 0.05
# Of what every healthy run says, so much is taken off; less, if there are as few runs as this.
MOST_USUAL, FEW_RUNS = 0.85, 2
WENT_ON, SPREAD, ALONE, BLAMED, QUIET, GOT_OVER = 0.25, 0.5, 1.12, 1.25, 0.5, 0.4
# What comes after the run was lost is hardly what lost it; an explicit cause still may be, written late.
AFTER, AFTER_EXPLICIT, EXPLICIT = 0.45, 0.7, 4.0
LATE = "It comes after the run had failed."
MANY_WRITERS = 4
# Where so large a part of all lines is logged as errors, a collector gave the level to a whole stream.
FLOOD = 0.3
# A wait that is logged so often, with nothing after it, does not end.
FEWEST_WAITS = 2
# A line that points to another one repeats what that one says.
POINTS_ELSEWHERE = re.compile(
    r"\b(?:see|check) (?:the )?(?:root cause|stack ?trace|traceback|error|exception|logs?)\b[^.]{0,20}\babove\b",
    re.IGNORECASE,
)


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
        """Whether it was written after the run was lost."""
        return LATE in self.reasons

    @property
    def first(self) -> Occurrence:
        """The line that stands for them all."""
        return self.occurrences[0]


class Factor(NamedTuple):
    """What a score is multiplied with, and why, in words for the reader; empty where there is nothing to say."""

    share: float
    reason: str


def candidates(context: Context) -> list[Candidate]:
    """All that may be what went wrong, the most credible first."""
    scorer = _Scorer(context)
    judged: list[Candidate] = []
    for template in context.scan.templates:
        candidate = scorer.judge(template)
        if candidate is not None and candidate.score > 0:
            judged.append(candidate)
    return sorted(judged, key=lambda candidate: (-round(candidate.score, 2), context.key(candidate.first)))


def sureness(weight: float, template: Template) -> float:
    """The weight, or half of it where the logger did not mean a failure."""
    return weight * QUIET if template.level in QUIET_LEVELS else weight


def is_flooded(templates: Sequence[Template]) -> bool:
    """Whether so many lines are logged as errors that the level tells nothing."""
    errors = sum(template.count for template in templates if template.level >= Level.ERROR)
    return errors > FLOOD * sum(template.count for template in templates)


def writers_of(occurrences: Iterable[Occurrence], topology: Topology) -> tuple[set[str], set[int]]:
    """The nodes and ranks that wrote these lines, as far as known."""
    nodes, ranks = set[str](), set[int]()
    for emitter in {occurrence.emitter.id: occurrence.emitter for occurrence in occurrences}.values():
        node, rank = topology.node(emitter), topology.rank(emitter)
        if node:
            nodes.add(node)
        if rank is not None:
            ranks.add(rank)
    return nodes, ranks


class _Scorer:
    """Scores kinds of lines. Each strategy yields its factors."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._loss = loss_of(context)

    def judge(self, template: Template) -> Candidate | None:
        """The kind of line with its score; None if it cannot be what went wrong."""
        signal = template.signals[0] if template.signals else None
        weight, role = template.alarm, "root"
        if signal is not None:
            weight, role = float(signal.weight), signal.role
            if role not in FOLLOWS and POINTS_ELSEWHERE.search(template.text):
                role = "cascade"
        elif self._context.is_flooded and template.level >= Level.ERROR:
            weight = alarm(template.text, Level.UNKNOWN)
        is_silent = any(known.role in SILENT_ROLES for known in template.signals)
        told = [line for line in template.occurrences if is_first_cause(line, is_known=signal is not None)]
        if signal is None and any(occurrence.is_exception for occurrence in told):
            weight = max(weight, TELLING)
        if template.is_frame or not told or is_silent or weight <= 0:
            return None
        is_launch = signal is not None and signal.run_symptom == "launch_failure"
        occurrences, survival = self.lasting(told, sureness(weight, template), is_launch=is_launch)
        factors = (
            *survival,
            *self.by_background(template),
            *self.by_time(occurrences, role, weight),
            *self.by_words(template, role, weight),
            *self.by_writers(occurrences, role),
        )
        score = weight * STANDING.get(role, 1.0)
        for factor in factors:
            score *= factor.share
        if occurrences[0].block is not None:
            score += 0.2
        reasons = tuple(factor.reason for factor in factors if factor.reason)
        return Candidate(template, occurrences, signal, role, weight, score, reasons)

    def lasting(
        self, occurrences: list[Occurrence], sure: float, *, is_launch: bool
    ) -> tuple[tuple[Occurrence, ...], list[Factor]]:
        """The lines that the run did not survive, if there are any; those of who is blamed come first.

        `is_launch`: they say what keeps a run from starting.
        """
        context = self._context
        occurrences.sort(key=context.key)
        occurrences.sort(key=context.is_blamed, reverse=True)
        lasting: list[Occurrence] = []
        for occurrence in occurrences:
            is_overcome = is_launch and context.moved_on(occurrence)
            if not is_overcome and not context.survived(occurrence, sure):
                lasting.append(occurrence)
        if not lasting:
            return tuple(occurrences), [Factor(WENT_ON, "The run continued after it.")]
        return tuple(lasting), [Factor(SPREAD, "")] if len(lasting) < len(occurrences) else []

    def by_background(self, template: Template) -> Iterator[Factor]:
        """What healthy runs say is worth little, if there are enough of them to tell."""
        if template.text in self._context.healthy:
            yield Factor(KNOWN_HARMLESS, "Healthy runs log it too.")
        usual = self._context.usual
        seen = usual.seen(template)
        if seen:
            reason = f"{seen} of {usual.runs} healthy runs of this kind log it too."
            yield Factor(1.0 - MOST_USUAL * seen / (usual.runs + FEW_RUNS), reason)

    def by_time(self, occurrences: Sequence[Occurrence], role: str, weight: float) -> Iterator[Factor]:
        """What follows the loss of the run did not lose it; nor did what belongs to an earlier trouble."""
        context, (lost, before) = self._context, self._loss
        if lost is not None and role not in FOLLOWS:
            is_in_time = any(context.is_in_time(occurrence, role, lost) for occurrence in occurrences)
            if not is_in_time and not any(map(context.is_blamed, occurrences)):
                yield Factor(AFTER_EXPLICIT if weight >= EXPLICIT else AFTER, LATE)
        if before is not None and all(context.key(occurrence) <= before for occurrence in occurrences):
            yield Factor(WENT_ON, "The job continued after it.")

    def by_words(self, template: Template, role: str, weight: float) -> Iterator[Factor]:
        """The level that it was logged with, and words that say that the run carries on."""
        if role in FOLLOWS:
            return
        loudest = Level.WARNING if template.signals else Level.INFO
        is_quiet = (Level.UNKNOWN < template.level <= loudest and weight < SURE) or warns(template.text)
        if is_quiet and not self.waits_to_the_end(template):
            yield Factor(QUIET, "It was not logged as an error.")
        is_long = self._context.progress.steps or self._context.scan.serving_lines
        if is_long and template.signals and goes_on(template.text):
            yield Factor(GOT_OVER, "It says that the program recovers.")

    def waits_to_the_end(self, template: Template) -> bool:
        """Whether a known wait is logged again and again, up to the last line."""
        if template.count < FEWEST_WAITS or not any(signal.run_symptom == "hang" for signal in template.signals[:1]):
            return False
        file, line = template.occurrences[-1].place
        return line == self._context.scan.lines[file]

    def by_writers(self, occurrences: Sequence[Occurrence], role: str) -> Iterator[Factor]:
        """Its writer may be the process that the launcher blames, or be the only one to write it."""
        if role != "cascade" and any(map(self._context.is_blamed, occurrences)):
            yield Factor(BLAMED, "It comes from the process that failed first, by the launcher.")
        if len(self._context.scan.emitters) >= MANY_WRITERS:
            writers = {occurrence.emitter.id for occurrence in occurrences}
            if len(writers) == 1:
                yield Factor(ALONE, "Only one process logged it.")
