"""One fact, said in the ways that users have: a call in a script, a flag, a key, or the name of what is run."""

import pytest

from kb.core.setups.conditions import compiled
from kb.core.setups.facts import Value
from kb.core.setups.reading import read_setup

BNB = "import bitsandbytes as bnb\n"
TORCH = "import torch\n"
LIGHTNING = "import lightning as L\n"


@pytest.mark.parametrize(
    ("script", "fact", "value"),
    [
        (f"{BNB}opt = bnb.optim.AdEMAMix8bit(p)", "optimizer", "ademamix_bnb_8bit"),
        (f"{BNB}opt = bnb.optim.Lion(p)", "optimizer", "lion_bnb"),
        ("from bitsandbytes.optim import PagedLion32bit\nopt = PagedLion32bit(p)", "optimizer", "pagedlion_bnb_32bit"),
        (f"{TORCH}opt = torch.optim.AdamW(p, lr=1e-4, fused=True)", "optimizer", "adamw_torch_fused"),
        ("from torch import optim\nopt = optim.Adam(p)", "optimizer", "adam_torch"),
        (f"{TORCH}s = torch.optim.lr_scheduler.LambdaLR(opt, f)", "optimizer", None),
        (f"{TORCH}model.to('cuda:1')", "device", "cuda"),
        (f"{TORCH}model = model.cuda()", "device", "cuda"),
        (f"{TORCH}d = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\nm.to(d)", "device", "cuda"),
        (f"{TORCH}model.to(torch.bfloat16)", "device", None),
        ("import deepspeed\nengine.save_checkpoint('out')", "saves_checkpoints", True),
        ("import accelerate\naccelerator.save_state('out')", "saves_checkpoints", True),
        ("import deepspeed\nengine.load_checkpoint('out')", "resumes", True),
        (f"{TORCH}optimizer.load_state_dict(torch.load('o.pt'))", "resumes", True),
        (f"{TORCH}model.load_state_dict(torch.load('m.pt'))", "resumes", None),
        (f"{LIGHTNING}L.Trainer(max_epochs=1, callbacks=[Progress()])", "saves_checkpoints", True),
        (f"{LIGHTNING}L.Trainer(max_epochs=1, enable_checkpointing=False)", "saves_checkpoints", False),
        ("from deepspeed.pipe import PipelineModule\nPipelineModule(layers=x, num_stages=2)", "pipeline_parallel", 2),
        ("import deepspeed\ndeepspeed.init_inference(m, moe={'enabled': True}, mp_size=2)", "moe", True),
        ("from deepspeed.moe.layer import MoE\nMoE(hidden_size=8, expert=e)", "moe", True),
        ("from megatron.core import parallel_state as s\ns.initialize_model_parallel(4, context_parallel_size=2)",
         "context_parallel", 2),
        ("from megatron.core.transformer import TransformerConfig as Config\nConfig(num_moe_experts=8)", "moe", True),
        ("from flash_attn import flash_attn_func\nflash_attn_func(q, k, v)", "attention", "flash_attention_2"),
        ("import lightning as L\nDeepSpeedStrategy(stage=3, offload_optimizer=True)", "zero_offload_optimizer", "cpu"),
        ("import deepspeed\nc = dict(zero_optimization=dict(stage=1), bf16=dict(enabled=True))", "zero_stage", 1),
        ("import deepspeed\nc = {'train_batch_size': 8, 'zero_optimization': {'stage': n}}", "zero_stage", None),
        ("import deepspeed\nc = {'train_batch_size': 8, 'zero_optimization': made()}", "zero_offload_param", None),
        ("import deepspeed\nc = {'zero_optimization': {'offload_param': None}}", "zero_offload_param", "none"),
        (f"{LIGHTNING}L.Trainer(strategy='deepspeed_stage_3_offload')", "zero_offload_param", "cpu"),
        ("import deepspeed\nengine = deepspeed.initialize(model=m)\nengine.load_checkpoint('c')", "hf_trainer", False),
        ("from trl import GRPOConfig\nGRPOConfig(output_dir='o')", "engine", "transformers"),
        ("import accelerate, trl\naccelerate.Accelerator()\ntrl.SFTTrainer(m)", "hf_trainer", None),
        ("from transformers import TrainingArguments\nTrainingArguments(output_dir='o')", "hf_trainer", True),
        ("import accelerate as a\na.FullyShardedDataParallelPlugin(cpu_offload=True)", "fsdp_version", 1),
        ("import accelerate as a\na.FullyShardedDataParallelPlugin(fsdp_version=n)", "fsdp_version", None),
        ("from accelerate import Accelerator\nAccelerator(dynamo_backend='inductor')", "torch_compile", True),
        ("from accelerate.utils import TorchDynamoPlugin\nTorchDynamoPlugin(backend='no')", "torch_compile", False),
    ],
)  # fmt: skip
def test_calls_of_scripts_say_facts(script: str, fact: str, value: Value | None) -> None:
    known = read_setup([("train.py", script)]).facts.get(fact)
    assert (known and known.value) == value


