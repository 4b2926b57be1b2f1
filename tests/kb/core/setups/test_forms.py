"""Each form is recognised by its content, and says what it says: packages, facts, flags, variables."""

import pytest

from kb.core.setups.facts import Setup
from kb.core.setups.reading import read_setup
from tests.kb.core.setups import runs, texts

# Text, form, versions of packages (None: of a branch), facts.
Expected = tuple[str, str, dict[str, str | None], dict[str, object]]
FORMS: tuple[Expected, ...] = (
    (
        texts.FREEZE,
        "pip freeze",
        {"torch": "2.6.0", "peft": None, "flash-attn": "2.7.4.post1", "nvidia/nccl": "2.21.5", "tools": None},
        {"cuda": "12.4", "cpu_only": False, "nccl": "2.21.5"},
    ),
    (texts.PIP_LIST, "pip list", {"llamafactory": "0.9.4.dev0", "torch": "2.8.0", "nvidia/nccl": "2.27.3"}, {}),
    (
        texts.CONDA_LIST,
        "conda list",
        {"torch": "2.5.1", "transformers": "4.47.0"},
        {"python": "3.11.9", "cuda": "12.4"},
    ),
    (
        texts.CONDA_ENVIRONMENT,
        "conda environment",
        {"torch": "2.4.1", "deepspeed": "0.15.1", "peft": None},
        {"python": "3.11", "cuda": "12.1"},
    ),
    (texts.REQUIREMENTS, "requirements", {"torch": "2.4.1"}, {"cuda": "12.1"}),
    (texts.COMPILED, "compiled requirements", {"torch": "2.4.1", "numpy": "2.1.1"}, {}),
    (texts.UV_LOCK, "uv.lock", {"peft": None, "torch": "2.4.1"}, {}),
    (texts.POETRY_LOCK, "poetry.lock", {"torch": "2.4.1"}, {}),
    (
        texts.TORCH_ENV,
        "torch collect_env",
        {"torch": "2.5.1"},
        {"os": "windows", "python": "3.11.9", "cpu_only": True, "device": "cpu"},
    ),
    (
        texts.ROCM_ENV,
        "torch collect_env",
        {"torch": "2.6.0"},
        {"rocm": "6.2.4", "device": "rocm", "os": "linux", "arch": "x86_64", "cpu_only": False},
    ),
    (
        texts.SGLANG_ENV,
        "sglang check_env",
        {"sglang": "0.4.3.post2", "flashinfer-python": "0.2.1.post2", "torch": "2.5.1"},
        {"gpu": "nvidia h200", "compute_capability": "9.0", "driver": "550.90.07", "cuda_toolkit": "12.4"},
    ),
    (
        texts.DS_REPORT,
        "ds_report",
        {"deepspeed": "0.14.4", "torch": "2.3.0"},
        {"cuda": "12.1", "cuda_toolkit": "12.2", "shm_limited": True},
    ),
    (
        texts.TRANSFORMERS_ENV,
        "transformers env",
        {"transformers": "4.49.0", "accelerate": "1.4.0", "torch": "2.6.0"},
        {"os": "wsl", "gpu": "nvidia geforce rtx 4090", "compute_capability": "8.9", "python": "3.12.3"},
    ),
    (
        texts.ACCELERATE_ENV,
        "Accelerate configuration",
        {"accelerate": "1.2.1", "torch": "2.5.1"},
        {"zero_stage": 3, "zero_offload_optimizer": "cpu", "precision": "bf16", "world_size": 4},
    ),
    (texts.TRL_ENV, "trl env", {"trl": "0.17.0.dev0", "peft": "0.15.2"}, {"gpu": "nvidia h100 80gb hbm3"}),
    (
        texts.NVIDIA_SMI,
        "nvidia-smi",
        {},
        {"driver": "550.54.15", "driver_cuda": "12.4", "gpu": "nvidia l4", "compute_capability": "8.9"},
    ),
    (texts.TORCH_BUILD, "torch build", {"torch": "2.5.1"}, {"torch_distributed": False, "cuda": "12.4"}),
    (
        runs.ACCELERATE_DEEPSPEED,
        "Accelerate configuration",
        {},
        {"zero_stage": 3, "zero_offload_param": "nvme", "fsdp_version": 0, "precision": "fp16", "gpus_per_node": 4},
    ),
    (
        runs.AXOLOTL,
        "Axolotl configuration",
        {},
        {"lora": True, "modules_to_save": True, "quantization": "nf4", "fsdp_version": 2, "task": "kto", "moe": True},
    ),
    (
        runs.TORCHTITAN,
        "torchtitan configuration",
        {},
        {"tensor_parallel": 4, "pipeline_parallel": 2, "torch_compile": True, "async_checkpoint": True},
    ),
    (
        runs.MEGATRON,
        "Slurm script",
        {},
        {"nodes": 4, "world_size": 32, "tensor_parallel": 2, "pipeline_parallel": 4, "moe": True, "precision": "bf16"},
    ),
    (
        runs.DOCKERFILE,
        "Dockerfile",
        {"vllm": "0.6.3", "transformers": "4.45.2"},
        {"engine": "vllm", "tensor_parallel": 4, "attention": "flashinfer", "model_family": "qwen2_vl"},
    ),
    (
        runs.DOCKER_RUN,
        "container image",
        {"vllm": "0.8.5.post1"},
        {"vllm_engine": "v0", "enforce_eager": True, "shm_limited": False, "multimodal": True, "container": True},
    ),
    (
        runs.MANIFEST,
        "manifest of containers",
        {"sglang": "0.4.6.post1"},
        {"engine": "sglang", "tensor_parallel": 4, "cuda": "12.4", "model_family": "qwen3_moe"},
    ),
    (
        runs.SCRIPT,
        "Python script",
        {},
        {
            "trainer": "grpotrainer",
            "task": "grpo",
            "zero_stage": 2,
            "quantization": "nf4",
            "attention": "flash_attention_2",
            "modules_to_save": True,
            "vllm_mode": "colocate",
            "resumes": True,
            "optimizer": "paged_adamw_8bit",
        },
    ),
    (
        runs.CUT_SCRIPT,
        "Python script",
        {},
        {"engine": "vllm", "tensor_parallel": 2, "prefix_caching": True, "quantization": "awq"},
    ),
    (
        runs.PRINTED_ARGUMENTS,
        "Python script",
        {},
        {"precision": "bf16", "optimizer": "adamw_bnb", "saves_checkpoints": True, "evaluates": False},
    ),
    (
        runs.ENGINE_LOG,
        "engine log",
        {"vllm": "0.8.5", "nvidia/nccl": "2.21.5"},
        {"vllm_engine": "v1", "tensor_parallel": 2, "quantization": "fp8", "precision": "bf16", "enforce_eager": True},
    ),
    (
        runs.LLAMA_LOG,
        "llama.cpp build",
        {"ggml-org/llama.cpp": "5215"},
        {"engine": "llama.cpp", "compute_capability": "8.6", "device": "cuda"},
    ),
    (
        runs.CONSOLE,
        "launch command",
        {"deepspeed": "0.14.4"},
        {"zero_stage": 3, "nodes": 2, "world_size": 16, "launcher": "deepspeed"},
    ),
    (
        runs.DEEPSPEED_LOG,
        "DeepSpeed log",
        {"deepspeed": "0.16.3"},
        {"zero_stage": 3, "zero_offload_param": "cpu"},
    ),
    (runs.NOTEBOOK, "Python script", {"trl": "0.12.0"}, {"task": "dpo", "precision": "fp16"}),
    (
        runs.WORDS,
        "words",
        {"deepspeed": "0.14.2", "torch": "2.3", "transformers": "4.41"},
        {"zero_stage": 3, "lora": True, "quantization": "nf4", "compute_capability": "8.0"},
    ),
)


