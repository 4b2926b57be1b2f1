"""One fact, stated in the several ways that users have: flags, scripts, files that a command names."""

import pytest

from kb.core.setups.conditions import compiled
from kb.core.setups.facts import Setup
from kb.core.setups.reading import read_setup

SERVE = "from vllm import LLM\nllm = LLM('Qwen/Qwen3-8B', {})\n"
OPTIONS = "from vllm import LLM\noptions = {{'model': 'a/b', 'tensor_parallel_size': 2}}\n{}\nllm = LLM(**options)\n"
SGLANG = "import sglang as sgl\nengine = sgl.Engine(model_path='Qwen/Qwen3-8B', {})\n"
ADAMW = "import torch\noptimizer = torch.optim.AdamW(model.parameters(), {})\n"
ARGUMENTS = "from transformers import TrainingArguments\nargs = TrainingArguments('out', {})\n"
CLIENT = "from openai import OpenAI\nOpenAI().chat.completions.create(model='m', messages=[], {})\n"
FSDP = "from torch.distributed.fsdp import *\nmodel = FullyShardedDataParallel(model, {})\n"
FULL = 'fsdp_state_dict == "full"'
NOTEBOOK = '{"cells": [{"cell_type": "code", "source": ["%env VLLM_USE_V1=0\\n", "import vllm"]}]}'
SERVE_FILE = "model: Qwen/Qwen3-8B\ntokenizer-mode: mistral\nport: 8000\n"


def read(*contents: str) -> Setup:
    return read_setup([(f"text-{number}.txt", content) for number, content in enumerate(contents)])


