"""Playbooks of common faults: what a file may hold, and that those of the project rest on records."""

from pathlib import Path
from typing import Any

import pydantic
import pytest
import yaml

from kb.codebook.format import walk
from kb.codebook.load import read_codebook
from kb.core.fault_playbooks import fault_playbook, fault_playbooks
from kb.core.fault_playbooks.format import read_fault_playbook
from kb.starter.format import record_path
from kb.starter.load import RECORDS

RECORD = "https://github.com/deepspeedai/DeepSpeed/issues/1543"


def _playbook(**changes: Any) -> dict[str, Any]:
    end = {"see": "It is small", "do": "Raise `reserve`.", "records": [RECORD]}
    first = {
        "id": "size",
        "check": "How large is the buffer?",
        "outcomes": [end, {"see": "It is large", "next": "owner"}],
    }
    second = {"id": "owner", "check": "Who holds the buffer?", "outcomes": [end, end | {"see": "Another one"}]}
    return {
        "slug": "full-buffer",
        "name": "Full buffer",
        "asked": ["buffer is full", "no room in buffer", "缓冲区 满"],
        "summary": "The buffer takes nothing more.",
        "steps": [first, second],
        "tried": [{"url": RECORD, "ends": f"owner/{number}"} for number in (1, 2, 1)],
    } | changes


def _written(folder: Path, playbook: dict[str, Any]) -> Path:
    path = folder / "full-buffer.yaml"
    path.write_text(yaml.safe_dump(playbook, allow_unicode=True), encoding="utf-8")
    return path


def test_a_tree_is_read(tmp_path: Path) -> None:
    playbook = read_fault_playbook(_written(tmp_path, _playbook()))
    assert [step.id for step in playbook.steps] == ["size", "owner"]
    assert playbook.records == (RECORD,)


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (("steps", 0, "outcomes", 1, "next"), "size", "'size' leads to 'size', which is no later step"),
        (("steps", 0, "outcomes", 1, "next"), "nowhere", "'size' leads to 'nowhere', which is no later step"),
        (("steps", 1, "id"), "size", "two steps have the id 'size'"),
        (
            ("steps", 0, "outcomes", 1),
            {"see": "It is large", "do": "Wait for it.", "records": [RECORD]},
            "no outcome of an",
        ),
        (("steps", 0, "outcomes", 0, "records"), [], "name a record that taught it"),
        (("steps", 0, "outcomes", 0, "next"), "owner", "needs either next (the id of a step) or do"),
        (("tried", 0, "ends"), "size/2", "'size/2' is no outcome that says what to do"),
        (("slug",), "other", "the file is called 'full-buffer.yaml'"),
    ],
)
def test_a_tree_that_leads_nowhere_is_refused(
    tmp_path: Path, place: tuple[str | int, ...], value: object, reason: str
) -> None:
    playbook: Any = _playbook()
    inner = playbook
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises((pydantic.ValidationError, ValueError)) as refusal:
        read_fault_playbook(_written(tmp_path, playbook))
    assert reason in str(refusal.value)


def test_every_playbook_rests_on_records_and_names_a_known_symptom() -> None:
    house = read_codebook().house
    symptoms = {node.code for axis in house.axes if axis.code == "symptom" for node, _ in walk(axis.nodes)}
    for playbook in fault_playbooks():
        assert playbook.symptom is None or playbook.symptom in symptoms
        assert [url for url in playbook.records if not record_path(RECORDS, url).exists()] == []


def test_no_two_playbooks_are_asked_for_in_the_same_words() -> None:
    asked = [text for playbook in fault_playbooks() for text in {playbook.name.lower(), *playbook.asked}]
    assert len(asked) == len(set(asked))
    assert all(fault_playbook(playbook.slug) is playbook for playbook in fault_playbooks())
