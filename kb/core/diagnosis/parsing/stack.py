"""Which frameworks a line names, in which version, and whether it speaks of models and accelerators at all."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick

from kb.core.frameworks import read_frameworks

# Beside those that the knowledge base has issues of, by what names them.
OTHERS = {
    "jax": "JAX", "maxtext": "MaxText", "megascale": "Megascale", "ollama": "Ollama", "unsloth": "Unsloth",
    "ggml": "llama.cpp", "xformers": "xFormers", "torch_npu": "torch_npu", "hccl": "HCCL", "rccl": "RCCL",
    "text-generation-inference": "TGI", "text_generation_server": "TGI", "llamafactory-cli": "LLaMA-Factory",
    "tensorrt_llm": "TensorRT-LLM", "swift.llm": "ms-swift", "torchtitan": "torchtitan", "torchtune": "torchtune",
}  # fmt: skip
# Names that are words of their own: believed only before a version, as a module or in an import or a command.
COMMON = frozenset({"accelerate", "ray", "nemo", "lightning", "transformers", "glow", "trl", "peft", "verl", "tvm"})
# Words of the trade. With a star, any word that begins so.
TRADE = (
    "v1/completions", "chat/completions", "api/generate", "api/chat", "llama*",
    "train*", "finetun*", "fine-tun*", "pretrain*", "epoch*", "loss", "tokeniz*", "gradient*", "optimizer*", "tensor*",
    "cuda", "nccl", "gpu*", "tpu*", "npu*", "nvidia*", "nvrm", "xid", "amdgpu", "rocm", "hip", "nvlink", "nvswitch*",
    "mlx5*", "infiniband", "rdma", "llm*", "lora", "qlora", "gguf", "safetensors", "huggingface*", "inference*",
    "prompt*", "kv", "bf16", "fp16", "fp8", "batch_size", "world_size", "torchrun", "slurmstepd", "srun", "allreduce",
    "all_reduce", "all-reduce", "hostfile", "mpirun", "embedding*", "logits", "rank*", "throughput",
)  # fmt: skip
VERSION = re.compile(
    r"(?:\s?==\s?|[-/]|_version['\"]?\s?[:=]\s?['\"]?|"
    r"(?: info)?:?\s(?:\(|(?:(?:api|llm|inference) )?(?:server |engine )?)?(?:version(?: is)?\s?[:=]?\s?)?v?)"
    r"(?P<version>\d+\.\d+(?:\.\d+)?(?:[.+-]?(?:rc|post|dev|a|b|cu|git|rocm|nv)[0-9A-Za-z.]*)*)",
    re.IGNORECASE,
)
IS_MODULE = re.compile(r"\.[a-z_]\w*|/[\w.-]+|::|\s(?:launch|start|job|status)\b")
IMPORTS = re.compile(r"\b(?:import|from|install|module named) ['\"]?$|-m $")
ENGINE = re.compile(r"\bLLM engine \(v(?P<version>\d+\.[\w.+]+)\)")
WORD = re.compile(r"[\w]")


class Named(NamedTuple):
    """A framework that a line names. `slug`: as the knowledge base has it; `version`: empty where it is not told."""

    slug: str
    name: str
    version: str


NAMELESS = Named("", "", "")


class _Words:
    """The names and words, compiled into one search."""

    def __init__(self) -> None:
        self.frameworks: dict[str, tuple[str, str]] = {word: (word, name) for word, name in OTHERS.items()}
        for framework in read_frameworks().frameworks:
            for word in (*framework.packages, framework.name.lower(), framework.slug):
                self.frameworks[word] = (framework.slug, framework.name)
        self.words = [*self.frameworks, *(word.rstrip("*") for word in TRADE)]
        self.open_ended = {number for number, word in enumerate((*self.frameworks, *TRADE)) if word.endswith("*")}
        self.search = AhoCorasick(self.words).find_matches_as_indexes


@lru_cache(maxsize=1)
def _words() -> _Words:
    return _Words()


def is_of_the_trade(text: str) -> bool:
    """Whether the text speaks of models, accelerators or ranks."""
    frameworks = len(_words().frameworks)
    return any(number >= frameworks for number, _, _ in _matches(text))


def named(text: str) -> Iterator[Named]:
    """The frameworks that the text names."""
    engine = ENGINE.search(text)
    if engine is not None:
        yield Named("vllm", "vLLM", engine["version"])
    words = _words()
    for number, start, end in _matches(text):
        if number >= len(words.frameworks):
            continue
        word = words.words[number]
        version = VERSION.match(text, end)
        before, after = text[max(start - 20, 0) : start], text[end : end + 40]
        if word in COMMON and not (version or IS_MODULE.match(after) or IMPORTS.search(before)):
            continue
        slug, name = words.frameworks[word]
        yield Named(slug, name, version["version"].rstrip(".") if version is not None else "")


def _matches(text: str) -> Iterator[tuple[int, int, int]]:
    """The words in the text that stand for themselves: their numbers, where they begin and end."""
    words = _words()
    for number, start, end in words.search(text.lower(), overlapping=True):
        is_closed = number in words.open_ended or not WORD.match(text, end) or text.startswith("_version", end)
        if is_closed and not (start and WORD.match(text[start - 1])):
            yield number, start, end
