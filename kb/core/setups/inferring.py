"""What follows from several settings, packages and names at once: one short rule each.

Not here: facts that one setting states (`derivations.yaml`).
"""

from collections.abc import Callable

from packaging.version import Version

from kb.core.setups.facts import Place, Value
from kb.core.setups.machines import MACHINE_RULES
from kb.core.setups.readers.draft import Claim, Draft, Rank, agreed

NO = {"false", "no", "off", "none", "null", "0", "", "{}", "disabled"}
# The facts that a kind of configuration decides: unknown where the file that is named was not handed over.
GOVERNED = {
    "deepspeed": (
        "zero_stage", "zero_offload_optimizer", "zero_offload_param", "zero_hpz_partition_size", "zero_overlap_comm",
    ),
    "accelerate": ("zero_stage", "fsdp_version", "zero_offload_optimizer", "zero_offload_param", "precision"),
}  # fmt: skip
VERSION_KEYS = ("fsdp_version", "fsdp_config.fsdp_version", "fsdp_config.version")
PEFT_NAMES = {"peft", "peft_config", "get_peft_model", "LoraConfig", "PeftModel", "unsloth", "add_adapter"}


GUIDED = {
    "guided_json", "guided_regex", "guided_choice", "guided_grammar", "json_schema", "structured_outputs",
    "structural_tag", "response_format", "ebnf",
}  # fmt: skip


def yes(value: Value) -> bool | None:
    """Whether the value is a yes; None where it is neither yes nor no."""
    word = str(value).strip().lower()
    if word in ("true", "1", "yes", "on"):
        return True
    return False if word in ("false", "0", "no", "off") else None


def is_given(value: Value) -> bool:
    """Whether the value is set to something."""
    return str(value).strip().lower() not in NO


def _value(draft: Draft, setting: str) -> Claim | None:
    return agreed(draft.settings.get(setting, []))


def _overlap(draft: Draft) -> None:
    """DeepSpeed overlaps by itself in stage 3 only."""
    stage = _value(draft, "deepspeed.zero_optimization.stage")
    keys = {f"deepspeed.zero_optimization{key}" for key in ("", ".stage", ".overlap_comm")}
    is_open = keys & draft.unread or "deepspeed.zero_optimization.overlap_comm" in draft.settings
    if "deepspeed" in draft.read_kinds and not is_open:
        is_third = stage is not None and str(stage.value) == "3"
        draft.add_fact("zero_overlap_comm", is_third, Place("default of deepspeed"), Rank.DEFAULT)


def _accelerate_plugins(draft: Draft) -> None:
    """What Accelerate shards with, and the versions that it takes by itself."""
    if "FullyShardedDataParallelPlugin" in draft.names:
        _fsdp_by_plugin(draft, Place("default of accelerate"))
    claim = _value(draft, "accelerate.distributed_type")
    is_hidden = "accelerate" not in draft.read_kinds and any(each.kind == "accelerate" for each in draft.references)
    if claim is None or is_hidden:
        return
    kind, place = str(claim.value).lower(), claim.place
    if kind == "fsdp":
        _fsdp_by_plugin(draft, place)
    if kind == "deepspeed" and not draft.settings.keys() & {
        "accelerate.deepspeed_config.zero_stage",
        "accelerate.deepspeed_config.deepspeed_config_file",
    }:
        draft.add_fact("zero_stage", 2, place, Rank.DEFAULT)


def _fsdp_by_plugin(draft: Draft, place: Place) -> None:
    key = "accelerate.fsdp_config.fsdp_version"
    if key not in draft.settings.keys() | draft.unread:
        draft.add_fact("fsdp_version", 1, place, Rank.DEFAULT)


