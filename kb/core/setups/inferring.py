"""What follows from several settings, packages and names at once: one short rule each.

Not here: facts that one setting states (`derivations.yaml`).
"""

import re
from collections.abc import Callable

from packaging.version import Version

from kb.core.setups.facts import Place, Value
from kb.core.setups.known_names import capability_of, family_of, quantization_of
from kb.core.setups.readers.draft import Claim, Draft, Rank, agreed
from kb.core.versions import as_version

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
    if "deepspeed" in draft.read_kinds and "deepspeed.zero_optimization.overlap_comm" not in draft.settings:
        is_third = stage is not None and str(stage.value) == "3"
        draft.add_fact("zero_overlap_comm", is_third, Place("default of deepspeed"), Rank.DEFAULT)


def _accelerate_plugins(draft: Draft) -> None:
    """What Accelerate shards with, and the versions that it takes by itself."""
    claim = _value(draft, "accelerate.distributed_type")
    if claim is None or "accelerate" not in draft.read_kinds:
        return
    kind, place = str(claim.value).lower(), claim.place
    if kind == "fsdp" and "accelerate.fsdp_config.fsdp_version" not in draft.settings:
        draft.add_fact("fsdp_version", 1, place, Rank.DEFAULT)
    if kind == "deepspeed" and not draft.settings.keys() & {
        "accelerate.deepspeed_config.zero_stage",
        "accelerate.deepspeed_config.deepspeed_config_file",
    }:
        draft.add_fact("zero_stage", 2, place, Rank.DEFAULT)


def _without_deepspeed(draft: Draft) -> None:
    """A configuration of training that names no DeepSpeed file, started without one, trains without ZeRO."""
    is_open = any(reference.kind in GOVERNED for reference in draft.references)
    if is_open or "accelerate" in draft.programs or "zero_stage" in draft.facts:
        return
    for kind in ("llamafactory", "axolotl", "transformers"):
        is_governed = kind in draft.read_kinds and not {f"{kind}.deepspeed"} & (draft.settings.keys() | draft.unread)
        is_shown = kind != "transformers" or draft.has_command
        if is_governed and is_shown:
            draft.add_fact("zero_stage", 0, Place(f"default of {kind}"), Rank.DEFAULT)


def _fsdp(draft: Draft) -> None:
    for kind in ("transformers", "llamafactory", "axolotl"):
        claim = _value(draft, f"{kind}.fsdp")
        has_version = any(draft.settings.get(f"{kind}.{key}") for key in VERSION_KEYS)
        if claim is not None and not has_version:
            is_on = is_given(claim.value)
            draft.add_fact("fsdp_version", 1 if is_on else 0, claim.place)


def _quantized_by_bitsandbytes(draft: Draft) -> None:
    claim = _value(draft, "bitsandbytes.load_in_4bit")
    if claim is not None and yes(claim.value):
        kind = _value(draft, "bitsandbytes.bnb_4bit_quant_type")
        draft.add_fact("quantization", str(kind.value).lower() if kind else "fp4", claim.place)


def _lora(draft: Draft) -> None:
    if "peft" in draft.read_kinds or any(setting.startswith("peft.") for setting in draft.settings):
        place = next((c[0].place for s, c in draft.settings.items() if s.startswith("peft.")), Place("script"))
        draft.add_fact("lora", True, place)


def _torch(draft: Draft) -> None:
    """CUDA, ROCm or neither, by the local version of PyTorch."""
    for allowed, place, rank in draft.packages.get("torch", []):
        local = re.search(r"\+(cu|rocm|cpu)([\d.]*)", allowed.text) if allowed is not None else None
        if local is None:
            continue
        if local[1] == "cu" and len(local[2]) >= 3:
            draft.add_fact("cuda", f"{local[2][:-1]}.{local[2][-1]}", place, rank)
        if local[1] == "rocm" and as_version(local[2]) is not None:
            draft.add_fact("rocm", local[2], place, rank)
        draft.add_fact("cpu_only", local[1] == "cpu", place, rank)


def _nccl(draft: Draft) -> None:
    for allowed, place, rank in draft.packages.get("nvidia/nccl", []):
        if allowed is not None and allowed.exact is not None:
            draft.add_fact("nccl", str(allowed.exact), place, rank)


def _processes(draft: Draft) -> None:
    """World size, nodes and processes on one: two of them give the third."""
    world, nodes, each = (agreed(draft.facts.get(name, [])) for name in ("world_size", "nodes", "gpus_per_node"))
    if world is None and nodes is not None and each is not None:
        draft.add_fact("world_size", int(nodes.value) * int(each.value), each.place, min(nodes.rank, each.rank))
    if each is None and world is not None and nodes is not None and int(nodes.value) > 0:
        number, rest = divmod(int(world.value), int(nodes.value))
        if rest == 0:
            draft.add_fact("gpus_per_node", number, world.place, min(world.rank, nodes.rank))


def _engine_world(draft: Draft) -> None:
    """A serving engine starts one process for each part of the model."""
    if not draft.programs & {"vllm", "sglang"}:
        return
    sizes = [agreed(draft.facts.get(name, [])) for name in ("tensor_parallel", "pipeline_parallel", "data_parallel")]
    known = [size for size in sizes if size is not None]
    if known:
        product = 1
        for size in known:
            product *= int(size.value)
        draft.add_fact("world_size", product, known[0].place, Rank.DEFAULT)


PLACEHOLDER = re.compile(r"[<$%{]")


