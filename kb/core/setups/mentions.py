"""Packages that a set-up has although no text states their version: imported, started, configured, or needed by those.

Not here: packages with a version (`readers/packages.py`).
"""

from kb.core.setups.readers.draft import Draft
from kb.core.versions import package_name

# Modules, programs and kinds of settings that are not called as their package.
CALLED = {
    "flashinfer": "flashinfer-python",
    "lightning": "pytorch-lightning",
    "llama_cpp": "llama-cpp-python",
    "llmtuner": "llamafactory",
    "megatron": "megatron-core",
    "tensorrt_llm": "tensorrt-llm",
    "torchrun": "torch",
}
# What none of them runs without.
NEEDED = {
    "accelerate": ("torch",),
    "axolotl": ("accelerate", "peft", "torch", "transformers", "trl"),
    "deepspeed": ("torch",),
    "llamafactory": ("accelerate", "peft", "torch", "transformers", "trl"),
    "peft": ("accelerate", "torch", "transformers"),
    "sglang": ("torch", "transformers"),
    "trl": ("accelerate", "torch", "transformers"),
    "vllm": ("torch", "transformers"),
}


def mentioned(draft: Draft) -> frozenset[str]:
    """The packages, by their normalised names."""
    words = draft.imports | draft.programs | draft.read_kinds | {reference.kind for reference in draft.references}
    named = {CALLED.get(word, package_name(word)) for word in words}
    return frozenset(named.union(*(NEEDED.get(name, ()) for name in named)))