def _without_sharding(draft: Draft) -> None:
    """A configuration of training that names neither DeepSpeed nor FSDP, started without them, shards nothing."""
    if "deepspeed" in draft.read_kinds:
        draft.add_fact("fsdp_version", 0, Place("default of deepspeed"), Rank.DEFAULT)
    is_open = any(reference.kind in GOVERNED for reference in draft.references)
    if is_open or "accelerate" in draft.programs:
        return
    for kind in ("llamafactory", "axolotl", "transformers"):
        is_shown = kind != "transformers" or draft.has_command
        for key, fact in (("deepspeed", "zero_stage"), ("fsdp", "fsdp_version")):
            is_set = f"{kind}.{key}" in draft.settings.keys() | draft.unread
            if kind in draft.read_kinds and is_shown and not is_set and fact not in draft.facts:
                draft.add_fact(fact, 0, Place(f"default of {kind}"), Rank.DEFAULT)


def _fsdp(draft: Draft) -> None:
    for kind in ("transformers", "llamafactory", "axolotl"):
        claim = _value(draft, f"{kind}.fsdp")
        has_version = any(draft.settings.get(f"{kind}.{key}") for key in VERSION_KEYS)
        # A file of its own, or what cannot be read, may ask for another one.
        has_version |= f"{kind}.fsdp_config" in draft.settings.keys() | draft.unread
        if claim is not None and not is_given(claim.value):
            draft.add_fact("fsdp_version", 0, claim.place)
        elif claim is not None and not has_version:
            draft.add_fact("fsdp_version", 1, claim.place, Rank.TOLD)


def _quantized_by_bitsandbytes(draft: Draft) -> None:
    claim = _value(draft, "bitsandbytes.load_in_4bit")
    if claim is not None and yes(claim.value):
        kind = _value(draft, "bitsandbytes.bnb_4bit_quant_type")
        draft.add_fact("quantization", str(kind.value).lower() if kind else "fp4", claim.place)


def _lora(draft: Draft) -> None:
    if "peft" in draft.read_kinds or any(setting.startswith("peft.") for setting in draft.settings):
        place = next((c[0].place for s, c in draft.settings.items() if s.startswith("peft.")), Place("script"))
        draft.add_fact("lora", True, place)


def _without_peft(draft: Draft) -> None:
    """A script that trains and names nothing of PEFT trains no adapter; nor does anything where PEFT is not there."""
    if draft.has_script and "trainer" in draft.facts and not draft.names & PEFT_NAMES and "lora" not in draft.facts:
        draft.add_fact("lora", False, draft.facts["trainer"][0].place, Rank.DEFAULT)


def _precision(draft: Draft) -> None:
    """Weights that are loaded in half precision, and training arguments that ask for none."""
    for key in ("model.torch_dtype", "model.dtype"):
        claim = _value(draft, key)
        word = HALVES.get(str(claim.value).lower()) if claim else None
        if claim and word:
            draft.add_fact("precision", word, claim.place, Rank.IMAGE)
    trains = draft.read_kinds & {"transformers", "megatron"}
    if "trl" in draft.read_kinds:
        # Newer releases of TRL train in bf16 and recompute activations by themselves.
        return
    open_keys = {f"{kind}.{key}" for kind in trains for key in ("bf16", "fp16")} & draft.unread
    if trains and "precision" not in draft.facts and not open_keys:
        draft.add_fact("precision", "fp32", Place(f"default of {sorted(trains)[0]}"), Rank.DEFAULT)


HALVES = {"float16": "fp16", "half": "fp16", "bfloat16": "bf16", "float32": "fp32"}


def _training_defaults(draft: Draft) -> None:
    """Defaults of TrainingArguments that changed with releases."""
    if "transformers" not in draft.read_kinds:
        return
    place, unread = Place("default of transformers"), draft.unread
    is_checkpointed = draft.settings.keys() & {f"{kind}.gradient_checkpointing" for kind in ("transformers", "axolotl")}
    if "trl" not in draft.read_kinds and not is_checkpointed and "transformers.gradient_checkpointing" not in unread:
        draft.add_fact("gradient_checkpointing", False, place, Rank.DEFAULT)
    torch = draft.packages.get("torch", [])
    is_old = all(allowed is not None and allowed.is_below(Version("2.8")) for allowed, _, _ in torch)
    if torch and is_old and not {"transformers.optim"} & (draft.settings.keys() | unread):
        draft.add_fact("optimizer", "adamw_torch", place, Rank.DEFAULT)


