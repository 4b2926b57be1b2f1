"""Conditions of records are refused that narrow nothing, or that leave out what the record itself reports."""

from typing import Any

import pytest

from kb.starter.narrowing import condition_faults
from tests.kb.test_record_checks import record

ROW = {"package": "deepspeed", "reported": ["0.16.4"]}
LABELS = {"issue_type": ["bug"], "symptom": ["hang"], "component": ["launcher"]}


def told(condition: str, *, hardware: str = "", **more: Any) -> list[str]:
    labels = LABELS | ({"hardware": [hardware]} if hardware else {})
    return list(condition_faults(record(labels, affects_when=condition, **more)))


def served(condition: str) -> list[str]:
    """Of a fault of an engine."""
    return told(condition, url="https://github.com/ollama/ollama/issues/1", framework="ollama")


@pytest.mark.parametrize("condition", ['engine == "ollama"', 'engine == "ollama" and as_described'])
def test_a_condition_that_names_the_framework_alone_is_refused(condition: str) -> None:
    (reason,) = served(condition)
    assert reason == (
        f"affects_when: '{condition}' is true wherever ollama/ollama runs: write what else must be so, or as_described "
        "alone, or any if every such set-up has the fault"
    )


def test_so_is_one_that_names_the_package_whose_versions_it_lists() -> None:
    assert told('installed("deepspeed") and as_described', affects=[ROW])
    assert told('installed("torch") and as_described', affects=[ROW]) == []


@pytest.mark.parametrize("condition", ["any", "as_described", 'engine == "ollama" and device == "cuda"'])
def test_what_narrows_or_says_that_it_does_not_is_fine(condition: str) -> None:
    assert served(condition) == []


def test_two_packages_that_must_meet_are_fine() -> None:
    rows = [{"package": "vllm", "reported": ["0.26.0"]}, {"package": "lmcache", "reported": ["0.5.2"]}]
    assert told('engine == "vllm" and installed("lmcache") and as_described', affects=rows) == []


@pytest.mark.parametrize(
    ("condition", "reported"),
    [
        ('device == "cuda" and as_described', {"hardware": "ascend"}),
        ('"qwen3" in model', {"models": ["Gemma 3 4B"]}),
        ('version("deepspeed") < "0.16"', {"affects": [ROW]}),
    ],
)
def test_a_condition_that_leaves_out_the_record_s_own_set_up_is_refused(
    condition: str, reported: dict[str, Any]
) -> None:
    (reason,) = told(condition, **reported)
    assert "leaves out the record's own set-up" in reason


def test_one_of_several_reported_set_ups_is_enough() -> None:
    assert told('"gemma-3" in model', models=["Gemma 3 4B", "Qwen3-8B"]) == []
    assert told('version("deepspeed") >= "0.17"', affects=[{**ROW, "reported": ["0.16.4", "0.17.1"]}]) == []
