"""The set-up that logs tell of at their beginning."""

import io

import pytest

from kb.core.diagnosis.pipeline import InputFile
from kb.core.diagnosis.setup import MOST_LINES, setup_of
from kb.core.setups.facts import Setup

COMMAND = "deepspeed --num_gpus 8 train.py --deepspeed --gradient-checkpointing"
VERSIONS = "torch==2.3.1\ntransformers==4.41.0\naccelerate==0.30.1\ndeepspeed==0.14.2\n"
FAILURE = "RuntimeError: the gradient of this partition is empty"


def _setup(*texts: str) -> Setup:
    return setup_of(InputFile(f"rank{number}.log", io.BytesIO(text.encode())) for number, text in enumerate(texts))


@pytest.mark.parametrize(
    "stamp", ["", "2026-11-20 10:00:02,000 ", "[rank0]: ", "2026-11-20T10:00:02.123456Z stdout F "]
)
def test_versions_are_read_behind_what_a_logger_puts_before_them(stamp: str) -> None:
    log = "".join(f"{stamp}{line}\n" for line in (*VERSIONS.splitlines(), FAILURE))
    packages = _setup(log).packages
    assert {name: str(package.allowed.exact) for name, package in packages.items() if package.allowed} == {
        "accelerate": "0.30.1",
        "deepspeed": "0.14.2",
        "torch": "2.3.1",
        "transformers": "4.41.0",
    }


def test_the_command_and_a_printed_configuration_are_read() -> None:
    configuration = '[INFO] json = {\n  "zero_optimization": {"stage": 2},\n  "bf16": {"enabled": true}\n}\n'
    setup = _setup(f"+ echo start\n$ {COMMAND}\n{configuration}{FAILURE}")
    assert "gradient-checkpointing" in setup.flags
    assert {name: setup.facts[name].value for name in ("zero_stage", "precision")} == {
        "zero_stage": 2,
        "precision": "bf16",
    }


def test_what_comes_after_the_beginning_is_left_alone() -> None:
    assert _setup("step\n" * MOST_LINES + VERSIONS).packages == {}


def test_several_ranks_that_say_the_same_are_one_set_up() -> None:
    package = _setup(VERSIONS, VERSIONS, VERSIONS).packages["torch"]
    assert package.allowed is not None
    assert package.allowed.text == "2.3.1"


@pytest.mark.parametrize("log", ["", "\n\n", "\0" * 5_000, "x" * 300_000, FAILURE])
def test_a_log_that_tells_nothing_has_no_set_up(log: str) -> None:
    assert _setup(log).packages == {}