def version(setup: Setup, package: str) -> str | None:
    """The only version that a package may have, as text."""
    allowed = setup.packages[package].allowed
    return str(allowed.exact) if allowed is not None else None


@pytest.mark.parametrize("expected", FORMS, ids=[form for _, form, _, _ in FORMS])
def test_a_form_is_recognised_and_read(expected: Expected) -> None:
    text, form, packages, facts = expected
    setup = read_setup([("pasted", text)])
    assert form in {source.form for source in setup.sources}
    assert {name: version(setup, name) for name in packages} == packages
    assert {name: setup.facts[name].value for name in facts if name in setup.facts} == facts


def test_only_whole_lists_list_all_packages() -> None:
    assert read_setup([("a", texts.FREEZE)]).lists_all_packages
    for text in (texts.REQUIREMENTS, texts.TORCH_ENV, texts.PIP_LIST, texts.FREEZE.replace("torch==2.6.0", "torch>=2")):
        assert not read_setup([("a", text)]).lists_all_packages
    assert not read_setup([("requirements.txt", texts.FREEZE)]).lists_all_packages
    assert not read_setup([("a", f"# what the trainer needs\n{texts.FREEZE}")]).lists_all_packages
    assert read_setup([("a", f"# pip freeze\n{texts.FREEZE}")]).lists_all_packages


def test_ranges_of_requirements_are_kept() -> None:
    packages = read_setup([("a", texts.REQUIREMENTS)]).packages
    assert packages["transformers"].allowed is not None
    assert packages["transformers"].allowed.text == ">=4.44,<4.46"
    assert packages["peft"].allowed is not None
    assert packages["peft"].allowed.low is None or packages["peft"].allowed.exact is None


def test_the_environment_is_a_whole_list_of_variables() -> None:
    setup = read_setup([("a", texts.ENV)])
    assert setup.lists_all_variables
    assert setup.variables["NCCL_P2P_DISABLE"].value == "1"
    assert setup.facts["vllm_engine"].value == "v0"


def test_flags_have_both_spellings_and_a_variable_that_may_hide_flags_leaves_them_unknown() -> None:
    flags = read_setup([("a", "torchrun --nproc-per-node 8 train.py --bf16")]).flags
    assert flags["nproc_per_node"].value == flags["nproc-per-node"].value == 8
    assert read_setup([("a", "torchrun --nproc-per-node 8 train.py --bf16")]).has_command
    assert not read_setup([("a", 'torchrun --nproc-per-node 8 train.py --bf16 "$@"')]).has_command


def test_imports_that_nothing_uses_are_no_use() -> None:
    names = read_setup([("a", runs.SCRIPT)]).names
    assert {"GRPOTrainer", "modules_to_save", "trl"} <= names
    assert "SFTTrainer" not in names


def test_an_argument_that_has_to_be_run_has_no_default() -> None:
    setup = read_setup([("a", "from transformers import TrainingArguments\nTrainingArguments('o', bf16=flags.bf16)")])
    assert "precision" not in setup.facts
    assert "transformers" not in setup.read_kinds


def test_an_excerpt_of_a_script_does_not_say_what_the_rest_lacks() -> None:
    whole, lines = read_setup([("a", runs.SCRIPT)]), runs.SCRIPT.split("\n")
    excerpt = "\n".join(["So I train:", "", "```python", *lines[:8], "```"])
    assert whole.has_script
    assert not read_setup([("a", excerpt)]).has_script
    assert read_setup([("a", excerpt)]).facts["quantization"].value == "nf4"
