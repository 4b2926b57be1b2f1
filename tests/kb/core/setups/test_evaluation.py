"""The measure of checks, and what it says of the judged set-ups."""

import json
from pathlib import Path

import pytest

from tests.kb.core.setups.evaluation.cases import read_cases
from tests.kb.core.setups.evaluation.faults import faults_of_records
from tests.kb.core.setups.evaluation.measures import measured
from tests.kb.core.setups.setups import fault, row

SETUPS = Path(__file__).parents[5] / "shared" / "data" / "setups"
NAME = "deepspeedai/DeepSpeed#1"
FREEZE = "deepspeed=={}\naccelerate==1.2.0\nnumpy==1.26.4\ntorch==2.6.0\ntransformers==4.48.0\n"


def test_it_counts_what_is_listed_and_what_is_said_wrongly(tmp_path: Path) -> None:
    cases = {
        "listed": ("0.14.2", {"record": NAME, "expect": "affects"}),
        "missed": ("0.13.0", {"record": NAME, "expect": "affects", "why": "made up"}),
        "wrong": ("0.14.2", {"record": NAME, "expect": "not", "why": "made up"}),
        "clean": ("0.15.1", {"record": None, "expect": "not"}),
        "accepted": ("0.14.2", {"record": NAME, "expect": "may", "accept": ["affects"]}),
    }
    for name, (version, _) in cases.items():
        folder = tmp_path / "cases" / name
        folder.mkdir(parents=True)
        (folder / "pip-freeze.txt").write_text(FREEZE.format(version))
    (tmp_path / "expected.json").write_text(json.dumps({name: wanted for name, (_, wanted) in cases.items()}))
    report = measured(read_cases(tmp_path), [fault(row("0.14.0", "0.15.1"), condition="any")])
    assert (sorted(report.listed), sorted(report.wrongly)) == ([False, True], [False, True])
    assert [miss.split(":")[0] for miss in report.misses] == ["missed", "wrong"]


@pytest.mark.real_data
@pytest.mark.skipif(not SETUPS.is_dir(), reason="needs ../shared/data/setups")
def test_affected_set_ups_are_found_and_no_other_is_called_so() -> None:
    report = measured(read_cases(SETUPS), tuple(faults_of_records()))
    assert len(report.answers) >= 80
    assert sum(report.listed) >= 0.9 * len(report.listed), report.misses
    assert sum(report.wrongly) <= 0.03 * len(report.wrongly), report.misses
