"""What a draft of a report has and lacks: facts by readers and signs, the symptom, and templates that hold no facts."""

import time

import pydantic
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.codebook.format import parents_of, read_house
from kb.codebook.load import HERE
from kb.core.reports.completeness import completeness, form_template, markdown_template
from kb.core.reports.format import ReportFacts, report_facts
from kb.core.reports.reading import MOST_CHARACTERS, DraftTooLongError

SYMPTOMS = tuple(report_facts().symptoms)
HANG = """Training hangs with ZeRO-3
It stops at step 120 when I run `deepspeed --num_gpus 8 train.py --deepspeed ds.json`.
deepspeed==0.16.2
torch==2.5.1
[rank3]:[E1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=31, OpType=ALLREDUCE, Timeout(ms)=1800000)
"""
# A line of a real kind, and the fact that it is.
LINES = {
    "Traceback (most recent call last):": "traceback",
    "[rank0]: Traceback (most recent call last):": "traceback",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB": "error-line",
    "  train (train.py:41)": "stacks",
    "Thread 0x7F2A (active): \"MainThread\"": "stacks",
    "node1:77:101 [0] NCCL INFO Bootstrap : Using eth0": "nccl-log",
    "|                  PyTorch CUDA memory summary, device ID 0                 |": "memory-summary",
    "per_device_train_batch_size: 8": "sizes",
    "[1234.5] Out of memory: Killed process 4321 (python)": "kernel-log",
    "Mem:           503Gi       21Gi": "host-memory",
    "I expected 4 and got 5": "expected",
    "it runs at 3.2 it/s": "numbers",
    "It worked with 0.15.4": "last-good",
    "See https://github.com/a/b/actions/runs/77/job/9": "job",
    "The page https://docs.vllm.ai/en/v0.9/usage.html says so": "page",
    "nvcc: release 12.4, V12.4.131": "toolchain",
    "we use 2 nodes with 8 GPUs": "world-size",
    "temperature=0": "randomness",
    "-rw-r--r-- 1 me me 135 model-00001-of-00004.safetensors": "files",
}  # fmt: skip


def found(draft: str, symptom: str = "") -> set[str]:
    return {item.code for item in completeness(draft, symptom).present}


@pytest.mark.parametrize(("line", "fact"), LINES.items())
def test_a_line_is_the_fact_that_it_looks_like(line: str, fact: str) -> None:
    asking = next(code for code, entry in report_facts().symptoms.items() if fact in (*entry.needs, *entry.helps))
    assert fact in found(line, asking)


def test_a_draft_of_a_hang_is_told_what_it_lacks() -> None:
    checked = completeness(HANG)
    assert (checked.symptom, checked.is_guess) == ("hang", False)
    assert checked.told_by.startswith("[rank3]:[E1] Watchdog caught")
    assert [item.code for item in checked.missing] == ["stacks", "nccl-log"]
    assert "py-spy dump" in checked.missing[0].fact.get


def test_readers_of_set_ups_find_versions_commands_and_sizes() -> None:
    items = {item.code: item.evidence for item in completeness(HANG).present}
    assert items["versions"] is not None
    assert items["versions"].text == "deepspeed, torch"
    assert items["command"] is not None
    assert "deepspeed --num_gpus 8" in items["command"].text
    assert "world-size" in items


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("- [x] I read the docs at https://docs.vllm.ai/en/latest/", "page"),
        ("For debugging consider passing CUDA_LAUNCH_BLOCKING=1", "device-trace"),
        ("Collecting environment information...", "whole-output"),
        ("### It always happens", "how-often"),
    ],
)
def test_a_forms_own_words_and_advice_of_tools_are_no_facts(line: str, fact: str) -> None:
    asking = next(code for code, entry in report_facts().symptoms.items() if fact in (*entry.needs, *entry.helps))
    assert fact not in found(line, asking)


def test_a_package_without_its_version_is_no_version() -> None:
    assert "versions" not in found("pip install flash-attn fails", "setup-failure")


@pytest.mark.parametrize(
    ("draft", "symptom"),
    [
        ("the loss becomes nan after a while", "wrong-result"),
        ("decoding is slower than before", "slow"),
        ("训练卡住", "hang"),
        ("there is a memory leak in the worker", "memory"),
    ],
)
def test_words_tell_the_symptom_where_no_line_does(draft: str, symptom: str) -> None:
    assert completeness(draft).symptom == symptom