@pytest.mark.parametrize(
    ("command", "facts"),
    [
        ("deepspeed --num_gpus 2 train.py --lr 1", {"nodes": 1, "world_size": 2}),
        ("deepspeed --num_gpus=1 train.py --lr 1", {"world_size": 1}),
        ("colossalai run --nproc_per_node 4 train.py", {"nodes": 1, "world_size": 4}),
        ("deepspeed --hostfile hosts --num_gpus 8 train.py --lr 1", {"nodes": None, "world_size": None}),
        ("colossalai run --host a,b --nproc_per_node 4 train.py", {"nodes": None}),
        ("accelerate launch --use_fsdp --fsdp_version 2 --dynamo_backend inductor t.py", {"torch_compile": True}),
        ("accelerate launch --use_deepspeed --zero_stage 3 t.py", {"zero_stage": 3, "zero_offload_optimizer": "none"}),
        ("accelerate launch --use_deepspeed --deepspeed_config_file a.json t.py", {"zero_offload_optimizer": None}),
        ("accelerate launch --use_fsdp --num_processes 4 t.py", {"fsdp_version": 1}),
        ("accelerate launch --config_file a.yaml --use_fsdp t.py", {"fsdp_version": None}),
        ("export ACCELERATE_DEEPSPEED_ZERO_STAGE=3\ntorchrun --nproc_per_node 2 t.py", {"zero_stage": 3}),
        ("python sft.py --use_peft --vllm_mode colocate", {"lora": True, "vllm_mode": "colocate", "task": "sft"}),
        ("python train.py --lora_rank 0 --lr 1", {"lora": None}),
        ("deepspeed --module openrlhf.cli.train_dpo --adam_offload --bf16", {"zero_offload_optimizer": "cpu"}),
        ("python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo trainer.nnodes=1", {"fsdp_version": 1}),
        ("python3 -m verl.trainer.main_ppo --config-name=megatron algorithm.adv_estimator=gae", {"fsdp_version": None}),
        ("python3 -m verl.trainer.main_ppo model_engine=veomni algorithm.adv_estimator=gae", {"fsdp_version": None}),
        ("python3 -m verl.trainer.fsdp_sft_trainer data.train_files=d", {"fsdp_version": None}),
        ("ray job submit -- python3 examples/train_ppo_ray.py --zero_stage 2", {"task": "ppo"}),
        ("python opposite.py --lr 1", {"task": None}),
        ("python ckpt/ds_to_universal.py --input_folder a", {"universal_checkpoint": True}),
        ("deepspeed pretrain_gpt.py --universal-checkpoint --micro-batch-size 1", {"universal_checkpoint": True}),
        ('A_B="-p 2222 -i key" torchrun --nnodes 2 --nproc_per_node 8 train.py', {"launcher": "torchrun", "nodes": 2}),
        ('ARGS="\n --bf16\n --context-parallel-size 2\n"\ntorchrun pretrain_gpt.py $ARGS', {"context_parallel": 2}),
        ("ARGS=(--bf16\n --num-experts 8)\ntorchrun pretrain_gpt.py ${ARGS[@]}", {"moe": True}),
    ],
)
def test_commands_say_facts(command: str, facts: dict[str, Value | None]) -> None:
    known = read_setup([("run.sh", f"{command}\n")]).facts
    assert {name: known[name].value if name in known else None for name in facts} == facts


