"""What candidates are judged against: the run as a whole, who is blamed, and when the run was lost. No scores here."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import NamedTuple

from kb.core.diagnosis.analysis.health import is_after_end
from kb.core.diagnosis.analysis.order import CLOCKS_APART, Key, Order
from kb.core.diagnosis.analysis.progress import Progress
from kb.core.diagnosis.background.model import NOTHING_USUAL, Usual
from kb.core.diagnosis.scanning.records import Occurrence, Place, Scan
from kb.core.diagnosis.topology import Topology

# Roles of lines that are written because something went wrong before them.
FOLLOWS = frozenset({"cancel", "cascade", "teardown"})
SURE = 5.0
# So many iterations completed after a line say that the run survived it.
SURVIVED = 2
SAME_MOMENT, NEAR = 60.0, 200
# A hint is not enough to say that a run is lost.
LEAST_OF_LOSS = 2
# A job of steps may get over a step that failed: so many lines later, it did.
GAP_AFTER_TROUBLE = 150


class Moment(NamedTuple):
    """When a line was written: its place in the order and, where it has no time itself, the next time in its file."""

    key: Key
    until: float


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

    def survived(self, occurrence: Occurrence, sure: float = SURE) -> bool:
        """Whether iterations were completed after this line or, if it is not explicit, a server went on working."""
        file, line = occurrence.place
        at_work = self.scan.serving_lines.get(file, [])
        is_answered = sure < SURE and len(at_work) > SURVIVED and line < at_work[0]
        if is_answered or line < self.progress.survived.get(file, 0) or is_after_end(occurrence, self.scan):
            return True
        if len(self.progress.steps) < SURVIVED:
            return False
        after = self.progress.steps[-SURVIVED]
        time, *place = self.order.latest(occurrence)
        if not self.order.is_single and file != after.place.file:
            time += CLOCKS_APART
        return self.order.key(after.place, after.when) > (time, *place)

    def moved_on(self, occurrence: Occurrence) -> bool:
        """Whether its pod was given a node or started a container after this line."""
        return occurrence.place.line < self._moved_on.get(occurrence.emitter.id, 0)

    @cached_property
    def _moved_on(self) -> dict[int, int]:
        """Emitter id -> the last line that says that its pod got a node or started a container."""
        return {claim.emitter.id: claim.place.line for claim in self.scan.claims if claim.kind == "pod_moved_on"}

    def is_blamed(self, occurrence: Occurrence) -> bool:
        """Whether the line is of a process that the launcher says failed first, or is the one that says so."""
        if not self.blamed:
            return False
        return occurrence.place in self.reports or self.topology.rank(occurrence.emitter) in self.blamed

    def key(self, occurrence: Occurrence) -> Key:
        """A sort key that puts lines in the order in which they happened."""
        return self.order.key(occurrence.place, occurrence.own_time or occurrence.when)

    def is_in_time(self, occurrence: Occurrence, role: str, lost: Moment) -> bool:
        """Whether the line is older than the run's loss. Of a root, as far as two clocks can tell is enough."""
        time, file, _ = self.key(occurrence)
        if not self.order.is_single and file != lost.key[1]:
            time -= CLOCKS_APART if role == "root" else 0.0
            return (time, file, occurrence.announced_at) <= (lost.until, *lost.key[1:])
        return (time, file, occurrence.announced_at) <= lost.key

    def same_moment(self, occurrence: Occurrence, other: Occurrence) -> bool:
        """Whether both were written within a minute or, without clocks, near each other in one file."""
        here, there = self.order.moment(occurrence), self.order.moment(other)
        if here is not None and there is not None:
            return abs(here - there) <= SAME_MOMENT
        place, other_place = occurrence.place, other.place
        return place.file == other_place.file and abs(place.line - other_place.line) <= NEAR


class Loss(NamedTuple):
    """When the run was lost. `lost`: the first line that shows it; `before`: the last line of an earlier trouble.

    What is written after the loss follows from it, unless it comes from who is to blame. None where there is none.
    """

    lost: Moment | None
    before: Key | None


def loss_of(context: Context) -> Loss:
    """Find the first line that is written only after something went wrong, and that the run did not survive."""
    order = context.order
    found: list[Moment] = []
    for template in context.scan.templates:
        signal = template.signals[0] if template.signals else None
        if signal is None or signal.role not in FOLLOWS or signal.weight < LEAST_OF_LOSS:
            continue
        for occurrence in filter(is_first_cause, template.occurrences):
            if not context.survived(occurrence) and (order.is_single or order.moment(occurrence) is not None):
                key, (latest, *_) = context.key(occurrence), order.latest(occurrence)
                found.append(Moment(key, key[0] if latest == inf else max(latest, key[0])))
    if not found:
        return Loss(None, None)
    found.sort()
    # The log may be of a job that does one thing after the other, none of them a training step.
    if context.progress.highest < 0 and not context.topology.rank_node and order.is_single:
        for earlier, later in reversed(list(pairwise(found))):
            if later.key[2] - earlier.key[2] > GAP_AFTER_TROUBLE:
                return Loss(later, earlier.key)
    return Loss(found[0], None)


def is_first_cause(occurrence: Occurrence, *, is_known: bool = True) -> bool:
    """Whether the line is none that a traceback has beside its first cause: unknown exceptions only follow from it."""
    block, line = occurrence.block, occurrence.place.line
    if block is None or block.is_ignored or block.is_aside(line):
        return block is None
    return is_known or line not in block.exceptions[1:]
