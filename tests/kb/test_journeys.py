"""Practitioners' journeys: who types what they see finds a fitting record among the first three results.

Fitting are the records named beside each journey. They are no blind measure of the search, which is `tests/relevance`:
twelve records were written because a journey had none, and fitting ones of the later journeys were named with results
in view.
"""

import pytest
from django.http import QueryDict

from kb.search import search
from tests.support.engines import PutIssuesIn

FIRST = 3
MISSED: set[str] = set()
# What is typed: the fitting records, as owner/name#number.
JOURNEYS: dict[str, tuple[str, ...]] = {
    "training hangs at first step with ZeRO-3 and MoE": (
        "deepspeedai/DeepSpeed#4808",
        "deepspeedai/DeepSpeed#5066",
        "deepspeedai/DeepSpeed#7824",
    ),
    "NCCL watchdog timeout in all_reduce after 30 minutes": (
        "hiyouga/LlamaFactory#2424",
        "axolotl-ai-cloud/axolotl#2267",
    ),
    "loss is NaN with bf16 after resume": ("bitsandbytes-foundation/bitsandbytes#1382",),
    "out of memory only on rank 0 at save": ("Lightning-AI/pytorch-lightning#20312", "pytorch/pytorch#73384"),
    "vLLM engine dead after illegal memory access": (
        "vllm-project/vllm#8230",
        "vllm-project/vllm#10389",
        "vllm-project/vllm#767",
    ),
    "tokenizer mismatch after conversion": ("ggml-org/llama.cpp#3900",),
    "ncclSystemError IB completion with error 12": ("NVIDIA/nccl#426", "NVIDIA/nccl#905"),
    "DataLoader worker killed shared memory": ("pytorch/pytorch#5040",),
    "convert megatron checkpoint to huggingface wrong outputs": ("huggingface/transformers#12004",),
    "LoRA merge changes the outputs": ("huggingface/peft#2321",),
    "disk full while saving checkpoint": ("hiyouga/LlamaFactory#5155", "deepspeedai/DeepSpeed#8003"),
    "torch.compile recompiles every step": ("pytorch/pytorch#120934",),
    "vllm garbage output with GPTQ": ("vllm-project/vllm#10656", "vllm-project/vllm#26343"),
    "multi-node run hangs with ZeRO++ hpZ": ("deepspeedai/DeepSpeed#5030",),
    "loss becomes nan after a few steps with zero++ hpz": ("deepspeedai/DeepSpeed#5059",),
    "loss is 0.0 after two steps with zero++ hpz": ("deepspeedai/DeepSpeed#5059",),
    "deepspeed job does not exit after training finished": ("deepspeedai/DeepSpeed#5205", "deepspeedai/DeepSpeed#1995"),
    "generate() with zero3 stuck, GPUs at 100%": ("deepspeedai/DeepSpeed#860", "deepspeedai/DeepSpeed#8262"),
    "RuntimeError: illegal memory access, vLLM engine dead": (
        "vllm-project/vllm#10389",
        "vllm-project/vllm#8230",
        "vllm-project/vllm#53028",
    ),
    "vllm server stops responding with tensor parallel, custom all reduce": ("vllm-project/vllm#8410",),
    "model never stops generating after SFT": ("huggingface/trl#1623",),
    "ImportError: undefined symbol SetDevice flash_attn": ("Dao-AILab/flash-attention#931",),
    "out of memory with zero2 but zero1 works": ("deepspeedai/DeepSpeedExamples#336",),
    "multi gpu training freezes at start on AMD machine, iommu": ("pytorch/pytorch#73790", "ROCm/rccl#1129"),
    "NCCL error in docker, /dev/shm too small": ("NVIDIA/nccl#342",),
    "loss is different after resuming a checkpoint": (
        "huggingface/transformers#25340",
        "NVIDIA/Megatron-LM#761",
    ),
    "memory leak in vllm server host RAM grows": ("vllm-project/vllm#15597",),
    "LoRA with ZeRO-3 saves empty modules_to_save": ("huggingface/peft#2450",),
    "wrong network interface: multi node connection fails": (
        "deepspeedai/DeepSpeedExamples#845",
        "deepspeedai/DeepSpeed#4460",
    ),
    "fsdp2 torch.compile KeyError _orig_mod": ("huggingface/accelerate#3554",),
    "gradient accumulation loss too high": ("huggingface/transformers#35856",),
    "pip install tensorrt-llm fails building mpi4py": ("NVIDIA/TensorRT-LLM#1825",),
    "validation epoch end DDP training stuck at 0%": ("Lightning-AI/pytorch-lightning#5865",),
}


@pytest.mark.django_db
@pytest.mark.usefixtures("starter")
def test_each_journey_finds_a_fitting_record_in_the_first_three_results(search_index: PutIssuesIn) -> None:
    search_index()
    missed = {}
    for typed, fitting in JOURNEYS.items():
        params = QueryDict(mutable=True)
        params["q"] = typed
        found = search(params, limit=FIRST, with_facets=False)
        names = [row.card.url.removeprefix("https://github.com/").replace("/issues/", "#") for row in found.rows]
        if not set(names) & set(fitting):
            missed[typed] = names
    assert set(missed) == MISSED
    assert len(JOURNEYS) >= 20
