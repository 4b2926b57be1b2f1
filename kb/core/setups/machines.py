"""What names, packages and launchers say of the model, the machine and its processes: one short rule each.

Rules of training are in `inferring.py`.
"""

import re
from collections.abc import Callable

from kb.core.setups.known_names import capability_of, family_of, quantization_of
from kb.core.setups.readers.draft import Draft, Rank, agreed
from kb.core.setups.vllm_rules import vllm_defaults, vllm_engine
from kb.core.versions import as_version

AMD = re.compile(r"^(?:amd|instinct|radeon)\b|\bmi\d{2,3}[ax]?\b")
PLACEHOLDER = re.compile(r"[<$%{]")
LOCAL = re.compile(r"\+(cu|rocm|cpu)([\d.]*)")
STARTS_MORE = {"notebook_launcher", "spawn", "debug_launcher", "launch", "ray", "Pool", "Process"}


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
    """Compute capability, and CUDA or ROCm, by the GPU's name."""
    is_stated = "compute_capability" in draft.facts
    for claim in draft.facts.get("gpu", [])[:64]:
        capability = capability_of(str(claim.value))
        if capability is not None:
            if not is_stated:
                draft.add_fact("compute_capability", capability, claim.place, claim.rank)
            draft.add_fact("device", "cuda", claim.place, Rank.IMAGE)
        elif AMD.search(str(claim.value)):
            # PyTorch calls these CUDA devices as well.
            draft.add_fact("device", "rocm", claim.place, Rank.RUNNING)


def _torch(draft: Draft) -> None:
    """CUDA, ROCm or neither, by the local version of PyTorch; a lock file may hold several builds."""
    entries = draft.packages.get("torch", [])
    best = max((rank for _, _, rank in entries), default=Rank.DEFAULT)
    told = [(LOCAL.search(allowed.text), place) for allowed, place, rank in entries if allowed and rank == best]
    if not told or len({match and match[0] for match, _ in told}) > 1:
        return
    match, place = told[0]
    if match is None:
        return
    if match[1] == "cu" and len(match[2]) >= 3:
        draft.add_fact("cuda", f"{match[2][:-1]}.{match[2][-1]}", place, best)
    if match[1] == "rocm" and as_version(match[2]) is not None:
        draft.add_fact("rocm", match[2], place, best)
    draft.add_fact("cpu_only", match[1] == "cpu", place, best)


def _npu(draft: Draft) -> None:
    """PyTorch's part for Ascend is installed where Ascend is used."""
    for _, place, rank in draft.packages.get("torch-npu", []):
        draft.add_fact("device", "npu", place, rank)


def _nccl(draft: Draft) -> None:
    for allowed, place, rank in draft.packages.get("nvidia/nccl", []):
        if allowed is not None and allowed.exact is not None:
            draft.add_fact("nccl", str(allowed.exact), place, rank)


def _single_process(draft: Draft) -> None:
    """A training script that is started by Python alone, and starts no others, is one process."""
    is_shown = draft.has_script and draft.programs == {"python"} and "lightning" not in draft.read_kinds
    if is_shown and not draft.names & STARTS_MORE:
        launcher = agreed(draft.facts.get("launcher", []))
        if launcher is not None and launcher.value == "python" and "engine" not in draft.facts:
            draft.add_fact("world_size", 1, launcher.place, Rank.DEFAULT)
            draft.add_fact("nodes", 1, launcher.place, Rank.DEFAULT)


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


MACHINE_RULES: tuple[Callable[[Draft], None], ...] = (
    _model,
    _gpus,
    _torch,
    _npu,
    _nccl,
    _single_process,
    _processes,
    vllm_engine,
    vllm_defaults,
    _engine_world,
)
