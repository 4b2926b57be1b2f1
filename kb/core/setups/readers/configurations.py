"""Configurations of DeepSpeed, Accelerate, Axolotl, LLaMA-Factory, torchtitan, PEFT and engines, by their keys."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb.core.setups.facts import Place
from kb.core.setups.readers.draft import Draft, Rank, Reference
from kb.core.setups.readers.trees import Entry


@dataclass(frozen=True)
class Kind:
    """A kind of configuration, and the keys that tell it: one that nothing else has, or several together."""

    name: str
    form: str
    sure: frozenset[str]
    likely: frozenset[str]
    enough: int = 3
    # Kinds that take the same keys.
    also: tuple[str, ...] = ()


def _keys(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Keys of TrainingArguments that no other program has, or hardly.
TRAINING = _keys(
    """per_device_train_batch_size per_device_eval_batch_size gradient_accumulation_steps gradient_checkpointing
    num_train_epochs max_steps learning_rate lr_scheduler_type warmup_ratio warmup_steps logging_steps save_steps
    save_strategy save_total_limit eval_strategy evaluation_strategy eval_steps bf16 fp16 tf32 optim output_dir
    report_to ddp_timeout ddp_find_unused_parameters dataloader_num_workers deepspeed fsdp fsdp_config torch_compile
    resume_from_checkpoint save_only_model group_by_length remove_unused_columns max_grad_norm weight_decay seed
    do_train do_eval gradient_checkpointing_kwargs overwrite_output_dir model_name_or_path attn_implementation
    use_liger_kernel neftune_noise_alpha average_tokens_across_devices include_num_input_tokens_seen
    load_best_model_at_end metric_for_best_model auto_find_batch_size use_cpu no_cuda push_to_hub save_safetensors"""
)
KINDS = (
    Kind(
        "deepspeed",
        "DeepSpeed configuration",
        _keys(
            """zero_optimization train_micro_batch_size_per_gpu zero_allow_untested_optimizer flops_profiler.enabled
            data_efficiency.enabled comms_logger.enabled hybrid_engine.enabled curriculum_learning.enabled
            checkpoint.writer.type tensor_parallel.autotp_size"""
        ),
        _keys(
            """train_batch_size gradient_accumulation_steps gradient_clipping bf16.enabled fp16.enabled steps_per_print
            wall_clock_breakdown optimizer.type scheduler.type communication_data_type activation_checkpointing
            bfloat16.enabled zero_force_ds_cpu_optimizer prescale_gradients compile.disable checkpoint.load_universal"""
        ),
        2,
    ),
    Kind(
        "accelerate",
        "Accelerate configuration",
        _keys("compute_environment distributed_type downcast_bf16 main_training_function deepspeed_config"),
        _keys("num_machines num_processes machine_rank mixed_precision rdzv_backend same_network use_cpu fsdp_config"),
    ),
    Kind(
        "axolotl",
        "Axolotl configuration",
        _keys(
            """base_model_config sample_packing eval_sample_packing lora_target_linear
            pad_to_sequence_len train_on_inputs lora_modules_to_save dataset_prepared_path"""
        ),
        _keys(
            """base_model datasets sequence_len adapter num_epochs val_set_size micro_batch_size flash_attention
            wandb_project rl"""
        ),
    ),
    Kind(
        "llamafactory",
        "LLaMA-Factory configuration",
        _keys(
            "finetuning_type lora_target cutoff_len dataset_dir infer_backend additional_target freeze_trainable_layers"
        ),
        _keys(
            "stage template dataset do_train model_name_or_path export_dir overwrite_cache preprocessing_num_workers"
        ),
        also=("transformers",),
    ),
    Kind(
        "trl",
        "TRL configuration",
        frozenset(),
        _keys(
            """use_peft lora_r lora_target_modules dataset_name max_prompt_length max_completion_length num_generations
            use_vllm vllm_mode beta packing max_seq_length max_length load_in_4bit reward_funcs completion_only_loss"""
        )
        | TRAINING,
        5,
        also=("transformers",),
    ),
    Kind("transformers", "training arguments", frozenset(), TRAINING, 4),
    Kind(
        "torchtitan",
        "torchtitan configuration",
        _keys(
            """training.tensor_parallel_degree parallelism.tensor_parallel_degree training.data_parallel_shard_degree
            parallelism.data_parallel_shard_degree experimental.enable_async_tensor_parallel job.dump_folder
            metrics.enable_tensorboard checkpoint.enable_checkpoint activation_checkpoint.selective_ac_option
            parallelism.enable_async_tensor_parallel"""
        ),
        _keys("model.flavor training.seq_len training.steps training.compile checkpoint.interval optimizer.name"),
    ),
    Kind(
        "peft",
        "PEFT configuration",
        _keys("peft_type base_model_name_or_path"),
        _keys("lora_alpha target_modules r lora_dropout modules_to_save task_type inference_mode"),
    ),
    Kind(
        "vllm",
        "vLLM configuration",
        _keys(
            """tensor-parallel-size max-num-seqs served-model-name max-num-batched-tokens tokenizer-mode load-format
            enable-sleep-mode enable-lora enable-auto-tool-choice tool-call-parser async-scheduling kv-cache-dtype
            pipeline-parallel-size data-parallel-size distributed-executor-backend limit-mm-per-prompt
            speculative-config kv-transfer-config"""
        ),
        _keys("model gpu-memory-utilization max-model-len dtype quantization enable-prefix-caching host port"),
    ),
    Kind(
        "fsdp_file",
        "FSDP configuration",
        frozenset(),
        _keys(
            """fsdp_version transformer_layer_cls_to_wrap fsdp_transformer_layer_cls_to_wrap backward_prefetch
            fsdp_backward_prefetch use_orig_params cpu_ram_efficient_loading sync_module_states limit_all_gathers
            activation_checkpointing reshard_after_forward fsdp_reshard_after_forward state_dict_type"""
        ),
        2,
    ),
    Kind(
        "verl",
        "verl configuration",
        _keys("actor_rollout_ref.rollout.name actor_rollout_ref.model.path algorithm.adv_estimator"),
        frozenset(),
    ),
)
# Where a configuration holds another kind's, or names its file.
NESTED = {
    "transformers.deepspeed": "deepspeed",
    "llamafactory.deepspeed": "deepspeed",
    "axolotl.deepspeed": "deepspeed",
    "accelerate.deepspeed_config.deepspeed_config_file": "deepspeed",
}


def kinds_of(entries: Sequence[Entry]) -> list[Kind]:
    """The kinds of configuration that the keys tell, the surest first; mostly one or none."""
    keys = {entry.key for entry in entries} | {entry.key.partition(".")[0] for entry in entries}
    scores = [(len(kind.sure & keys) * kind.enough + len(kind.likely & keys), kind) for kind in KINDS]
    fitting = [(score, kind) for score, kind in scores if score >= kind.enough]
    if not fitting:
        return []
    return [max(fitting, key=lambda pair: (bool(pair[1].sure), pair[0]))[1]]


def read_configuration(entries: Sequence[Entry], name: str, offset: int, draft: Draft) -> bool:
    """Read a tree as the configuration that it is; whether it is one."""
    kinds = kinds_of(entries)
    for kind in kinds:
        draft.add_source(name, kind.form)
        add_settings(kind.name, entries, name, offset, draft)
        for other in kind.also:
            add_settings(other, entries, name, offset, draft)
    return bool(kinds)


def add_settings(kind: str, entries: Sequence[Entry], name: str, offset: int, draft: Draft) -> None:
    """Take the keys over as settings of the kind, and note the files that they name."""
    draft.read_kinds.add(kind)
    for entry in entries:
        key = entry.key.replace("-", "_") if kind == "vllm" else entry.key
        place = Place(name, offset + entry.line)
        draft.add_setting(kind, key, entry.value, place, Rank.FILE)
        if nested := NESTED.get(f"{kind}.{key}"):
            note_reference(nested, str(entry.value), place, draft)
    _note_nested(kind, entries, name, offset, draft)


def note_reference(kind: str, path: str, place: Place, draft: Draft) -> None:
    """A file that holds the configuration of another kind; a name without an ending may be anything."""
    if re.search(r"\.(?:json|ya?ml)\b", path):
        draft.references.append(Reference(kind, path, place))


def _note_nested(kind: str, entries: Sequence[Entry], name: str, offset: int, draft: Draft) -> None:
    """A whole DeepSpeed configuration below a key of another one."""
    prefix = "deepspeed."
    below = [
        Entry(entry.key.removeprefix(prefix), entry.value, entry.line)
        for entry in entries
        if entry.key.startswith(prefix)
    ]
    if kind in ("transformers", "axolotl", "llamafactory") and below:
        draft.read_kinds.add("deepspeed")
        for entry in below:
            draft.add_setting("deepspeed", entry.key, entry.value, Place(name, offset + entry.line), Rank.FILE)
