"""How a run ended: the verdict, and what its people saw."""

from kb.core.diagnosis.analysis.candidates import EXPLICIT
from kb.core.diagnosis.analysis.findings import STRONG, Findings
from kb.core.diagnosis.analysis.health import health
from kb.core.diagnosis.analysis.order import CLOCKS_APART
from kb.core.diagnosis.report import CANCELLED, FAILURE, HEALTHY, Verdict

NUMERICAL, SLOWDOWN, HANG, CRASH, LAUNCH_FAILURE = "numerical", "slowdown", "hang", "crash", "launch_failure"


def end_of(findings: Findings, usual_length: int = 0) -> tuple[Verdict, str]:
    """The verdict, and the run's symptom: `none` where there is none.

    `usual_length`: how many iterations finished runs of the like have; 0 where none are known.
    """
    if findings.is_strong and not _is_after_cancel(findings):
        return FAILURE, _symptom_of_best(findings)
    # The run stopped without a word: it fell silent, or its collectives timed out with nothing before them.
    pause = findings.pause
    if pause is not None and (pause.is_watched or findings.laggards or findings.cancel is not None):
        return FAILURE, HANG
    if any(cascade.signal is not None and cascade.signal.run_symptom == HANG for cascade in findings.cascades):
        return FAILURE, HANG
    if findings.cancel is not None and not _is_cancel_after_failure(findings):
        return CANCELLED, "cancelled"
    if findings.anomaly is not None:
        return FAILURE, findings.anomaly.symptom
    if findings.stragglers:
        return FAILURE, SLOWDOWN
    context = findings.context
    ended = health(context.scan, context.progress, context.order, usual_length)
    is_doubtful = not findings.is_strong and (findings.best is None or findings.best.signal is None)
    if findings.cascades or (findings.is_convincing and not (is_doubtful and ended == HEALTHY)):
        return FAILURE, _symptom_of_best(findings)
    return ended, "none"


def _is_after_cancel(findings: Findings) -> bool:
    """Whether the best line was written after the run was ended from outside.

    A vague word of that counts only if it came well before.
    """
    cancel, best = findings.cancel, findings.best
    if cancel is None or best is None:
        return False
    margin = 0.0 if cancel.weight >= EXPLICIT else CLOCKS_APART
    return findings.context.order.is_before(cancel.first, best.first, margin)


def _is_cancel_after_failure(findings: Findings) -> bool:
    """Whether the run was taken down from outside only after its processes had failed."""
    cancel = findings.cancel
    if cancel is None:
        return False
    failures = (*findings.roots, *findings.cascades) if findings.is_strong else findings.cascades
    return any(findings.context.order.is_before(failure.first, cancel.first) for failure in failures)


def _symptom_of_best(findings: Findings) -> str:
    best = findings.best
    if best is None and findings.cascades:
        best = findings.cascades[0]
    symptom = best.signal.run_symptom if best is not None and best.signal is not None else None
    if symptom in (None, CRASH) and findings.anomaly is not None and (best is None or best.score < STRONG):
        return findings.anomaly.symptom
    return CRASH if symptom in (None, "none", "cancelled") else symptom
