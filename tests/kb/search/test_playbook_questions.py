"""Each playbook is found first by a question in English and by one in Chinese; questions beside them find none."""

import pytest

from kb.core.fault_playbooks import fault_playbooks
from kb.core.search.playbooks import asked_playbooks, playbooks_of_lines

QUESTIONS = {
    "answers-are-exclamation-marks": ("Qwen answers only exclamation marks in vLLM", "部署后回答全是感叹号"),
    "answers-differ-at-temperature-0": (
        "vllm gives different answers at temperature 0",
        "temperature设为0，每次结果不同",
    ),
    "ascend-hccl-timeout": ("HCCL timeout after half an hour on two NPUs", "昇腾多卡卡住，最后超时"),
    "attempting-to-unscale-fp16-gradients": (
        "ValueError: Attempting to unscale FP16 gradients.",
        "lora训练时 fp16 unscale 报错",
    ),
    "bitsandbytes-cuda-setup": ("bitsandbytes CUDA setup failed on Windows", "bitsandbytes 导入报错"),
    "cannot-import-after-upgrade": (
        "Numpy is not available since I upgraded to numpy 2",
        "vllm 和别的包版本冲突怎么办",
    ),
    "cannot-reinitialize-cuda": ("Cannot re-initialize CUDA in forked subprocess with vllm", "fork之后 cuda 报错"),
    "checkpoint-is-corrupt": ("safetensors HeaderTooLarge on loading", "checkpoint损坏，无法继续"),
    "context-is-truncated": ("num_ctx has no effect in ollama", "ollama 的上下文长度怎么改"),
    "cpu-adam-missing": ("No module named cpu_adam with deepspeed", "cpu_adam 编译总是失败"),
    "cuda-out-of-memory-serving": ("vLLM: CUDA out of memory during generation", "vllm 显存不足"),
    "cuda-out-of-memory-training": ("CUDA out of memory when training a 7B model", "微调7B模型显存不足"),
    "dataloader-worker-killed": ("DataLoader worker killed by bus error in docker", "dataloader worker 意外退出"),
    "dataset-preparation-hangs": ("Running tokenizer on dataset hangs at 0 %", "Running tokenizer on dataset 卡住不动"),
    "device-side-assert": ("device-side assert triggered after adding tokens", "device-side assert 报错怎么办"),
    "exits-with-return-code-minus-9": ("deepspeed exits with return code = -9", "训练被killed，没有报错"),
    "extension-build-stuck": (
        "stuck at Using .cache/torch_extensions as PyTorch extensions root",
        "训练卡在torch_extensions",
    ),
    "flash-attn-does-not-build": ("pip install flash-attn takes hours to build", "flash-attn 安装失败"),
    "generation-is-slow": ("generation is very slow with device_map auto", "模型推理很慢"),
    "gguf-does-not-load": ("llama.cpp: unknown model architecture: 'qwen3'", "合并后gguf转换失败"),
    "gpu-peer-to-peer-hang": ("two RTX 4090 hang with NCCL", "两张4090多卡卡住"),
    "gradient-checkpointing-errors": (
        "element 0 of tensors does not require grad with LoRA",
        "打开gradient checkpointing就报错",
    ),
    "grpo-loss-is-zero": ("why is the GRPO loss 0?", "grpo 训练 loss 一直是 0"),
    "hip-invalid-device-function": ("HIP error: invalid device function on RX 7800", "amd显卡不支持吗"),
    "illegal-memory-access": ("CUDA error: an illegal memory access was encountered", "推理时cuda非法内存访问"),
    "infiniband-error-12": ("NET/IB : Got completion with error 12", "nccl 报 infiniband 报错"),
    "kv-cache-too-small": ("max_model_len is larger than the KV cache", "kv cache不够用"),
    "llama-cpp-ignores-gpu": ("llama-cpp-python is not using my GPU", "llama-cpp-python没有使用gpu，显卡空闲"),
    "lora-has-no-effect": ("my LoRA has no effect after loading", "合并后lora没有效果"),
    "lora-serving": ("vllm: LoRA rank 64 is greater than max_lora_rank 16", "用vllm加载lora模型"),
    "loss-is-nan": ("loss becomes nan after 200 steps", "训练几步后loss变成nan"),
    "loss-is-zero": ("training loss is 0 from the first step", "微调时loss一直是 0"),
    "loss-jumps-after-resume": ("loss jumps after I resume from a checkpoint", "断点续训后loss变大"),
    "loss-scale-at-minimum": ("Current loss scale already at minimum", "loss scale 一直下降"),
    "model-download-fails": ("Hugging Face download stuck at 99 %", "模型下载失败"),
    "model-never-stops": ("finetuned llama 3 never stops generating", "微调后模型不停输出"),
    "mps-errors-on-mac": ("MPS backend out of memory on a MacBook", "mac上训练mps报错"),
    "multi-node-slurm-start": ("Slurm multi node training does not begin", "slurm上多机训练起不来"),
    "nccl-unhandled-system-error": ("NCCL unhandled system error in docker", "nccl初始化时报错"),
    "no-gpu-in-pytorch": ("Torch not compiled with CUDA enabled", "pytorch找不到gpu"),
    "no-kernel-image": ("RTX 5090: no kernel image is available", "5090 和 sm_120 不兼容"),
    "ollama-uses-cpu": ("ollama is not using the GPU", "ollama为什么使用cpu"),
    "output-is-gibberish": ("the model outputs gibberish on two GPUs", "模型输出乱码"),
    "ray-worker-killed": ("Ray: task was killed due to the node running low on memory", "ray worker总是被杀"),
    "rendezvous-hang": ("stuck at init_process_group on two nodes", "多机初始化时卡住"),
    "resume-with-other-world-size": ("resume ZeRO on a different number of GPUs", "换卡数以后恢复训练"),
    "rl-rollout-mismatch": ("rollout log prob mismatch with the actor", "强化学习训推不一致"),
    "safetensors-shared-memory": ("Some tensors share memory when saving", "safetensors保存时报错"),
    "server-answers-400": ("This model's maximum context length is 4096 tokens, 400", "vllm返回400"),
    "sglang-graph-capture-memory": ("sglang: Capture cuda graph failed", "sglang启动时显存"),
    "speculative-decoding-slow": ("speculative decoding is slower than without", "投机解码反而变慢"),
    "tool-calls-or-json-broken": ("vllm tool calls end up in content", "工具调用总是失败"),
    "torch-compile-recompiles": ("torch.compile recompiles for every length", "torch.compile为什么很慢"),
    "tpu-in-use": ("TPU is already in use by process with pid 17", "tpu一直占用"),
    "triton-or-ptxas-compile-error": ("ptxas fatal: sm_121a is not defined", "triton 编译时报错"),
    "undefined-symbol-in-flash-attn": ("undefined symbol in flash_attn_2_cuda", "导入 flash_attn 出现未定义符号"),
    "unexpected-keyword-argument": (
        "SFTTrainer got an unexpected keyword argument 'tokenizer'",
        "升级以后参数报错",
    ),
    "vllm-engine-core-failed": ("vLLM: Engine core initialization failed", "vllm启动失败 engine core"),
    "vllm-hangs-tensor-parallel": ("vLLM hangs with tensor parallel size 2", "vllm用多卡就卡住"),
    "weights-only-load-failed": ("Weights only load failed on resume", "断点续训时weights_only"),
    "zero-3-hang": ("DeepSpeed ZeRO-3 hangs in generate", "用zero3训练就卡住"),
    "zero-3-saves-empty-weights": ("ZeRO-3 checkpoint is empty, size mismatch torch.Size([0])", "zero3保存的权重为空"),
}
BESIDE = [
    "loss",
    "how do I train a model?",
    "CUDA 12.4 installed on Ubuntu 22.04",
    "which GPU should I buy for llama.cpp",
    "ollama list shows my models",
    "docker compose port 8000 already in use",
    "my npm build fails in jest",
    "how to write a LoRA config",
    "memory",
    "GPU",
    "checkpoint",
    "显存",
    "训练",
    "如何安装 python",
    "今天天气怎么样",
    "x" * 10_000,
]


