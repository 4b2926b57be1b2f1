"""In which stage a run failed: by the code that was running, by what the line says, by the marks that lines set."""

import re
from collections.abc import Iterable

from kb.core.diagnosis.analysis.order import Order
from kb.core.diagnosis.analysis.progress import Progress
from kb.core.diagnosis.parsing.stages import CHECKPOINT, ENDS, EVAL, INIT, LOAD, TRAIN, mark
from kb.core.diagnosis.scanning.records import Occurrence, Place, Scan

# Names of functions in frames of a traceback. The innermost frame that has one decides.
FRAMES = tuple(
    (stage, re.compile(pattern))
    for stage, pattern in (
        (CHECKPOINT, r"save_checkpoint|save_pretrained|save_state|save_model|torch\.save\(|checkpoint\.save\("),
        (LOAD, r"load_checkpoint|load_state_dict|from_pretrained|load_state|load_model|torch\.load\(|resume_from"),
        (EVAL, r"\bevaluate|validation_step|eval_step|evaluation_loop"),
        (TRAIN, r"train_step|training_step|train_batch|forward_backward|\.backward\(|optimizer\.step|\btrain\("),
        (INIT, r"init_process_group|parse_args|validate_args|check\(args|setup_|initialize"),
    )
)
# Fields of heads that only a job of several processes has.
PROCESSES = frozenset({"rank", "local", "actor"})
FEW = 12
# Before the first step, a trouble with these is one of loading.
LOADED = re.compile(r"checkpoint|state_?dict|\bckpt\b|safetensors|tokenizer|pretrained", re.IGNORECASE)


def stage_of(at: Occurrence | None, progress: Progress) -> str:
    """The stage that the line, or the traceback that it ends, shows by itself; empty where it shows none."""
    if at is None:
        return ""
    frames = [text for _, text in at.block.lines] if at.block is not None and at.block.is_traceback else []
    stage = _of_frames(reversed(frames))
    if stage in ("", INIT) and progress.highest < 0 and LOADED.search(at.text):
        return LOAD
    return stage or (CHECKPOINT if mark(at.text) == CHECKPOINT else "")


def _of_frames(innermost_first: Iterable[str]) -> str:
    for text in innermost_first:
        for stage, pattern in FRAMES:
            if pattern.search(text):
                return stage
    return ""


def stage_at(scan: Scan, progress: Progress, order: Order, place: Place | None, when: str = "") -> str:
    """The stage before this line, or at the end of the log; empty where nothing tells."""
    marks = [(order.key(mark.place, mark.when), mark.stage) for mark in scan.marks]
    marks += [(order.key(told.place, told.when), TRAIN) for told in progress.done]
    if place is not None:
        limit = order.key(place, when)
        marks = [mark for mark in marks if mark[0] < limit]
    if marks:
        last = max(marks)[1]
        return ENDS.get(last, last)
    if progress.highest >= 0 or scan.told:
        return TRAIN
    # A few lines that begin with the failure may be cut out of any stage.
    if place is not None and place.line <= FEW and sum(scan.lines) <= FEW:
        return ""
    has_ranks = any(PROCESSES.intersection(emitter.fields) for emitter in scan.emitters)
    return INIT if scan.world > 1 or scan.hosts or has_ranks else ""
