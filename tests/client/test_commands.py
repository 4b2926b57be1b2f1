"""The client's commands where a user calls them: what they answer offline, and how they end."""

import json
from pathlib import Path

import pytest
from faultbook.__main__ import main

from tests.kb.diagnose.runs import FAILED


@pytest.fixture
def log(machine: Path) -> Path:
    (machine / "job.log").write_text(FAILED)
    return machine / "job.log"


def printed(capsys: pytest.CaptureFixture[str]) -> object:
    return json.loads(capsys.readouterr().out)


def test_a_log(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", str(log)]) == 1
    text = capsys.readouterr().out
    for part in ("The run failed", "What failed first", "Causes by name", "Known issues", "Playbooks"):
        assert part in text
    print(text)


def test_search(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "hang in ZeRO-3"]) == 0
    print(capsys.readouterr().out)
    assert 0
