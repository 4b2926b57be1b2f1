"""Packages that are there without a version: a fault is listed where something else points at it as well."""

import pytest

from kb.core.setups.judging import findings
from kb.core.setups.reading import read_setup
from tests.kb.core.setups.setups import fault, row

GRPO = "from trl import GRPOConfig, GRPOTrainer\nGRPOTrainer(args=GRPOConfig(vllm_mode='colocate'))\n"
YAML = "stage: ppo\nfinetuning_type: full\nmodel_name_or_path: qwen\ndeepspeed: z3.json\ntemplate: qwen\n"
CUT = "import deepspeed\nimport trl\nmodel = (\nargs = SFTConfig(bf16=True)\n"


@pytest.mark.parametrize(
    ("text", "mentioned"),
    [
        (GRPO, {"trl", "transformers", "accelerate", "torch"}),
        ("import flash_attn.bert_padding as padding\n", {"flash-attn"}),
        ("from megatron.core import parallel_state\n", {"megatron-core"}),
        (CUT, {"deepspeed", "trl"}),
        (YAML, {"llamafactory", "trl", "peft", "deepspeed"}),
        ("deepspeed --num_gpus 8 train.py --epochs 2", {"deepspeed", "torch"}),
        ("torchrun --nproc_per_node 8 train.py --epochs 2", {"torch"}),
        ("accelerate launch -m axolotl.cli.train config.yml", {"accelerate", "axolotl", "trl"}),
    ],
)
def test_what_is_imported_started_or_needed_is_mentioned(text: str, mentioned: set[str]) -> None:
    assert mentioned <= read_setup([("text", text)]).mentioned


def verdicts(texts: dict[str, str], condition: str, package: str = "trl") -> list[str]:
    known = fault(row("0.9.0", "0.16.0", package=package), condition=condition)
    return [finding.verdict for finding in findings(read_setup(list(texts.items())), [known])]


def test_a_fault_is_listed_where_part_of_its_condition_holds() -> None:
    assert verdicts({"train.py": GRPO}, 'task == "grpo" and zero_stage == 3') == ["may"]
    assert verdicts({"train.py": GRPO}, 'task == "grpo"') == ["may"]


def test_a_mention_alone_lists_nothing() -> None:
    assert verdicts({"train.py": GRPO}, "zero_stage == 3", package="torch") == []
    assert verdicts({"train.py": GRPO}, 'task == "dpo" and zero_stage == 3', package="torch") == []
    assert verdicts({"train.py": GRPO}, 'task == "grpo"', package="axolotl") == []


def test_a_whole_list_without_the_package_counts_more() -> None:
    freeze = "".join(f"package-{number}==1.2.0\n" for number in range(60))
    assert verdicts({"freeze.txt": freeze, "train.py": GRPO}, 'task == "grpo"') == []
