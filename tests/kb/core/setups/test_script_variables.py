"""What follows from variables that scripts set, and from the names of GPUs."""

import pytest

from kb.core.setups.reading import read_setup

SCRIPT = """\
import os
os.environ["VLLM_USE_V1"] = "0"
LEVEL = "INFO"
os.environ["NCCL_DEBUG"] = LEVEL
os.environ.setdefault("FSDP_VERSION", "2")
os.environ["CUDA_VISIBLE_DEVICES"] = pick()
settings["HF_HOME"] = "/cache"
"""


def test_variables_of_a_script_are_read_where_their_value_stands_there() -> None:
    setup = read_setup([("run.py", SCRIPT)])
    values = {name: (fact.value, fact.place.line) for name, fact in setup.variables.items()}
    assert values == {"VLLM_USE_V1": ("0", 2), "NCCL_DEBUG": ("INFO", 4), "FSDP_VERSION": ("2", 5)}
    assert (setup.facts["vllm_engine"].value, setup.facts["fsdp_version"].value) == ("v0", 2)


@pytest.mark.parametrize(
    ("gpu", "device"),
    [
        ("AMD Instinct MI300X", "rocm"),
        ("Radeon RX 7900 XTX", "rocm"),
        ("NVIDIA A100-SXM4-80GB", "cuda"),
        ("Tesla T4", "cuda"),
    ],
)
def test_a_gpu_says_what_kind_of_device_it_is(gpu: str, device: str) -> None:
    assert read_setup([("gpus.txt", f"GPU 0: {gpu}\n")]).facts["device"].value == device


@pytest.mark.parametrize(
    ("text", "capability"),
    [
        ("GPU 0: NVIDIA L20X\n", "9.0"),
        ("GPU 0: NVIDIA L20\n", "8.9"),
        ("GPU: NVIDIA L20\nGPU Compute Capability: 9.0\n", "9.0"),
    ],
)
def test_a_stated_compute_capability_counts_more_than_a_name(text: str, capability: str) -> None:
    assert read_setup([("gpus.txt", text)]).facts["compute_capability"].value == capability


@pytest.mark.parametrize(
    ("version", "command", "gpu", "engine"),
    [
        ("0.8.4", "vllm serve a/b", "NVIDIA A100", "v1"),
        ("0.8.4", "vllm serve a/b --kv-cache-dtype fp8", "NVIDIA A100", None),
        ("0.8.4", "vllm serve a/b --port 80", "Tesla T4", None),
        ("0.8.4", "VLLM_USE_V1=1 vllm serve a/b --port 80", "Tesla T4", "v1"),
        ("0.11.0", "vllm serve a/b --kv-cache-dtype fp8", "NVIDIA A100", "v1"),
        ("0.6.3", "vllm serve a/b --kv-cache-dtype fp8", "NVIDIA A100", "v0"),
    ],
)
def test_the_new_engine_is_not_taken_for_granted_where_the_old_one_was_fallen_back_to(
    version: str, command: str, gpu: str, engine: str | None
) -> None:
    setup = read_setup([("env.txt", f"vllm=={version}\n"), ("gpus.txt", f"GPU 0: {gpu}\n"), ("run.sh", command)])
    fact = setup.facts.get("vllm_engine")
    assert (fact.value if fact else None) == engine


@pytest.mark.parametrize(("value", "cuda"), [("12.4", "12.4"), (":12.4", None), ("none", None)])
def test_the_summary_of_a_build_names_cuda_only_by_a_version(value: str, cuda: str | None) -> None:
    summary = (
        f"PyTorch built with:\n  - Build settings: BLAS_INFO=mkl, CUDA_VERSION={value}, USE_CUDA=ON, USE_NCCL=1, \n"
    )
    fact = read_setup([("build.txt", summary)]).facts.get("cuda")
    assert (fact.value if fact else None) == cuda
