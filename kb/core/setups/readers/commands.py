"""Launch commands: programs, flags, what they start, and the facts that launchers state.

Not here: shell's own rules (`shell.py`), and what stands around a command: containers, jobs, installations (`jobs.py`).
"""

import re
from collections.abc import Sequence

from kb.core.setups.facts import Place, Value
from kb.core.setups.readers.configurations import KINDS, NESTED, TRAINING, note_reference
from kb.core.setups.readers.draft import Draft, Rank
from kb.core.setups.readers.programs import MEGATRON, Flag, Program, flags_of, program_of
from kb.core.setups.readers.shell import Command
from kb.core.setups.readers.trees import composed, entries_of, scalar

SHORT = {
    "tp": "tensor_parallel_size",
    "pp": "pipeline_parallel_size",
    "dp": "data_parallel_size",
    "q": "quantization",
    "O": "compilation_config",
    "ep": "enable_expert_parallel",
}
SHORT_SGLANG = {
    "tp": "tp_size",
    "speculative_algo": "speculative_algorithm",
    "tensor_parallel_size": "tp_size",
    "dp": "dp_size",
    "data_parallel_size": "dp_size",
    "ep": "ep_size",
    "expert_parallel_size": "ep_size",
    "pp": "pp_size",
    "pipeline_parallel_size": "pp_size",
}
SHORT_LLAMA = {
    "m": "model",
    "md": "model_draft",
    "hf": "hf_repo",
    "c": "ctx_size",
    "ngl": "n_gpu_layers",
    "fa": "flash_attn",
    "ctk": "cache_type_k",
    "ctv": "cache_type_v",
    "sm": "split_mode",
    "ts": "tensor_split",
    "np": "parallel",
}
SHORTS = {"vllm": SHORT, "sglang": SHORT_SGLANG, "llamacpp": SHORT_LLAMA}
# Kinds whose keys a program takes besides its own.
ALSO = {"llamafactory": ("transformers",), "trl": ("transformers",)}
# What `trl` and `swift` do, by their first word.
TASKS = {"sft", "dpo", "kto", "grpo", "reward"}
# Flags that name a configuration, which is not at hand.
CONFIG = {"config", "config-name", "config_name"}
# Flags that only ask a program something.
ASKS = {"version", "help", "h", "V", "list-devices"}
MEGATRON_FLAGS = {
    "tensor-model-parallel-size",
    "pipeline-model-parallel-size",
    "use-distributed-optimizer",
    "use-mcore-models",
    "transformer-impl",
    "num-attention-heads",
    "micro-batch-size",
    "train-iters",
    "tokenizer-type",
}
TRL = next(kind.likely for kind in KINDS if kind.name == "trl") - TRAINING
# Flags by which scripts of any project turn adapters on.
LORA = {"use_peft", "use_lora", "lora", "lora_r", "lora_rank", "lora_dim"}
REFERENCES = {
    "deepspeed": {"deepspeed", "deepspeed_config", "deepspeed_config_file", "ds_config"},
    "accelerate": {"config_file"},
}


def read_command(command: Command, name: str, offset: int, draft: Draft) -> bool:
    """Read a launch command; whether it is one."""
    place = Place(name, offset + command.line)
    match = program_of(command.words)
    if match is None:
        return False
    for variable, value in command.variables.items():
        draft.add_variable(variable, value, place, Rank.COMMAND)
    _run(match[0], command.words[match[1] :], command.hides_words, place, draft)
    draft.add_source(name, "launch command")
    return True


def _run(program: Program, words: Sequence[str], hides_words: bool, place: Place, draft: Draft) -> None:
    flags, rest = flags_of(words, program)
    if not rest and flags and all(flag.name in ASKS for flag in flags):
        return
    _note_program(program, place, draft)
    # A script without flags may be a client, or a test: it says nothing of how a server or training was started.
    draft.has_command |= program.program != "python" or bool(flags)
    draft.hides_flags |= hides_words
    for flag in flags:
        draft.add_flag(flag.name, flag.value, place)
    _launched(program, flags, place, draft)
    if program.kind:
        _as_settings(program, flags, rest, hides_words, place, draft)
    if program.positional and rest:
        draft.add_setting(program.kind, program.positional, rest[0], place, Rank.COMMAND)
    if program.config:
        _note_config(program, rest, flags, place, draft)
    if program.launches and rest:
        _run_inner(rest, hides_words, place, draft)
    elif program.program == "python":
        _read_script_flags(rest, flags, hides_words, place, draft)