def _model(draft: Draft) -> None:
    """Family, kind and quantization by the model's name; a variable or gap is no name."""
    draft.facts["model"] = [claim for claim in draft.facts["model"] if not PLACEHOLDER.match(str(claim.value))]
    model = agreed(draft.facts["model"])
    if model is None:
        return
    family = family_of(str(model.value))
    if family is not None:
        draft.add_fact("model_family", family.family, model.place, model.rank)
        draft.add_fact("moe", family.moe, model.place, model.rank)
        draft.add_fact("multimodal", family.multimodal, model.place, model.rank)
    quantization = quantization_of(str(model.value))
    if quantization is not None and "quantization" not in draft.facts:
        draft.add_fact("quantization", quantization, model.place, Rank.IMAGE)


def _gpus(draft: Draft) -> None:
    """Compute capability, and CUDA, by the GPU's name."""
    for claim in draft.facts.get("gpu", [])[:64]:
        capability = capability_of(str(claim.value))
        if capability is not None:
            draft.add_fact("compute_capability", capability, claim.place, claim.rank)
            draft.add_fact("device", "cuda", claim.place, Rank.IMAGE)


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
    open_keys = {f"{kind}.{key}" for kind in trains for key in ("bf16", "fp16")} & draft.unread
    if trains and "precision" not in draft.facts and not open_keys:
        draft.add_fact("precision", "fp32", Place(f"default of {sorted(trains)[0]}"), Rank.DEFAULT)


HALVES = {"float16": "fp16", "half": "fp16", "bfloat16": "bf16", "float32": "fp32"}


def _attention(draft: Draft) -> None:
    """Transformers takes PyTorch's attention where a script loads a model and asks for no other."""
    asked = {"model.attn_implementation", "model.use_flash_attention_2"} & (draft.settings.keys() | draft.unread)
    if "model" in draft.read_kinds and not asked and "unsloth" not in draft.names:
        draft.add_fact("attention", "sdpa", Place("default of transformers"), Rank.DEFAULT)


def _vllm_engine(draft: Draft) -> None:
    """Since 0.11 vLLM has one engine; from 0.8 on the new one is taken where nothing asks for the other."""
    if not {"vllm"} & (draft.programs | draft.read_kinds) and "vllm" not in draft.packages:
        return
    for allowed, place, rank in draft.packages.get("vllm", []):
        if allowed is None or allowed.low is None:
            continue
        if allowed.is_from(Version("0.11")):
            draft.add_fact("vllm_engine", "v1", place, rank)
        elif allowed.is_below(Version("0.7")):
            draft.add_fact("vllm_engine", "v0", place, rank)
        elif allowed.is_from(Version("0.8")) and not allowed.is_from(Version("0.11")):
            draft.add_fact("vllm_engine", "v1", place, Rank.DEFAULT)


def _vllm_defaults(draft: Draft) -> None:
    """The new engine caches prefixes and cuts prefills by itself."""
    engine = agreed(draft.facts.get("vllm_engine", []))
    if "vllm" in draft.read_kinds and engine is not None:
        place = Place("default of vllm")
        draft.add_fact("prefix_caching", engine.value == "v1", place, Rank.DEFAULT)
        if engine.value == "v1":
            draft.add_fact("chunked_prefill", True, place, Rank.DEFAULT)
    if "vllm" in draft.read_kinds and "ray" not in draft.programs and "executor" not in draft.facts:
        draft.add_fact("nodes", 1, Place("default of vllm"), Rank.DEFAULT)


STARTS_MORE = {"notebook_launcher", "spawn", "debug_launcher", "launch", "ray", "Pool", "Process"}


def _single_process(draft: Draft) -> None:
    """A training script that is started by Python alone, and starts no others, is one process."""
    is_shown = draft.has_script and draft.programs == {"python"} and "lightning" not in draft.read_kinds
    if is_shown and not draft.names & STARTS_MORE:
        launcher = agreed(draft.facts.get("launcher", []))
        if launcher is not None and launcher.value == "python" and "engine" not in draft.facts:
            draft.add_fact("world_size", 1, launcher.place, Rank.DEFAULT)
            draft.add_fact("nodes", 1, launcher.place, Rank.DEFAULT)


def _trains_from_start(draft: Draft) -> None:
    """A script that trains and names no checkpoint to go on from starts anew."""
    trains = draft.has_script and "trainer" in draft.facts and "train" in draft.names
    if trains and not draft.names & {"resume_from_checkpoint", "load_state", "load_checkpoint"}:
        draft.add_fact("resumes", False, draft.facts["trainer"][0].place, Rank.DEFAULT)
    if draft.has_script and any(name.startswith("deepspeed.checkpointing") for name in draft.names):
        draft.add_fact("deepspeed_checkpointing", True, Place("script"))


def _absent_packages(draft: Draft) -> None:
    """What is not installed is not used."""
    if not draft.lists_all_packages:
        return
    place = Place("list of packages")
    if "deepspeed" not in draft.packages:
        draft.add_fact("zero_stage", 0, place, Rank.DEFAULT)
    if not {"peft", "vllm", "sglang", "unsloth", "ggml-org/llama.cpp"} & draft.packages.keys():
        draft.add_fact("lora", False, place, Rank.DEFAULT)


RULES: tuple[Callable[[Draft], None], ...] = (
    _model,
    _gpus,
    _without_peft,
    _precision,
    _attention,
    _vllm_engine,
    _vllm_defaults,
    _single_process,
    _trains_from_start,
    _absent_packages,
    _overlap,
    _accelerate_plugins,
    _fsdp,
    _quantized_by_bitsandbytes,
    _lora,
    _torch,
    _nccl,
    _processes,
    _without_deepspeed,
    _engine_world,
)