def _attention(draft: Draft) -> None:
    """Transformers takes PyTorch's attention where a script loads a model and asks for no other."""
    asked = {"model.attn_implementation", "model.use_flash_attention_2"} & (draft.settings.keys() | draft.unread)
    if "model" in draft.read_kinds and not asked and "unsloth" not in draft.names:
        draft.add_fact("attention", "sdpa", Place("default of transformers"), Rank.DEFAULT)


def _fsdp_of_verl(draft: Draft) -> None:
    """verl's actors take FSDP where no other strategy is asked for."""
    keys = {key.removeprefix("verl.") for key in draft.settings.keys() | draft.unread if key.startswith("verl.")}
    has_actor = any(key.startswith(("actor_rollout_ref.", "algorithm.")) for key in keys)
    if "verl" in draft.read_kinds and has_actor and not keys & {"actor_rollout_ref.actor.strategy", "model_engine"}:
        draft.add_fact("fsdp_version", 1, Place("default of verl"), Rank.DEFAULT)


def _own_loop(draft: Draft) -> None:
    """A script that sets up DeepSpeed or Accelerate itself and names no trainer has a loop of its own."""
    sets_up = {"deepspeed.initialize", "Accelerator"} & draft.names
    if draft.has_script and sets_up and not any(name.endswith("Trainer") for name in draft.names):
        draft.add_fact("hf_trainer", False, Place("script"), Rank.TOLD)


def _trains_from_start(draft: Draft) -> None:
    """A script that trains and names no checkpoint to go on from starts anew."""
    trains = draft.has_script and "trainer" in draft.facts and "train" in draft.names
    if trains and not draft.names & {"resume_from_checkpoint", "load_state", "load_checkpoint"}:
        draft.add_fact("resumes", False, draft.facts["trainer"][0].place, Rank.DEFAULT)
    if draft.has_script and any(name.startswith("deepspeed.checkpointing") for name in draft.names):
        draft.add_fact("deepspeed_checkpointing", True, Place("script"))


def _absent_packages(draft: Draft) -> None:
    """What is not installed is not used."""
    place = draft.absent.get("deepspeed", Place("list of packages"))
    if (draft.lists_all_packages or "deepspeed" in draft.absent) and "deepspeed" not in draft.packages:
        draft.add_fact("zero_stage", 0, place, Rank.DEFAULT)
    if not draft.lists_all_packages:
        return
    if not {"peft", "vllm", "sglang", "unsloth", "ggml-org/llama.cpp"} & draft.packages.keys():
        draft.add_fact("lora", False, place, Rank.DEFAULT)


def _compiled(draft: Draft) -> None:
    """`torch.compile` as a decorator or handed on."""
    if "torch.compile" in draft.names:
        draft.add_fact("torch_compile", True, Place("script"))


def _structured_output(draft: Draft) -> None:
    """A client that asks for JSON, a grammar or a choice."""
    if draft.names & GUIDED:
        draft.add_fact("structured_output", True, Place("script"))


RULES: tuple[Callable[[Draft], None], ...] = (
    *MACHINE_RULES,
    _without_peft,
    _precision,
    _training_defaults,
    _attention,
    _compiled,
    _structured_output,
    _fsdp_of_verl,
    _own_loop,
    _trains_from_start,
    _absent_packages,
    _overlap,
    _accelerate_plugins,
    _fsdp,
    _quantized_by_bitsandbytes,
    _lora,
    _without_sharding,
)
