"""In which stage of its life a run failed: by the line that failed, by its traceback, by what came before it."""

import re
from collections.abc import Sequence

from kb.core.diagnosis.analysis.ends import CRASH, LAUNCH_FAILURE
from kb.core.diagnosis.analysis.findings import Findings
from kb.core.diagnosis.analysis.order import Key
from kb.core.diagnosis.analysis.progress import Progress
from kb.core.diagnosis.parsing.stages import CHECKPOINT, ENDS, EVAL, INIT, LOAD, SERVE, TRAIN, mark
from kb.core.diagnosis.scanning.records import Occurrence, Place

# What frames of a traceback name: functions, modules, statements. The innermost frame that has one decides.
FRAMES = {
    stage: re.compile(pattern)
    for stage, pattern in (
        (
            CHECKPOINT,
            r"save_checkpoint|save_pretrained|save_state|save_model|torch\.save\(|checkpoint\.save\(|"
            r"in _?(?:\w{1,20}_)?save(?:_\w+)?$|checkpoint_engine\.py|save_file\(|(?<!_)state_dict\(\)|"
            # Gathering weights is what saving them begins with.
            r"in (?!_?load)\w{0,30}state_dict(?:_hook)?$",
        ),
        (
            LOAD,
            r"load_checkpoint|load_state_dict|from_pretrained|load_state|load_model|torch\.load\(|resume_from|"
            r"load_weights|safe_open\(|hf_hub_download|snapshot_download|cached_file|create_model_instance|load_dataset",
        ),
        (EVAL, r"\bevaluate|validation_step|eval_step|evaluation_loop"),
        (
            TRAIN,
            r"train_step|training_step|train_batch|forward_backward|\.backward\(|optimizer\.step|\btrain\(|"
            r"training_loop|run_backward|\bin (?:ppo_)?train$|\bin fit$",
        ),
        (SERVE, r"event_loop_|run_busy_loop|process_input_queue|\bin generate$|\.generate\("),
        (
            INIT,
            r"init_process_group|parse_args|validate_args|check\(args|setup_|initialize|rendezvous|init_device|init_cache|"
            r"cache_size|init_memory_pool|profile_run|capture_(?:model|graph)|cuda_?graph|from_engine_args|"
            r"^\s*(?:import [\w.]+|from [\w.]+ import )|import_module|init_model_parallel|"
            r"\b(?:DDP|FSDP|DistributedDataParallel|FullyShardedDataParallel|fully_shard)\(|accelerator\.prepare\(",
        ),
    )
}
# Fields of prefixes that only a job of several processes has.
PROCESSES = frozenset({"rank", "local", "actor"})
FEW = 12
# Before the first step, a trouble with these is one of loading.
LOADED = re.compile(
    r"checkpoint|state_?dict|\bckpt\b|safetensors|tokenizer|pretrained|\bgguf\b|"
    r"\bload(?:ing|ed)? (?:the )?(?:model|weights|tensors)|gated repo|model architecture|model file",
    re.IGNORECASE,
)
# What a program cannot do without before it does anything.
IMPORTS = re.compile(
    r"\b(?:ModuleNotFoundError|ImportError)\b|cannot open shared object file|undefined symbol|symbol not found|"
    r"DLL load failed|CUDA Setup failed|Required library version not found|libcu\w{1,20}\.so"
)


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
        frames = [text for line, text in onset.block.lines if line not in onset.block.exceptions]
        stage = _stage_of_traceback(frames)
    has_begun = progress.highest >= 0
    if stage in ("", INIT) and not has_begun and LOADED.search(onset.text):
        return LOAD
    if not stage and not has_begun and IMPORTS.search(onset.text):
        return INIT
    if not stage and mark(onset.text) == CHECKPOINT:
        return CHECKPOINT
    return stage


def _stage_of_traceback(frames: Sequence[str]) -> str:
    for text in reversed(frames):
        for stage, pattern in FRAMES.items():
            if pattern.search(text.rstrip()):
                return stage
    return ""


def stage_before(place: Place | None, when: str, findings: Findings) -> str:
    """The stage before this line, or at the end of the log; empty where nothing tells."""
    scan, progress, order = findings.context.scan, findings.context.progress, findings.context.order
    marks = _marks(findings)
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


def _marks(findings: Findings) -> list[tuple[Key, str]]:
    """When which stage was entered. A run that trains may ask a server of its own for answers."""
    scan, progress, order = findings.context.scan, findings.context.progress, findings.context.order
    marks = [(order.key(mark.place, mark.when), mark.stage) for mark in scan.marks]
    trains = [(order.key(line.place, line.when), TRAIN) for line in progress.steps]
    trains += [
        (order.key(Place(emitter.file, emitter.iteration_line), emitter.iteration_when), TRAIN)
        for emitter in scan.emitters
        if emitter.iteration >= 0
    ]
    if trains:
        marks = [(key, stage) for key, stage in marks if stage != SERVE]
    return marks + trains
