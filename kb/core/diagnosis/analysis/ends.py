"""How a run ended: the verdict, what its people saw, and the stage in which it failed."""

import re
from collections.abc import Sequence

from kb.core.diagnosis.analysis.candidates import EXPLICIT
from kb.core.diagnosis.analysis.findings import STRONG, Findings
from kb.core.diagnosis.analysis.health import health
from kb.core.diagnosis.analysis.order import CLOCKS_APART
from kb.core.diagnosis.analysis.progress import Progress
from kb.core.diagnosis.parsing.stages import CHECKPOINT, ENDS, EVAL, INIT, LOAD, TRAIN, mark
from kb.core.diagnosis.report import CANCELLED, FAILURE, Verdict
from kb.core.diagnosis.scanning.records import Occurrence, Place

NUMERICAL, SLOWDOWN, HANG, CRASH, LAUNCH_FAILURE = "numerical", "slowdown", "hang", "crash", "launch_failure"
# Names of functions in frames of a traceback. The innermost frame that has one decides.
FRAMES = {
    stage: re.compile(pattern)
    for stage, pattern in (
        (CHECKPOINT, r"save_checkpoint|save_pretrained|save_state|save_model|torch\.save\(|checkpoint\.save\("),
        (LOAD, r"load_checkpoint|load_state_dict|from_pretrained|load_state|load_model|torch\.load\(|resume_from"),
        (EVAL, r"\bevaluate|validation_step|eval_step|evaluation_loop"),
        (TRAIN, r"train_step|training_step|train_batch|forward_backward|\.backward\(|optimizer\.step|\btrain\("),
        (INIT, r"init_process_group|parse_args|validate_args|check\(args|setup_|initialize"),
    )
}
# Fields of prefixes that only a job of several processes has.
PROCESSES = frozenset({"rank", "local", "actor"})
FEW = 12
# Before the first step, a trouble with these is one of loading.
LOADED = re.compile(r"checkpoint|state_?dict|\bckpt\b|safetensors|tokenizer|pretrained", re.IGNORECASE)


def end_of(findings: Findings, usual_length: int = 0) -> tuple[Verdict, str]:
    """The verdict, and the run's symptom: `none` where there is none.

    `usual_length`: how many iterations finished runs of the like have; 0 where none are known.
    """
    if findings.is_strong and not _is_after_cancel(findings):
        return FAILURE, _symptom_of_best(findings)
    # The run stopped without a word: it fell silent, or its collectives timed out with nothing before them.
    if findings.pause is not None and (findings.laggards or findings.cancel is not None):
        return FAILURE, HANG
    if any(cascade.signal is not None and cascade.signal.run_symptom == HANG for cascade in findings.cascades):
        return FAILURE, HANG
    if findings.cancel is not None and not _is_cancel_after_failure(findings):
        return CANCELLED, "cancelled"
    if findings.anomaly is not None:
        return FAILURE, findings.anomaly.symptom
    if findings.is_convincing or findings.cascades:
        return FAILURE, _symptom_of_best(findings)
    context = findings.context
    return health(context.scan, context.progress, context.order, usual_length), "none"


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


def at_launch(symptom: str, stage: str, progress: Progress) -> str:
    """A crash before the first step of a run was completed is a failure to launch (L4, study P4, S2)."""
    if symptom != CRASH or progress.steps or progress.highest > 0:
        return symptom
    launching = (INIT, LOAD) if progress.highest < 0 else (INIT, LOAD, TRAIN)
    return LAUNCH_FAILURE if stage in launching else symptom


def stage_of(onset: Occurrence, progress: Progress) -> str:
    """The stage that the line, or the traceback that it ends, shows by itself; empty where it shows none."""
    stage = ""
    if onset.block is not None and onset.block.is_traceback:
        stage = _stage_of_traceback(onset.block.lines)
    if stage in ("", INIT) and progress.highest < 0 and LOADED.search(onset.text):
        return LOAD
    if not stage and mark(onset.text) == CHECKPOINT:
        return CHECKPOINT
    return stage


def _stage_of_traceback(lines: Sequence[tuple[int, str]]) -> str:
    for _, text in reversed(lines):
        for stage, pattern in FRAMES.items():
            if pattern.search(text):
                return stage
    return ""


def stage_before(place: Place | None, when: str, findings: Findings) -> str:
    """The stage before this line, or at the end of the log; empty where nothing tells."""
    scan, progress, order = findings.context.scan, findings.context.progress, findings.context.order
    marks = [(order.key(mark.place, mark.when), mark.stage) for mark in scan.marks]
    marks += [(order.key(line.place, line.when), TRAIN) for line in progress.steps]
    if place is not None:
        limit = order.key(place, when)
        marks = [mark for mark in marks if mark[0] < limit]
    if marks:
        last = max(marks)[1]
        return ENDS.get(last, last)
    if progress.highest >= 0 or scan.step_lines:
        return TRAIN
    # A few lines that begin with the failure may be cut out of any stage.
    if place is not None and place.line <= FEW and sum(scan.lines) <= FEW:
        return ""
    has_ranks = any(PROCESSES.intersection(emitter.fields) for emitter in scan.emitters)
    return INIT if scan.world > 1 or scan.hosts or has_ranks else ""
