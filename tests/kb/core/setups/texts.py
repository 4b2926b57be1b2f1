"""Texts that describe set-ups, made for tests: dumps, configurations, commands and scripts."""

FREEZE = """\
accelerate==1.5.2
aiohttp==3.11.14
certifi==2025.1.31
click==8.1.8
datasets==3.4.1
deepspeed==0.16.5
dill==0.3.8
-e git+https://github.com/example/tools.git@0a1b2c3#egg=tools
filelock==3.18.0
flash_attn @ file:///tmp/wheels/flash_attn-2.7.4.post1+cu12torch2.6-cp311-cp311-linux_x86_64.whl
idna==3.10
Jinja2==3.1.6
megatron_core==0.11.0rc0
nvidia-nccl-cu12==2.21.5
numpy==2.2.4
packaging==24.2
peft @ git+https://github.com/huggingface/peft@0123456789abcdef
PyYAML==6.0.2
torch==2.6.0+cu124
tqdm==4.67.1
transformers==4.50.0.dev0
triton==3.2.0
urllib3==2.3.0
yarl==1.18.3
"""
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