def test_a_text_that_tells_nothing_is_asked_as_a_crash_and_says_so() -> None:
    checked = completeness("please help")
    assert (checked.symptom, checked.told_by, checked.is_guess) == ("crash", "", True)


def test_who_names_the_symptom_is_not_contradicted() -> None:
    assert completeness(HANG, "slow").symptom == "slow"
    assert completeness(HANG, "oom-gpu").symptom == "memory"


def test_secrets_are_not_shown_again() -> None:
    draft = "`HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH vllm serve m --tensor-parallel-size 2`"
    shown = " ".join(item.evidence.text for item in completeness(draft).present if item.evidence)
    assert "hf_abcdefgh" not in shown


@pytest.mark.parametrize("symptom", SYMPTOMS)
class TestTemplates:
    def test_an_empty_one_has_no_fact(self, symptom: str) -> None:
        assert found(markdown_template(symptom), symptom) == set()

    def test_the_form_asks_for_the_same(self, symptom: str) -> None:
        form = yaml.safe_load(form_template(symptom))
        entry = report_facts().symptoms[symptom]
        required = {field["id"]: field["validations"]["required"] for field in form["body"]}
        assert required == dict.fromkeys(entry.needs, True) | dict.fromkeys(entry.helps, False)


class TestFile:
    def test_every_symptom_of_the_codebook_is_covered(self) -> None:
        symptoms = {code for axis, code in parents_of(read_house(HERE / "house.yaml")) if axis == "symptom"}
        assert {code for entry in report_facts().symptoms.values() for code in entry.covers} == symptoms

    def test_every_fact_is_asked_for(self) -> None:
        asked = {code for entry in report_facts().symptoms.values() for code in (*entry.needs, *entry.helps)}
        assert asked == set(report_facts().facts)

    @pytest.mark.parametrize(
        "wrong",
        [{"needs": ["versions", "weather"]}, {"needs": ["versions", "versions"]}, {"covers": ["hang", "slow"]}],
    )
    def test_what_does_not_fit_is_refused(self, wrong: dict[str, list[str]]) -> None:
        content = report_facts().model_dump()
        content["symptoms"]["hang"] |= wrong
        with pytest.raises(pydantic.ValidationError):
            ReportFacts.model_validate(content)

    @pytest.mark.parametrize(
        "wrong", [{"reads": ["weather"], "signs": []}, {"reads": [], "signs": []}, {"signs": ["("]}]
    )
    def test_a_fact_that_nothing_finds_is_refused(self, wrong: dict[str, list[str]]) -> None:
        content = report_facts().model_dump()
        content["facts"]["versions"] |= wrong
        with pytest.raises(pydantic.ValidationError):
            ReportFacts.model_validate(content)


class TestAnyText:
    @settings(max_examples=150, deadline=None)
    @given(st.text(max_size=400), st.sampled_from(["", *SYMPTOMS]))
    def test_is_answered_with_each_fact_once(self, text: str, symptom: str) -> None:
        checked = completeness(text, symptom)
        assert len({item.code for item in checked.items}) == len(checked.items)
        assert len(checked.present) + len(checked.missing) + len(checked.helpful) == len(checked.items)

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.sampled_from(list(LINES)), max_size=6), st.sampled_from(list(LINES)))
    def test_a_line_more_takes_no_fact_away(self, lines: list[str], more: str) -> None:
        assert found("\n".join(lines), "hang") <= found("\n".join([*lines, more]), "hang")

    def test_a_longer_one_than_hosts_take_is_refused(self) -> None:
        with pytest.raises(DraftTooLongError, match="65,536"):
            completeness("x" * (MOST_CHARACTERS + 1))
        with pytest.raises(DraftTooLongError, match="lines"):
            completeness("\n" * 5_001)

    def test_the_longest_is_read_in_seconds(self) -> None:
        began = time.monotonic()
        for unit in ("a ", "1 x ", "( ", "batch_size ", "expect ", " \t", "\"' "):
            completeness(("".join([unit * (200 // len(unit)), "\n"]) * MOST_CHARACTERS)[:MOST_CHARACTERS])
        assert time.monotonic() - began < 30
