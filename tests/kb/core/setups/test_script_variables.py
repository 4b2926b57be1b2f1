"""Variables that scripts set, and what AMD's names of GPUs say."""

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
