"""Whether a run in which nothing went wrong came to its end, and how far it came. Faults are judged elsewhere."""

from dataclasses import dataclass
from itertools import pairwise

from kb.core.diagnosis.analysis.order import Order
from kb.core.diagnosis.analysis.progress import Progress
from kb.core.diagnosis.parsing.stages import FINISHED, INIT, LOAD, LOADED, SERVE, TRAIN
from kb.core.diagnosis.report import HEALTHY, INCOMPLETE, NO_EVIDENCE, Verdict
from kb.core.diagnosis.scanning.records import Occurrence, Scan

# A bar is drawn once more after the trainer has said that it is done.
MOST_AFTER_END = 2
# The last step of an epoch may be left out, or not be told.
NEARLY = 0.98


@dataclass(frozen=True)
class Reached:
    """How far the run came: the last iteration or epoch, and how many were planned; None where the log does not say."""

    iteration: int | None
    iterations: int | None
    epoch: float | None
    epochs: float | None

    @property
    def words(self) -> str:
        """In words; empty where nothing is known."""
        if self.iteration is not None:
            of_all = f" of {self.iterations:,}" if self.iterations else ""
            return f"iteration {self.iteration:,}{of_all}"
        if self.epoch is not None:
            of_all = f" of {self.epochs:g}" if self.epochs else ""
            return f"epoch {self.epoch:g}{of_all}"
        return ""


def reached(scan: Scan, progress: Progress, usual: int = 0) -> Reached:
    """How far the run came. `usual`: how many iterations finished runs of the like have; 0 where none are known."""
    planned, planned_epochs = usual or scan.planned_steps or _only_total(scan), scan.planned_epochs or None
    if not progress.steps:
        return Reached(progress.last_iteration, planned, None, planned_epochs)
    last = progress.steps[-1].step
    return Reached(progress.last_iteration, last.total or planned, last.epoch, last.epochs or planned_epochs)


def _only_total(scan: Scan) -> int | None:
    """How many steps are planned by whoever tells it, such as a bar beside the steps; None where several differ."""
    totals = {line.step.total for line in scan.step_lines if line.step.total}
    return totals.pop() if len(totals) == 1 else None


def health(scan: Scan, progress: Progress, order: Order, usual: int = 0) -> Verdict:
    """Healthy, incomplete, or no evidence of either, for a run in which nothing is known to have gone wrong."""
    if _is_finished(scan, progress, order) or _is_all_done(reached(scan, progress, usual), progress):
        return HEALTHY
    if is_of_server(scan, progress):
        return HEALTHY
    return INCOMPLETE if _has_begun(scan, progress) else NO_EVIDENCE


def _has_begun(scan: Scan, progress: Progress) -> bool:
    """Whether a run took steps, or its processes found each other, loaded something or came up."""
    if progress.steps or progress.highest >= 0 or scan.world > 1:
        return True
    return any(mark.stage in (INIT, LOAD, LOADED, TRAIN) for mark in scan.marks)


def is_of_server(scan: Scan, progress: Progress) -> bool:
    """Whether a server came up. A run that trains may ask one of its own for answers."""
    has_trained = any(line.step.loss is not None or line.step.norm is not None for line in progress.steps)
    return not has_trained and any(mark.stage == SERVE for mark in scan.marks)


def is_after_end(occurrence: Occurrence, scan: Scan) -> bool:
    """Whether a thread raised it after its run had said that it was done."""
    place, block = occurrence.place, occurrence.block
    if block is None or not block.is_of_thread:
        return False
    ends = (mark.place for mark in scan.marks if mark.stage == FINISHED)
    return any(end.file == place.file and end.line < place.line for end in ends)


def _is_finished(scan: Scan, progress: Progress, order: Order) -> bool:
    """Whether the run said that it was done, and did next to nothing after it."""
    ends = [order.key(mark.place, mark.when) for mark in scan.marks if mark.stage == FINISHED]
    if not ends:
        return False
    if len(progress.steps) <= MOST_AFTER_END:
        return True
    later = progress.steps[-1 - MOST_AFTER_END]
    return max(ends) > order.key(later.place, later.when)


def _is_all_done(at: Reached, progress: Progress) -> bool:
    """Whether all that was planned was done, as far as the log tells what was planned."""
    if at.epochs and at.epoch is not None and at.epoch < NEARLY * at.epochs:
        return False
    if at.iteration is None or not at.iterations:
        return bool(at.epochs and at.epoch is not None)
    # Where epochs are told as whole numbers, the steps of each may be counted anew.
    epochs = [line.step.epoch for line in progress.steps if line.step.epoch is not None]
    if epochs and not at.epochs and all(epoch.is_integer() for epoch in epochs):
        return False
    steps = [line.step.iteration for line in progress.steps if line.step.is_numbered]
    every = min((later - step for step, later in pairwise(steps) if later > step), default=1)
    # Who counts from 0 does not come to the total; who tells each tenth step from the first does not tell the last.
    missing = every if steps and steps[0] <= 1 else 1
    return at.iteration + max(missing, 1) >= at.iterations
