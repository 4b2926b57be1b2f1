"""Configurations, commands, scripts and logs of runs, made for tests."""

ZERO_3 = """\
{
  "zero_optimization": {
    "stage": 3,
    "offload_optimizer": {"device": "cpu", "pin_memory": true}
  },
  "bf16": {"enabled": "auto"},
  "train_micro_batch_size_per_gpu": "auto"
}
"""
LLAMA_FACTORY = """\
model_name_or_path: Qwen/Qwen2.5-7B-Instruct
stage: dpo
finetuning_type: lora
lora_target: all
additional_target: embed_tokens,lm_head
deepspeed: examples/z3.json
dataset: pairs
template: qwen
cutoff_len: 1024
output_dir: out
per_device_train_batch_size: 1
bf16: true
"""
ACCELERATE_FSDP = """\
compute_environment: LOCAL_MACHINE
distributed_type: FSDP
fsdp_config:
  fsdp_state_dict_type: FULL_STATE_DICT
  fsdp_version: 2
mixed_precision: 'no'
num_machines: 2
num_processes: 8
"""
ISSUE = """\
### Your current environment

<details>
<summary>The output of `python collect_env.py`</summary>

```text
Collecting environment information...
PyTorch version: 2.6.0+cu124
Is debug build: False
CUDA used to build PyTorch: 12.4
ROCM used to build PyTorch: N/A

OS: Ubuntu 22.04.5 LTS (x86_64)
Python version: 3.12.9 (main, Feb  5 2025, 08:49:00) [GCC 11.4.0] (64-bit runtime)
Is CUDA available: True
GPU models and configuration:
GPU 0: NVIDIA H100 80GB HBM3
GPU 1: NVIDIA H100 80GB HBM3
Nvidia driver version: 550.54.15

Versions of relevant libraries:
[pip3] torch==2.6.0
[pip3] transformers==4.51.3
[conda] Could not collect
vLLM Version: 0.8.4
vLLM Build Flags:
CUDA Archs: Not Set; ROCm: Disabled; Neuron: Disabled
```

</details>

### Describe the bug

The server stops after some requests. I start it so:

```bash
VLLM_USE_V1=1 vllm serve Qwen/Qwen3-8B \\
  --tensor-parallel-size 2 --enable-auto-tool-choice
```
"""
ACCELERATE_DEEPSPEED = """\
compute_environment: LOCAL_MACHINE
deepspeed_config:
  gradient_accumulation_steps: 4
  offload_optimizer_device: none
  offload_param_device: nvme
  zero_stage: 3
distributed_type: DEEPSPEED
mixed_precision: fp16
num_machines: 1
num_processes: 4
"""
AXOLOTL = """\
base_model: mistralai/Mixtral-8x7B-v0.1
load_in_4bit: true
adapter: qlora
lora_modules_to_save: [embed_tokens]
sample_packing: true
optimizer: adamw_bnb_8bit
flash_attention: true
bf16: auto
rl: kto
fsdp: [full_shard]
fsdp_config:
  fsdp_version: 2
  fsdp_state_dict_type: SHARDED_STATE_DICT
"""
TORCHTITAN = """\
[job]
dump_folder = "./outputs"
[model]
name = "llama3"
[training]
seq_len = 4096
compile = true
[parallelism]
tensor_parallel_degree = 4
pipeline_parallel_degree = 2
[checkpoint]
enable = true
async_mode = "async"
"""
MEGATRON = """\
#!/bin/bash
#SBATCH --nodes=4
#SBATCH --gres=gpu:8
export CUDA_DEVICE_MAX_CONNECTIONS=1
PARALLEL=(
    --tensor-model-parallel-size 2   # within a node
    --pipeline-model-parallel-size 4
)
TRAIN="--bf16 --micro-batch-size 1 --train-iters 1000"
srun torchrun --nnodes $SLURM_NNODES --nproc-per-node 8 pretrain_gpt.py \\
    "${PARALLEL[@]}" $TRAIN --use-distributed-optimizer --num-experts 8 \\
    --expert-model-parallel-size 8
"""
DOCKERFILE = """\
ARG VERSION=v0.6.3
FROM vllm/vllm-openai:${VERSION}
ENV VLLM_ATTENTION_BACKEND=FLASHINFER \\
    NCCL_DEBUG=INFO
RUN pip install --no-cache-dir transformers==4.45.2 && \\
    apt-get clean
CMD ["--model", "Qwen/Qwen2-VL-7B-Instruct", "--tensor-parallel-size", "4"]
"""
DOCKER_RUN = """\
sudo docker run --gpus all -e VLLM_USE_V1=0 --ipc=host -p 8000:8000 \\
    vllm/vllm-openai:v0.8.5.post1 --model google/gemma-3-12b-it --enforce-eager
"""
MANIFEST = """\
apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      containers:
        - name: serve
          image: lmsysorg/sglang:v0.4.6.post1-cu124
          env:
            - name: NCCL_IB_DISABLE
              value: "1"
          command: ["/bin/sh", "-c", "python3 -m sglang.launch_server --model-path Qwen/Qwen3-30B-A3B --tp 4"]
"""
SCRIPT = """\
import torch
from peft import LoraConfig
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from trl import GRPOConfig, GRPOTrainer, SFTTrainer

NAME = "Qwen/Qwen3-4B"
bits = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4")
model = AutoModelForCausalLM.from_pretrained(
    NAME, quantization_config=bits, attn_implementation="flash_attention_2", torch_dtype=torch.bfloat16
)
config = GRPOConfig(output_dir="out", use_vllm=True, vllm_mode="colocate", bf16=True, optim="paged_adamw_8bit",
                    deepspeed={"zero_optimization": {"stage": 2}}, gradient_checkpointing=True)
trainer = GRPOTrainer(model, args=config, peft_config=LoraConfig(r=8, modules_to_save=["lm_head"]))
trainer.train(resume_from_checkpoint=True)
"""
CUT_SCRIPT = """\
>>> from vllm import LLM, SamplingParams
>>> llm = LLM(model="Qwen/Qwen2.5-7B-Instruct-AWQ", tensor_parallel_size=2,
...           enable_prefix_caching=True)
>>> llm.generate(
"""
PRINTED_ARGUMENTS = """\
TrainingArguments(
_n_gpu=1,
bf16=True,
eval_strategy=IntervalStrategy.NO,
gradient_accumulation_steps=4,
optim=OptimizerNames.ADAMW_BNB,
save_strategy=<SaveStrategy.EPOCH: 'epoch'>,
)
"""
ENGINE_LOG = """\
INFO 05-02 10:00:00 [core.py:58] Initializing a V1 LLM engine (v0.8.5) with config: model='Qwen/Qwen3-8B', \
speculative_config=None, dtype=torch.bfloat16, tensor_parallel_size=2, quantization=fp8, enforce_eager=True
node-1:100:100 [0] NCCL INFO NCCL version 2.21.5+cuda12.4
"""
LLAMA_LOG = """\
ggml_cuda_init: found 1 CUDA devices:
  Device 0: NVIDIA GeForce RTX 3060, compute capability 8.6, VMM: yes
version: 5215 (5f5e39e1)
built with cc (Ubuntu 13.3.0) 13.3.0 for x86_64-linux-gnu
"""
CONSOLE = """\
(train) me@node-1:~/run$ cat z3.json
{"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": 1}
(train) me@node-1:~/run$ pip list | grep -i deepspeed
deepspeed                 0.14.4
(train) me@node-1:~/run$ NCCL_DEBUG=INFO deepspeed --num_nodes 2 --num_gpus 8 train.py \\
>   --deepspeed z3.json
"""
NOTEBOOK = """\
{"cells": [{"cell_type": "code", "source": ["!pip install trl==0.12.0\\n", "from trl import DPOConfig\\n",
"DPOConfig(output_dir='x', fp16=True)"]}], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}
"""
WORDS = "deepspeed 0.14.2, torch 2.3, transformers v4.41, ZeRO-3 with QLoRA on 8x A100: what is known to break?"
DEEPSPEED_LOG = """\
[2025-02-01 10:00:00,000] [INFO] [logging.py:128:log_dist] [Rank 0] DeepSpeed info: version=0.16.3, git-hash=unknown
[2025-02-01 10:00:01,000] [INFO] [config.py:1003:print]   zero_optimization_stage ...... 3
[2025-02-01 10:00:01,000] [INFO] [config.py:989:print_user_config]   json = {
    "train_micro_batch_size_per_gpu": 1,
    "zero_optimization": {
        "stage": 3,
        "offload_param": {"device": "cpu"}
    }
}
"""
