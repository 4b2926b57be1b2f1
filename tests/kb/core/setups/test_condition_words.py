"""A condition as a page states it."""

import pytest

from kb.core.setups.condition_words import in_words
from kb.core.setups.conditions import compiled
from kb.starter.load import read_records


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("any", ""),
        ("", ""),
        ("zero_stage == 3 and lora", "ZeRO stage 3 and LoRA or other adapters"),
        ("world_size > 1 or not lora", "processes > 1 or not LoRA or other adapters"),
        ("(nodes > 1 or moe) and torch_compile", "(nodes > 1 or mixture of experts) and torch.compile"),
        ('version("torch") < "2.7"', "torch < 2.7"),
        ('version("torch") in ">=2.1,<2.4"', "torch >=2.1,<2.4"),
        ('installed("torchao")', "torchao installed"),
        ('uses("DPOTrainer")', "a script that uses DPOTrainer"),
        ('flag("--overlap-grad-reduce")', "--overlap-grad-reduce"),
        ('setting("deepspeed.scheduler.type") == "WarmupLR"', "deepspeed.scheduler.type = WarmupLR"),
        ('env("NCCL_IB_DISABLE") != "not set"', "NCCL_IB_DISABLE set"),
        ('"h100" in gpu', "GPU with “h100” in its name"),
        ('":" in flag("--nnodes")', "--nnodes with “:”"),
        ('quantization in ("awq", "gptq")', "quantization awq or gptq"),
        ("fsdp_version != 0", "FSDP version other than 0"),
    ],
)
def test_it_names_facts_as_people_do(expression: str, words: str) -> None:
    if expression:
        compiled(expression)
    assert in_words(expression) == words


def test_no_record_shows_the_name_of_a_fact_or_function() -> None:
    conditions = [record.affects_when for _, record in read_records()[0] if record.affects_when]
    shown = [in_words(condition) for condition in conditions]
    assert not [words for words in shown if "_stage" in words or '("' in words or "==" in words]