def _run_inner(words: Sequence[str], hides_words: bool, place: Place, draft: Draft) -> None:
    """The command that a launcher starts; a script is one of Python's."""
    match = program_of(words)
    if match is not None and match[0].program != "python":
        _run(match[0], words[match[1] :], hides_words, place, draft)
        return
    start = match[1] if match is not None else 0
    script = Program(words=("python",), program="python")
    _run(script, words[start:], hides_words, place, draft)


def _note_program(program: Program, place: Place, draft: Draft) -> None:
    draft.programs.add(program.program)
    for fact, value in (("engine", program.engine), ("task", program.task)):
        if value:
            draft.add_fact(fact, value, place, Rank.COMMAND)
    # The outer launcher is the one: srun torchrun is torchrun's, as it starts the processes that count.
    is_launcher = program.launcher and program.launcher not in ("python", "srun")
    if program.launcher:
        draft.add_fact("launcher", program.launcher, place, Rank.COMMAND if is_launcher else Rank.FILE)


OVERRIDE = re.compile(r"\+{0,2}([A-Za-z_][\w.]{0,150})=(.{0,500})", re.DOTALL)


def _as_settings(
    program: Program, flags: Sequence[Flag], rest: Sequence[str], hides_words: bool, place: Place, draft: Draft
) -> None:
    """The flags of an engine are its whole configuration."""
    shorts = SHORTS.get(program.kind, {})
    for flag in flags:
        key = flag.name.replace("-", "_")
        add_nested(program.kind, shorts.get(key, key), flag.value, place, draft)
    for word in rest:
        # Hydra's way: trainer.nnodes=2, +data.shuffle=True.
        if override := OVERRIDE.fullmatch(word):
            value = scalar(override[2])
            if value is not None:
                draft.add_setting(program.kind, override[1], value, place, Rank.COMMAND)
    if not hides_words and not any(flag.name in CONFIG for flag in flags):
        draft.read_kinds.add(program.kind)


def add_nested(kind: str, key: str, value: Value, place: Place, draft: Draft) -> None:
    """A setting of a command; one that is JSON has keys of its own besides."""
    draft.add_setting(kind, key, value, place, Rank.COMMAND)
    if isinstance(value, str) and value.startswith("{"):
        for entry in entries_of(composed(value)):
            draft.add_setting(kind, f"{key}.{entry.key}", entry.value, place, Rank.COMMAND)


def _note_config(program: Program, rest: Sequence[str], flags: Sequence[Flag], place: Place, draft: Draft) -> None:
    """A program whose configuration is a file or its flags."""
    for word in rest:
        if word.endswith((".yaml", ".yml", ".json", ".toml")):
            note_reference(program.config, word, place, draft)
    if rest and rest[0] in TASKS:
        draft.add_fact("task", rest[0], place, Rank.COMMAND)
    given = [flag for flag in flags if flag.name != "config"]
    kinds = (program.config, *ALSO.get(program.config, ()))
    if not any(word.endswith((".yaml", ".yml", ".json")) for word in rest) and len(given) >= 3:
        draft.read_kinds.update(kinds)
    for flag in given:
        key = flag.name.replace("-", "_")
        for kind in kinds:
            add_nested(kind, key, flag.value, place, draft)
        if any(f"{kind}.{key}" in NESTED for kind in kinds):
            note_reference(NESTED[f"{kinds[-1]}.{key}"], str(flag.value), place, draft)


def _launched(program: Program, flags: Sequence[Flag], place: Place, draft: Draft) -> None:
    """What a launcher's flags say: processes, nodes, and the configurations that they name."""
    counts = {
        "torchrun": {"nnodes": "nodes", "nproc_per_node": "gpus_per_node"},
        "deepspeed": {"num_nodes": "nodes", "num_gpus": "gpus_per_node"},
        "colossalai": {"nproc_per_node": "gpus_per_node", "num_nodes": "nodes"},
        "mpirun": {"np": "world_size", "n": "world_size"},
        "srun": {"nodes": "nodes", "N": "nodes", "ntasks": "world_size", "n": "world_size"},
        "vllm": {"nnodes": "nodes"},
    }.get(program.program, {})  # fmt: skip
    for flag in flags:
        key = flag.name.replace("-", "_")
        fact = counts.get(key)
        if fact and isinstance(flag.value, int) and not isinstance(flag.value, bool) and flag.value > 0:
            draft.add_fact(fact, flag.value, place, Rank.COMMAND)
        for kind, names in REFERENCES.items():
            if key in names and isinstance(flag.value, str):
                note_reference(kind, flag.value, place, draft)
    _included(program, flags, place, draft)
    names = {flag.name.replace("-", "_") for flag in flags}
    if program.program == "torchrun" and "nnodes" not in names and "nproc_per_node" in names:
        draft.add_fact("nodes", 1, place, Rank.DEFAULT)
    if program.program == "accelerate":
        _accelerate(flags, place, draft)


