"""One fact, stated in the several ways that users have: flags, scripts, files that a command names."""

import pytest

from kb.core.setups.conditions import compiled
from kb.core.setups.facts import Setup
from kb.core.setups.reading import read_setup

SERVE = "from vllm import LLM\nllm = LLM('Qwen/Qwen3-8B', {})\n"
SGLANG = "import sglang as sgl\nengine = sgl.Engine(model_path='Qwen/Qwen3-8B', {})\n"
ADAMW = "import torch\noptimizer = torch.optim.AdamW(model.parameters(), {})\n"
ARGUMENTS = "from transformers import TrainingArguments\nargs = TrainingArguments('out', {})\n"
CLIENT = "from openai import OpenAI\nOpenAI().chat.completions.create(model='m', messages=[], {})\n"
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
        ("import torch\nf(x, options={'fused': None})\n", 'uses("fused")', False),
        # Dictionaries by a call.
        (
            ARGUMENTS.format("gradient_checkpointing_kwargs=dict(use_reentrant=False)"),
            'setting("transformers.gradient_checkpointing_kwargs.use_reentrant") == False',
            True,
        ),
        # What a client asks for.
        (CLIENT.format("extra_body={'guided_json': schema}"), "structured_output", True),
        (CLIENT.format("response_format=Answer"), "structured_output", True),
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


@pytest.mark.parametrize("start", ["build: .", "image: vllm/vllm-openai:v0.6.4"])
def test_a_service_of_compose_is_read_whether_its_image_is_named_or_built(start: str) -> None:
    compose = f"services:\n  llm:\n    {start}\n    command: [vllm, serve, a/b, --tool-call-parser, hermes]\n"
    assert compiled('flag("--tool-call-parser") == "hermes"')(read(compose)).holds is True


def test_the_new_engine_is_not_taken_for_granted_on_ascend() -> None:
    assert "vllm_engine" not in read("vllm==0.8.4\nvllm-ascend==0.8.4rc1\n", "vllm serve a/b --port 80\n").facts
