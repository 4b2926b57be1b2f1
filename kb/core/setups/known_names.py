"""What the names of models and GPUs say: family, quantization, compute capability. The tables are YAML files here."""

import re
from functools import cache, lru_cache
from pathlib import Path

from pydantic import TypeAdapter

from kb.core.yaml_files import Strict, read_yaml

MODELS, MACHINES = (Path(__file__).with_name(name) for name in ("models.yaml", "machines.yaml"))
SIGNS = re.compile(r"[-_.\s]")


class Family(Strict):
    """A family of models, as `models.yaml` explains it."""

    part: str
    family: str
    moe: bool = False
    multimodal: bool = False


class Quantization(Strict):
    """A part of a model's name that says how its weights are quantized."""

    part: str
    quantization: str


class _Models(Strict):
    models: tuple[Family, ...]
    quantizations: tuple[Quantization, ...]


@cache
def _models() -> _Models:
    return _Models.model_validate(read_yaml(MODELS))


@cache
def _capabilities() -> list[tuple[re.Pattern[str], str]]:
    """The patterns of names, none of which may begin or end within a number or word: `l4` is not in `l40`."""
    table = TypeAdapter(dict[str, str]).validate_python(read_yaml(MACHINES)["capabilities"])
    return [
        (re.compile(rf"(?<![a-z0-9]){re.escape(part).replace(chr(92) + ' ', '[ -]?')}(?![0-9])"), version)
        for part, version in table.items()
    ]


@lru_cache(maxsize=1024)
def family_of(model: str) -> Family | None:
    """The family that a model's name or path tells."""
    name = SIGNS.sub("", "/".join(re.split(r"[/\\]", model.lower())[-2:]))
    return next((family for family in _models().models if family.part in name), None)


def quantization_of(model: str) -> str | None:
    """How the weights are quantized, if the name tells."""
    return next((each.quantization for each in _models().quantizations if each.part in model.lower()), None)


@lru_cache(maxsize=1024)
def capability_of(gpu: str) -> str | None:
    """The compute capability of an NVIDIA GPU, by its name."""
    return next((version for pattern, version in _capabilities() if pattern.search(gpu.lower())), None)


def gpu_named(text: str) -> str | None:
    """The GPU that a short text names, as it writes it."""
    matches = (pattern.search(text.lower()) for pattern, _ in _capabilities())
    return next((match[0] for match in matches if match), None)
