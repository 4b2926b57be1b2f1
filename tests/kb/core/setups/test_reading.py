"""A set-up is read from several texts at once: what they agree on, what is not known, and what the command decides."""

import pytest
from packaging.version import Version

from kb.core.setups.conditions import compiled
from kb.core.setups.facts import Setup
from kb.core.setups.reading import MAX_CHARACTERS, MAX_LINES, MAX_TEXTS, SetupError, read_setup
from kb.core.setups.vocabulary import vocabulary
from kb.core.versions import exactly
from tests.kb.core.setups import runs, texts


def facts_of(setup: Setup) -> dict[str, object]:
    return {name: fact.value for name, fact in setup.facts.items()}


def read(*contents: str) -> Setup:
    return read_setup([(f"text {number}", content) for number, content in enumerate(contents)])


def test_a_llama_factory_run_with_the_deepspeed_file_that_it_names() -> None:
    setup = read_setup([("run.yaml", runs.LLAMA_FACTORY), ("z3.json", runs.ZERO_3), ("frozen", texts.FREEZE)])
    facts = facts_of(setup)
    expected = {"zero_stage": 3, "lora": True, "modules_to_save": True, "task": "dpo", "precision": "bf16"}
    assert expected.items() <= facts.items()
    assert {source.form for source in setup.sources} == {
        "LLaMA-Factory configuration",
        "DeepSpeed configuration",
        "pip freeze",
    }
    assert setup.lists_all_packages
    assert setup.settings["deepspeed.zero_optimization.stage"].place.line == 3


def test_a_deepspeed_file_that_is_named_and_not_handed_over_leaves_its_facts_unknown() -> None:
    assert "zero_stage" not in read(runs.LLAMA_FACTORY).facts
    other = read_setup([("run.yaml", runs.LLAMA_FACTORY), ("z2.json", runs.ZERO_3.replace("3", "2"))])
    assert "zero_stage" not in other.facts
    assert "zero_offload_optimizer" not in other.facts


def test_a_run_without_a_deepspeed_file_does_not_shard_by_default() -> None:
    without = runs.LLAMA_FACTORY.replace("deepspeed: examples/z3.json\n", "")
    fact = read(without).facts["zero_stage"]
    assert (fact.value, fact.is_default) == (0, True)


def test_the_command_wins_over_files_and_files_that_differ_leave_a_fact_unknown() -> None:
    accelerate = runs.ACCELERATE_FSDP
    assert facts_of(read(accelerate))["world_size"] == 8
    command = "accelerate launch --config_file a.yaml --num_processes 2 train.py"
    assert facts_of(read_setup([("a.yaml", accelerate), ("run.sh", command)]))["world_size"] == 2
    other = accelerate.replace("num_processes: 8", "num_processes: 4")
    assert "world_size" not in read(accelerate, other).facts


def test_several_forms_in_one_pasted_issue() -> None:
    setup = read(runs.ISSUE)
    facts = facts_of(setup)
    expected = {"engine": "vllm", "tensor_parallel": 2, "gpu": "nvidia h100 80gb hbm3", "compute_capability": "9.0"}
    assert expected.items() <= facts.items()
    assert str(setup.packages["vllm"].allowed and setup.packages["vllm"].allowed.exact) == "0.8.4"
    assert {"vllm collect_env", "launch command"} <= {source.form for source in setup.sources}


def test_a_text_that_is_none_of_the_forms_is_said_to_be_unread() -> None:
    setup = read("It stopped again last night, and nobody knows why.")
    assert [source.form for source in setup.sources] == [""]
    assert not setup.facts


def test_limits_are_told() -> None:
    with pytest.raises(SetupError, match="201 files are too many"):
        read_setup([("a", "")] * (MAX_TEXTS + 1))
    with pytest.raises(SetupError, match="1,000,001 characters are too many"):
        read_setup([("a", "x" * (MAX_CHARACTERS + 1))])
    with pytest.raises(SetupError, match="30,001 lines are too many"):
        read_setup([("a", "\n" * (MAX_LINES + 1))])


def test_every_fact_is_in_the_vocabulary_and_of_its_type() -> None:
    every = [value for name, value in (vars(texts) | vars(runs)).items() if name.isupper()]
    for setup in (read(*every), *map(read, every)):
        for name, fact in setup.facts.items():
            assert not vocabulary()[name].problem_with(fact.value), (name, fact)


def test_a_package_that_a_dump_says_is_missing_is_absent_and_unused() -> None:
    setup = read(texts.TRANSFORMERS_ENV)
    assert "deepspeed" in setup.absent
    assert compiled('installed("deepspeed")')(setup).holds is False
    assert setup.facts["zero_stage"].value == 0
    assert "deepspeed" not in read(texts.TRANSFORMERS_ENV, texts.FREEZE).absent


def test_defaults_that_changed_with_releases_are_not_told() -> None:
    script = "from trl import SFTConfig\nSFTConfig(output_dir='x')"
    assert not {"precision", "gradient_checkpointing", "optimizer"} & read(script).facts.keys()
    arguments = "from transformers import TrainingArguments\nTrainingArguments(output_dir='x')"
    assert read(arguments, "torch==2.5.1").facts["optimizer"].value == "adamw_torch"
    assert "optimizer" not in read(arguments, "torch==2.9.0").facts


def test_versions_of_one_package_that_differ_leave_both_open() -> None:
    allowed = (
        read("Package Version\ntorch 2.5.1\nnumpy 2.0.0", "Package Version\ntorch 2.6.0\nnumpy 2.0.0")
        .packages["torch"]
        .allowed
    )
    assert allowed is not None
    assert (str(allowed.low), str(allowed.high), allowed.exact) == ("2.5.1", "2.6.0", None)
    assert read(texts.TORCH_ENV, "[pip3] torch==2.5.1").packages["torch"].allowed == exactly(
        Version("2.5.1"), "2.5.1+cpu"
    )
