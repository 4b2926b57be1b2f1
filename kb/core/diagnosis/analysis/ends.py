"""What kind of end a run came to, and what its people saw: the verdict and the run's symptom."""

from kb.core.diagnosis.analysis.candidates import EXPLICIT, Candidate
from kb.core.diagnosis.analysis.findings import STRONG, Findings
from kb.core.diagnosis.analysis.progress import Progress
from kb.core.diagnosis.parsing.stages import INIT, LOAD, TRAIN
from kb.core.diagnosis.report import CANCELLED, FAILURE, HEALTHY, NO_EVIDENCE, Verdict

NUMERICAL, SLOWDOWN, HANG, CRASH, LAUNCH_FAILURE = "numerical", "slowdown", "hang", "crash", "launch_failure"
SERIES = {"nan": NUMERICAL, "spike": NUMERICAL, "slowdown": SLOWDOWN}


def end_of(found: Findings) -> tuple[Verdict, str]:
    """The verdict, and the run's symptom: `none` where there is none."""
    if found.is_strong and not _was_ended_before(found, found.best):
        return FAILURE, _symptom_of_best(found)
    if _hangs(found):
        return FAILURE, HANG
    if found.cancel is not None and not _follows_failure(found):
        return CANCELLED, "cancelled"
    if found.anomaly is not None:
        return FAILURE, SERIES[found.anomaly.kind]
    if found.is_convincing or found.follows:
        return FAILURE, _symptom_of_best(found)
    if found.context.progress.done or found.context.scan.marks:
        return HEALTHY, "none"
    return NO_EVIDENCE, "none"


def _was_ended_before(found: Findings, one: Candidate | None) -> bool:
    """Was the run ended from outside before this was written? A vague word of it counts only if it is well before."""
    if found.cancel is None or one is None:
        return False
    order = found.context.order
    is_before = order.is_before if found.cancel.weight >= EXPLICIT else order.is_well_before
    return is_before(found.cancel.first, one.first)


def _follows_failure(found: Findings) -> bool:
    """Was the run only taken down from outside after its processes had failed?"""
    if found.cancel is None:
        return False
    first = found.cancel.first
    failures = (*(found.roots if found.is_strong else ()), *found.follows)
    return any(found.context.order.is_before(one.first, first) for one in failures)


def _hangs(found: Findings) -> bool:
    """Did it stop without a word: fell silent, or had its collectives time out with nothing before them?"""
    if found.pause is not None and (found.late or found.cancel is not None):
        return True
    return any(one.signal is not None and one.signal.run_symptom == HANG for one in found.follows)


def _symptom_of_best(found: Findings) -> str:
    best = found.best or (found.follows[0] if found.follows else None)
    said = best.signal.run_symptom if best is not None and best.signal is not None else None
    if said in (None, CRASH) and found.anomaly is not None and (best is None or best.score < STRONG):
        return SERIES[found.anomaly.kind]
    return said if said not in (None, "none", "cancelled") else CRASH


def at_launch(symptom: str, stage: str, progress: Progress) -> str:
    """A crash before the first step of a run was completed is a failure to launch (L4, study P4, S2)."""
    is_before = (
        stage in (INIT, LOAD) if progress.highest < 0 else progress.highest == 0 and stage in (INIT, LOAD, TRAIN)
    )
    return LAUNCH_FAILURE if symptom == CRASH and is_before and not progress.done else symptom