def test_accelerate_without_a_file_of_deepspeed_makes_its_configuration() -> None:
    gathers = 'setting("deepspeed.zero_optimization.stage3_gather_16bit_weights_on_model_save") == True'
    start = "accelerate launch --use_deepspeed --zero_stage 3"
    answers = {
        flags: compiled(gathers)(read_setup([("run.sh", f"{start} {flags} train.py\n")])).holds
        for flags in ("--zero3_save_16bit_model true", "--offload_param_device cpu", "--deepspeed_config_file z.json")
    }
    assert list(answers.values()) == [True, False, None]


@pytest.mark.parametrize(
    "section",
    ['"flops_profiler": {"enabled": true}', '"data_efficiency": {"enabled": true, "data_sampling": {"enabled": true}}'],
)
def test_a_section_that_only_deepspeed_has_tells_its_configuration(section: str) -> None:
    setup = read_setup([("ds.json", f'{{"train_batch_size": 8, {section}}}')])
    assert "deepspeed" in setup.read_kinds


def test_a_script_that_a_command_runs_is_used() -> None:
    setup = read_setup([("run.sh", "python tools/merge_peft_adapter.py --model m\n")])
    assert compiled('uses("merge_peft_adapter")')(setup).holds is True
    assert compiled('uses("another_script")')(setup).holds is None


def test_the_file_that_fsdp_config_names_says_the_version() -> None:
    script = """from transformers import TrainingArguments
TrainingArguments("out", fsdp="full_shard auto_wrap", fsdp_config="fsdp.json")"""
    assert "fsdp_version" not in read_setup([("train.py", script)]).facts
    wrap = '"transformer_layer_cls_to_wrap": ["A"], "backward_prefetch": "backward_pre"'
    for text, version in ((f'{{"fsdp_version": 2, {wrap}}}', 2), (f"{{{wrap}}}", 1)):
        assert read_setup([("train.py", script), ("fsdp.json", text)]).facts["fsdp_version"].value == version
    variable = script.replace(', fsdp_config="fsdp.json"', "") + '\nimport os\nos.environ["FSDP_VERSION"] = "2"'
    assert read_setup([("train.py", variable)]).facts["fsdp_version"].value == 2


def test_a_setting_that_cannot_be_read_is_not_absent() -> None:
    reduces = 'setting("deepspeed.zero_optimization.reduce_scatter") != False'
    for value, answer in (("flag", None), ("False", False), ("True", True)):
        script = f"import deepspeed\nc = {{'zero_optimization': {{'stage': 2, 'reduce_scatter': {value}}}}}"
        assert compiled(reduces)(read_setup([("train.py", script)])).holds is answer


@pytest.mark.parametrize(
    ("image", "versions"),
    [
        ("axolotlai/axolotl:0.9.2", {"axolotl": "0.9.2"}),
        ("winglian/axolotl-cloud:main-20250401-py3.11-cu124-2.5.1", {"torch": "2.5.1"}),
        ("hpcaitech/colossalai:0.3.4", {"colossalai": "0.3.4"}),
        ("pytorchlightning/pytorch_lightning:2.4.0-py3.11-torch2.3-cuda12.1.1", {"pytorch-lightning": "2.4.0"}),
        (
            "verlai/verl:app-verl0.5-transformers4.55.4-vllm0.10.0-mcore0.13.0-te2.2",
            {"transformers": "4.55.4", "vllm": "0.10.0", "megatron-core": "0.13.0"},
        ),
        (
            "verlai/verl:base-verl0.5-cu126-cudnn9.8-torch2.7.1-fa2.7.4",
            {"torch": "2.7.1", "flash-attn": "2.7.4"},
        ),
        ("nvcr.io/nvidia/nemo:24.07", {}),
    ],
)
def test_tags_of_images_tell_versions(image: str, versions: dict[str, str]) -> None:
    packages = read_setup([("Dockerfile", f"FROM {image}\nWORKDIR /w\n")]).packages
    assert {name: str(each.allowed and each.allowed.exact) for name, each in packages.items()} == versions