def test_each_playbook_has_its_questions() -> None:
    assert set(QUESTIONS) == {playbook.slug for playbook in fault_playbooks()} - {"nccl-watchdog-timeout"}


@pytest.mark.parametrize(
    ("slug", "text"), [(slug, text) for slug, questions in QUESTIONS.items() for text in questions]
)
def test_a_question_finds_its_playbook_first(slug: str, text: str) -> None:
    assert [playbook.slug for playbook in asked_playbooks(text)][:1] == [slug]


@pytest.mark.parametrize("text", BESIDE)
def test_a_question_beside_the_common_faults_finds_none(text: str) -> None:
    assert asked_playbooks(text) == []


def test_no_playbook_is_asked_for_by_another_ones_phrase_first() -> None:
    strays = [
        (playbook.slug, text)
        for playbook in fault_playbooks()
        for text in (playbook.name, *playbook.asked)
        if asked_playbooks(text)[0] is not playbook
    ]
    assert strays == []


@pytest.mark.parametrize(
    ("line", "slugs"),
    [
        (
            "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.15 GiB of which",
            ["cuda-out-of-memory-training", "cuda-out-of-memory-serving"],
        ),
        ("RuntimeError: MPS backend out of memory (MPS allocated: 17.9 GB)", ["mps-errors-on-mac"]),
        ("{'loss': 0.2051, 'grad_norm': nan, 'learning_rate': 9.7e-06}", ["loss-is-nan"]),
        (
            "ERROR failed (exitcode: -9) local_rank: 2 (pid: 46065) of binary: python",
            ["exits-with-return-code-minus-9"],
        ),
        ("SafetensorError: Error while deserializing header: HeaderTooLarge", ["checkpoint-is-corrupt"]),
        ("{'loss': 0.2051, 'grad_norm': 1.2, 'learning_rate': 9.7e-06}", []),
        ("WARNING gradient overflow, skipping step; reducing loss scale from 65536.0 to 8192.0", []),
        ("UserWarning: None of the inputs have requires_grad=True. Gradients will be None", []),
        ("wandb: WARNING A graphql request timed out (timeout=19 sec), retrying", []),
    ],
)
def test_a_failed_line_finds_its_playbooks_and_a_usual_one_finds_none(line: str, slugs: list[str]) -> None:
    assert sorted(playbook.slug for playbook in playbooks_of_lines([line])) == sorted(slugs)