def _included(program: Program, flags: Sequence[Flag], place: Place, draft: Draft) -> None:
    """`deepspeed --include localhost:0,1`; without hosts, all processes that are asked for are on this node."""
    names = {flag.name.replace("-", "_") for flag in flags}
    asked = {"deepspeed": "num_gpus", "colossalai": "nproc_per_node"}.get(program.program)
    if asked in names and not names & {"hostfile", "host", "num_nodes", "include", "H"}:
        draft.add_fact("nodes", 1, place, Rank.DEFAULT)
    for flag in flags if program.program == "deepspeed" else ():
        local = re.fullmatch(r"localhost(?::([\d,]{1,60}))?", str(flag.value)) if flag.name == "include" else None
        if local:
            draft.add_fact("nodes", 1, place, Rank.COMMAND)
        if local and local[1]:
            draft.add_fact("gpus_per_node", local[1].strip(",").count(",") + 1, place, Rank.COMMAND)


DEEPSPEED_PLUGIN = {
    "zero_stage",
    "offload_optimizer_device",
    "offload_param_device",
    "deepspeed_config_file",
    "zero3_init_flag",
    "zero3_save_16bit_model",
    "gradient_accumulation_steps",
    "gradient_clipping",
}
# The sections of the other keys, by the key's first word.
SECTIONS = {"fsdp": "fsdp_config.", "dynamo": "dynamo_config.", "parallelism": "parallelism_config."}


def _accelerate(flags: Sequence[Flag], place: Place, draft: Draft) -> None:
    """`accelerate launch` takes the keys of its configuration as flags, without their sections."""
    for flag in flags:
        key = flag.name.replace("-", "_")
        section = "deepspeed_config." if key in DEEPSPEED_PLUGIN else SECTIONS.get(key.partition("_")[0], "")
        draft.add_setting("accelerate", section + key, flag.value, place, Rank.COMMAND)
    names = {flag.name.replace("-", "_") for flag in flags}
    for name, kind in (("use_deepspeed", "DEEPSPEED"), ("use_fsdp", "FSDP"), ("multi_gpu", "MULTI_GPU")):
        if name in names:
            draft.add_setting("accelerate", "distributed_type", kind, place, Rank.COMMAND)
    if not names & {"config_file", "use_deepspeed", "use_fsdp", "multi_gpu", "cpu"}:
        # The user's default configuration counts, which is not at hand.
        draft.unread.update({"zero_stage", "fsdp_version"} if "accelerate" not in draft.read_kinds else ())


def _read_script_flags(
    rest: Sequence[str], flags: Sequence[Flag], hides_words: bool, place: Place, draft: Draft
) -> None:
    """A script of somebody's own: its flags count where they are Megatron's or those of TrainingArguments."""
    keys = {flag.name for flag in flags}
    _told(rest, flags, place, draft)
    is_megatron = any(MEGATRON.search(word) for word in rest[:1]) or len(keys & MEGATRON_FLAGS) >= 2
    for flag in flags:
        key = flag.name.replace("-", "_")
        if is_megatron:
            draft.add_setting("megatron", key, flag.value, place, Rank.COMMAND)
        elif key in TRAINING | TRL:
            draft.add_setting("transformers" if key in TRAINING else "trl", key, flag.value, place, Rank.COMMAND)
        if isinstance(flag.value, str) and key in REFERENCES["deepspeed"]:
            note_reference("deepspeed", flag.value, place, draft)
    if is_megatron:
        draft.programs.add("megatron")
        draft.add_fact("task", "pretrain", place, Rank.FILE)
        if not hides_words:
            draft.read_kinds.add("megatron")
    for word in rest[1:4]:
        if word.endswith((".yaml", ".yml")):
            note_reference("llamafactory", word, place, draft)


SCRIPT = re.compile(r"(?:.{0,300}[/\\])?(\w{1,100})\.py")
TASK = re.compile(r"(?:^|_)(sft|dpo|kto|orpo|ppo|grpo)(?:_|$)")


def _told(rest: Sequence[str], flags: Sequence[Flag], place: Place, draft: Draft) -> None:
    """A script that is run is used; its name may say what it trains, and its flags whether adapters are on."""
    if any(flag.name.replace("-", "_") in LORA and flag.value not in (False, 0, "none") for flag in flags):
        draft.add_fact("lora", True, place, Rank.TOLD)
    match = SCRIPT.fullmatch(rest[0]) if rest else None
    if match is None:
        return
    draft.names.add(match[1])
    if task := TASK.search(match[1].lower()):
        draft.add_fact("task", task[1], place, Rank.TOLD)
    if match[1] == "ds_to_universal":
        draft.add_fact("universal_checkpoint", True, place, Rank.COMMAND)
