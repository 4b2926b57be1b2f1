"""Which engine of vLLM runs, and what it does by itself, by its version.

Not here: what its flags say (`derivations.yaml`).
"""

import re

from packaging.version import Version

from kb.core.setups.facts import Place
from kb.core.setups.readers.draft import Draft, Rank, agreed

# What vLLM's new engine could not do at first.
OLD_ENGINE = {
    "kv_cache_dtype": re.compile("fp8"),
    "compute_capability": re.compile("[3-7][.]"),
    "device": re.compile("rocm|tpu|xpu|cpu|npu"),
    "speculative": re.compile("true"),
}


def vllm_engine(draft: Draft) -> None:
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
        elif allowed.is_from(Version("0.8")) and not _may_fall_back(draft):
            draft.add_fact("vllm_engine", "v1", place, Rank.DEFAULT)


def _may_fall_back(draft: Draft) -> bool:
    """Whether vLLM 0.8 to 0.10 may take the old engine for what the new one could not do yet."""
    if "vllm-ascend" in draft.packages:
        return True
    known = {fact: str(claim.value) for fact in OLD_ENGINE if (claim := agreed(draft.facts.get(fact, [])))}
    return any(OLD_ENGINE[fact].match(value.lower()) for fact, value in known.items())


def vllm_defaults(draft: Draft) -> None:
    """The new engine caches prefixes and cuts prefills by itself."""
    engine = agreed(draft.facts.get("vllm_engine", []))
    if "vllm" in draft.read_kinds and engine is not None:
        place = Place("default of vllm")
        draft.add_fact("prefix_caching", engine.value == "v1", place, Rank.DEFAULT)
        if engine.value == "v1":
            draft.add_fact("chunked_prefill", True, place, Rank.DEFAULT)
    if "vllm" in draft.read_kinds and "ray" not in draft.programs and "executor" not in draft.facts:
        draft.add_fact("nodes", 1, Place("default of vllm"), Rank.DEFAULT)
