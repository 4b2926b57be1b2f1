"""Versions and hardware that do not go together."""

import pytest

from kb.core.setups.facts import Value
from kb.core.setups.incompatibilities import incompatibilities
from kb.core.setups.judging import findings
from tests.kb.core.setups.setups import setup


@pytest.mark.parametrize(
    ("packages", "facts", "part", "verdict"),
    [
        ({}, {"cuda": "13.0", "driver": "550.54.14"}, "CUDA 13, which this driver", "may"),
        ({}, {"cuda": "12.4", "driver": "470.82.01"}, "CUDA 12, which this driver", "may"),
        ({}, {"compute_capability": "12.0", "cuda": "12.4"}, "Blackwell", "affects"),
        ({}, {"compute_capability": "7.0", "cuda": "13.0"}, "before Turing", "affects"),
        ({}, {"attention": "flash_attention_2", "compute_capability": "7.5"}, "FlashAttention 2 needs", "affects"),
        ({}, {"attention": "flash_attention_3", "compute_capability": "10.0"}, "FlashAttention 3 needs", "may"),
        ({"deepspeed": "0.18.0"}, {"cuda_toolkit": "12.8", "cuda": "13.0"}, "DeepSpeed refuses", "may"),
        ({"deepspeed": "0.9.0"}, {"cuda_toolkit": "12.1", "cuda": "11.8"}, "DeepSpeed refuses", "may"),
        ({"torch": "2.8.0"}, {"compute_capability": "6.1", "cuda": "12.8"}, "before Volta", "may"),
        ({"torch": "2.5.1"}, {"torch_compile": True, "python": "3.13.1"}, "Python 3.13", "affects"),
        ({"torch": "2.6.0+cu124", "torchvision": "0.20.1"}, {}, "torchvision is built for another", "may"),
        ({"torch": "2.7.1", "flash-attn": "2.7.4.post1"}, {}, "undefined symbol", "may"),
        ({"nvidia-nccl-cu11": "2.19.3", "nvidia-nccl-cu12": "2.21.5"}, {}, "side by side", "may"),
        ({"torch": "2.7.1", "nvidia-nccl-cu12": "2.21.5"}, {}, "older than the one that PyTorch 2.7", "may"),
        ({"transformers": "4.50.3"}, {"model_family": "qwen3_moe"}, "Qwen 3", "affects"),
        ({"numpy": "2.1.0", "torch": "2.2.2"}, {}, "NumPy 2", "affects"),
    ],
)
def test_what_does_not_go_together_is_told(
    packages: dict[str, str], facts: dict[str, Value], part: str, verdict: str
) -> None:
    (finding,) = findings(setup(packages, facts, is_whole=True), incompatibilities())
    assert part in finding.fault.title
    assert finding.verdict == verdict
    assert finding.fault.workaround
    assert bool(finding.missing) == (verdict == "may")


@pytest.mark.parametrize(
    ("packages", "facts"),
    [
        ({}, {"cuda": "12.8", "driver": "570.86.10", "compute_capability": "12.0"}),
        ({"torch": "2.6.0+cu124", "torchvision": "0.21.0+cu124", "nvidia-nccl-cu12": "2.21.5", "numpy": "2.2"}, {}),
        ({"torch": "2.6.0"}, {}),
        ({"torch": "2.8.0"}, {"compute_capability": "6.1", "cuda": "12.6"}),
        ({"torch": "2.6.0"}, {"torch_compile": True, "python": "3.13.1"}),
        # SGLang brings a build of its own, that Ampere runs as well.
        ({}, {"attention": "fa3", "compute_capability": "8.0"}),
        ({"deepspeed": "0.18.0"}, {"cuda_toolkit": "12.4", "cuda": "12.8"}),
        ({"torch": ">=2.1", "torchvision": ">=0.16"}, {}),
        ({"vllm": "0.8.5.post1", "torch": "2.6.0+cu124"}, {"engine": "vllm"}),
        ({"torch": "2.7.1", "flash-attn": "2.8.3"}, {"attention": "flash_attention_2", "compute_capability": "8.0"}),
        ({"transformers": "4.51.0"}, {"model_family": "qwen3"}),
    ],
)
def test_what_goes_together_or_is_not_known_to_clash_is_not(packages: dict[str, str], facts: dict[str, Value]) -> None:
    assert not findings(setup(packages, facts, is_whole=True), incompatibilities())


def test_each_has_a_source_and_says_what_to_change() -> None:
    known = incompatibilities()
    assert len(known) >= 15
    for each in known:
        assert each.url.startswith("https://")
        assert each.workaround.endswith(".")
