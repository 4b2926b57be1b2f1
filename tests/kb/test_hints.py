"""The files of hints: every uppermost root cause has some, codes and playbooks exist, and records teach them."""

from pathlib import Path
from shutil import copytree
from typing import Any

import pydantic
import pytest
import yaml

from kb.codebook.format import HouseFile, read_house
from kb.codebook.hints import HERE, CauseHints, Hints, hints, misplaced_hints
from kb.codebook.load import HERE as CODEBOOK
from kb.codebook.load import CodebookInvalidError, read_codebook
from kb.starter.load import RECORDS

HINT: dict[str, Any] = {
    "test": "Give ranks unequal work on purpose.",
    "log": "The last collective of every rank.",
    "reproduce": {"gpus": 0, "processes": 2, "how": "Two processes with gloo on a CPU."},
    "records": ["https://github.com/pytorch/pytorch/issues/54059"],
}


@pytest.fixture(scope="module")
def house() -> HouseFile:
    return read_house(CODEBOOK / "house.yaml")


def told(*, house: HouseFile, **causes: Any) -> list[str]:
    """What is wrong with these causes, beyond those without hints."""
    found = Hints(causes={code.replace("_", "-"): CauseHints(**cause) for code, cause in causes.items()}, symptoms={})
    return [problem for problem in misplaced_hints(found, house) if not problem.endswith("has no hints")]


def test_what_ships_fits_the_codebook(house: HouseFile) -> None:
    assert misplaced_hints(hints(), house) == []


def test_every_hint_rests_on_records_that_ship() -> None:
    urls = {yaml.safe_load(line)["url"] for line in _first_lines()}
    for row in hints().rows():
        assert set(row.hints.records) <= urls, row.code


def _first_lines() -> list[str]:
    files = RECORDS.glob("*/*.yaml")
    return [line for file in files for line in file.read_text().splitlines() if line.startswith("url: ")]


def test_an_uppermost_cause_without_hints_is_told(house: HouseFile) -> None:
    problems = misplaced_hints(Hints(causes={}, symptoms={}), house)
    assert "causes.yaml: hardware has no hints" in problems
    assert not any("network-fault" in problem for problem in problems)


def test_unknown_codes_are_told(house: HouseFile) -> None:
    assert told(house=house, collective_mismatch=HINT) == []
    assert told(house=house, hang=HINT) == ["causes.yaml: hang is not a root cause of the house codebook"]
    assert "pray is not a fix pattern" in told(house=house, transport=HINT | {"patterns": ["pray"]})[0]
    assert "no playbook rain" in told(house=house, transport=HINT | {"faults": ["rain"]})[0]


@pytest.mark.parametrize(
    "wrong",
    [{"records": []}, {"test": "Test it."}, {"reproduce": HINT["reproduce"] | {"processes": 0}}, {"colour": "red"}],
)
def test_a_hint_says_enough_and_nothing_else(wrong: dict[str, Any]) -> None:
    with pytest.raises(pydantic.ValidationError):
        CauseHints(**(HINT | wrong))


def test_the_codebook_is_refused_with_a_mistake_in_them(tmp_path: Path) -> None:
    root = copytree(CODEBOOK, tmp_path / "codebook")
    file = root / HERE.name / "causes.yaml"
    file.write_text(file.read_text().replace("  hardware:\n", "  hardwear:\n"))
    with pytest.raises(CodebookInvalidError) as refused:
        read_codebook(root)
    assert "causes.yaml: hardwear is not a root cause of the house codebook" in refused.value.problems


def test_playbooks_are_given_the_hints_of_their_causes() -> None:
    assert "collective-mismatch" in hints().of_pattern("align-collectives")
    assert "collective-mismatch" in hints().of_fault("zero-3-hang")
    assert hints().of_fault("no-such-fault") == {}