@pytest.mark.parametrize(
    ("text", "condition", "expected"),
    [
        # A flag of an engine, as an argument of a script.
        (SERVE.format("async_scheduling=True"), 'flag("--async-scheduling")', True),
        (SERVE.format("async_scheduling=False"), 'flag("--async-scheduling")', False),
        (SERVE.format("num_scheduler_steps=8"), 'flag("--num-scheduler-steps") > 1', True),
        (SERVE.format("max_model_len=8"), 'flag("--num-scheduler-steps") > 1', False),
        (SERVE.format("**options"), 'flag("--num-scheduler-steps") > 1', None),
        (SGLANG.format("enable_hierarchical_cache=True"), 'flag("--enable-hierarchical-cache")', True),
        ("vllm serve a/b -dp 4\n", 'flag("--data-parallel-size") == 4', True),
        ("vllm serve --config serve.yaml\n", 'flag("--tokenizer-mode") == "mistral"', None),
        ("torchrun --nnodes=1:4 train.py\n", '":" in flag("--nnodes")', True),
        ("torchrun --nnodes=10 train.py\n", '":" in flag("--nnodes")', False),
        ("torchrun --nnodes=$NODES train.py\n", '":" in flag("--nnodes")', False),
        # A keyword that switches off names no use.
        (ADAMW.format("fused=True"), 'uses("fused") and "fused" in optimizer', True),
        (ADAMW.format("fused=False"), 'uses("fused") or "fused" in optimizer', False),
        (ADAMW.format("lr=1e-4"), 'uses("fused") or "fused" in optimizer', False),
        (ADAMW.format("**options"), '"fused" in optimizer', None),
        ("import torch\ntorch.optim.Adam(model.parameters(), fused=True)\n", 'optimizer == "adam_fused"', True),
        ("[model]\nflavor = '8B'\n\n[training]\nsteps = 9\nseq_len = 8\n", "fsdp_cpu_offload", False),
        ("import torch\nf(x, options={'fused': None})\n", 'uses("fused")', False),
        # Dictionaries by a call.
        (
            ARGUMENTS.format("gradient_checkpointing_kwargs=dict(use_reentrant=False)"),
            'setting("transformers.gradient_checkpointing_kwargs.use_reentrant") == False',
            True,
        ),
        (SERVE.format("**dict(tensor_parallel_size=2)"), "tensor_parallel == 2 and pipeline_parallel == 1", True),
        ("options = {'fp16': True}\n" + ARGUMENTS.format("**options"), 'precision == "fp16"', True),
        # What a dictionary gets later is not known, nor what it lacks.
        (OPTIONS.format("options['tensor_parallel_size'] = size"), "tensor_parallel == 2", None),
        (OPTIONS.format("options['dtype'] = 'half'"), "tensor_parallel == 2", True),
        (OPTIONS.format("options['dtype'] = 'half'"), "enforce_eager", None),
        (OPTIONS.format("options.update(more)"), "tensor_parallel == 2", None),
        ("import deepspeed\nconfig = dict(zero_optimization=dict(stage=3))\n", "zero_stage == 3", True),
        # FSDP and mixed precision by their own classes.
        (FSDP.format("cpu_offload=CPUOffload(offload_params=True)"), "fsdp_cpu_offload", True),
        (FSDP.format("cpu_offload=CPUOffload(False)"), "fsdp_cpu_offload", False),
        (FSDP.format("mixed_precision=MixedPrecision(param_dtype=torch.bfloat16)"), 'precision == "bf16"', True),
        (FSDP.format("x") + "model.set_state_dict_type(model, StateDictType.SHARDED_STATE_DICT)", FULL, False),
        ("from accelerate import *\nFullyShardedDataParallelPlugin(state_dict_type='FULL_STATE_DICT')\n", FULL, True),
        ("import torch\nwith torch.autocast('cuda', torch.float16):\n    step()\n", 'precision == "fp16"', True),
        ("import torch\n@torch.compile\ndef step(x):\n    return x\n", "torch_compile", True),
        # Variables of the environment.
        ("import os\nos.environ.update({'VLLM_USE_V1': '0'})\n", 'env("VLLM_USE_V1") == "0"', True),
        ("import os\nos.environ.update(VLLM_USE_V1='0')\n", 'env("VLLM_USE_V1") == "0"', True),
        (NOTEBOOK, 'env("VLLM_USE_V1") == "0"', True),
        # Commands as they stand in services, and Python's own options.
        ("[Service]\nExecStart=/opt/venv/bin/vllm serve a/b -tp 2\n", "tensor_parallel == 2", True),
        ("python3 -u -m vllm.entrypoints.openai.api_server --model a/b -tp 2\n", "tensor_parallel == 2", True),
        ("python -u train.py --bf16 --optim adamw_torch --output_dir out\n", 'precision == "bf16"', True),
        # Packages.
        ("peft @ git+https://github.com/huggingface/peft@v0.14.0\n", 'version("peft") == "0.14.0"', True),
        ("peft @ git+https://github.com/huggingface/peft.git@v0.14.0#egg=peft\n", 'version("peft") == "0.14.0"', True),
        ("peft @ git+https://github.com/huggingface/peft@v0.14-branch\n", 'version("peft") == "0.14.0"', None),
        ("peft @ git+https://github.com/huggingface/peft@4f1a2b3\n", 'version("peft") == "0.14.0"', None),
        ("pip install git+https://github.com/huggingface/peft@v0.14.0\n", 'version("peft") == "0.14.0"', True),
        ("pip install git+https://github.com/huggingface/peft\n", 'version("peft") == "0.14.0"', None),
        ("-e git+https://github.com/huggingface/peft@v0.14.0#egg=peft\n", 'version("peft") == "0.14.0"', True),
        ("torch==2.5.1\ntorch-npu==2.5.1\n", 'device == "npu"', True),
        # What a client asks for.
        (CLIENT.format("extra_body={'guided_json': schema}"), "structured_output", True),
        (CLIENT.format("response_format=Answer"), "structured_output", True),
        (CLIENT.format("response_format={'type': 'text'}"), "structured_output", None),
        (CLIENT.format("response_format={'type': 'json_object'}"), "structured_output", True),
        (CLIENT.format("response_format=None"), "structured_output", None),
        # A folder that names no model may hold any.
        ("vllm serve /models/current --dtype half\n", '"gemma-3" in model', None),
        ("vllm serve s3://bucket/best\n", '"gemma-3" in model', None),
        ("vllm serve /models/llama-3-8b --dtype half\n", '"gemma-3" in model', False),
        ("vllm serve ./gemma-3-4b\n", '"gemma-3" in model', True),
        ("vllm serve facebook/opt-125m\n", '"gemma-3" in model', False),
    ],
)
def test_a_fact_is_known_however_it_is_stated(text: str, condition: str, expected: bool | None) -> None:
    assert compiled(condition)(read(text)).holds is expected


def test_a_file_that_a_command_names_holds_the_rest_of_its_flags() -> None:
    setup = read("vllm serve --config text-1.txt\n", SERVE_FILE)
    assert compiled('flag("--tokenizer-mode") == "mistral"')(setup).holds is True
    assert compiled('flag("--enable-lora")')(setup).holds is False


@pytest.mark.parametrize(
    "start",
    [
        "build: .",
        "image: vllm/vllm-openai:v0.6.4",
        "image: {repository: vllm/vllm-openai, tag: v0.6.4}",
        "repository: vllm/vllm-openai\n    tag: v0.6.4",
    ],
)
def test_a_container_is_read_whether_its_image_is_built_or_named_in_one_or_two_parts(start: str) -> None:
    compose = f"services:\n  llm:\n    {start}\n    command: [vllm, serve, a/b, --tool-call-parser, hermes]\n"
    setup = read(compose)
    assert compiled('flag("--tool-call-parser") == "hermes"')(setup).holds is True
    assert ("vllm" in setup.packages) is ("v0.6.4" in start)


def test_the_new_engine_is_not_taken_for_granted_on_ascend() -> None:
    assert "vllm_engine" not in read("vllm==0.8.4\nvllm-ascend==0.8.4rc1\n", "vllm serve a/b --port 80\n").facts


def test_a_file_of_shell_fills_in_its_variables_without_further_marks() -> None:
    setup = read_setup([("serve.sh", "TP=4\nvllm serve a/b --tensor-parallel-size $TP\n")])
    assert setup.facts["tensor_parallel"].value == 4
