"""Hints by root cause and by symptom: what test or log would have told it, and the smallest set-up that shows it. Pure.

The hints are in `hints/*.yaml`, read from disk. Codes, playbooks and their pages belong to the house codebook.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from kb.codebook.format import Code, HouseFile, walk
from kb.core.fault_playbooks import fault_playbook
from kb.core.fault_playbooks.format import IssueUrl, Slug
from kb.core.yaml_files import Strict, read_yaml

HERE = Path(__file__).parent / "hints"
HintAxis = Literal["root_cause", "symptom"]
Hint = Annotated[str, StringConstraints(strip_whitespace=True, min_length=20, max_length=330)]


class Reproduction(Strict):
    """The smallest set-up that shows a fault of this kind."""

    gpus: int = Field(ge=0, le=8, description="Accelerators it takes; 0 where a CPU is enough.")
    processes: int = Field(ge=1, le=8, description="Processes, or ranks, that it takes.")
    how: Hint


class SymptomHints(Strict):
    """How a symptom is shown, and records that teach it."""

    reproduce: Reproduction
    records: tuple[IssueUrl, ...] = Field(min_length=1, max_length=3)


class CauseHints(SymptomHints):
    """What would have told a root cause earlier, how it is shown, and the playbooks that go with it."""

    test: Hint
    log: Hint
    patterns: tuple[Code, ...] = Field(default=(), max_length=4, description="Fix patterns that often settle it.")
    faults: tuple[Slug, ...] = Field(default=(), max_length=4, description="Common faults that it is often behind.")


class CausesFile(Strict):
    """`hints/causes.yaml`: hints by the root cause's code."""

    causes: dict[Code, CauseHints] = Field(min_length=1)


class SymptomsFile(Strict):
    """`hints/symptoms.yaml`: hints by the symptom's code."""

    symptoms: dict[Code, SymptomHints] = Field(min_length=1)


@dataclass(frozen=True)
class HintRow:
    """One category's hints; those of a symptom say how it is shown, and no more."""

    axis: HintAxis
    code: str
    hints: SymptomHints

    @property
    def of_cause(self) -> CauseHints | None:
        """What a root cause has beyond that."""
        return self.hints if isinstance(self.hints, CauseHints) else None


@dataclass(frozen=True)
class Hints:
    """All hints by code, in the files' order."""

    causes: Mapping[str, CauseHints]
    symptoms: Mapping[str, SymptomHints]

    def rows(self) -> "tuple[HintRow, ...]":
        """Every category with hints: root causes first."""
        causes = (HintRow("root_cause", code, cause) for code, cause in self.causes.items())
        symptoms = (HintRow("symptom", code, symptom) for code, symptom in self.symptoms.items())
        return (*causes, *symptoms)

    def of_pattern(self, code: str) -> dict[str, CauseHints]:
        """The hints of the causes that this fix pattern often settles, by their codes."""
        return {cause: hints for cause, hints in self.causes.items() if code in hints.patterns}

    def of_fault(self, slug: str) -> dict[str, CauseHints]:
        """The hints of the causes that are often behind this common fault, by their codes."""
        return {cause: hints for cause, hints in self.causes.items() if slug in hints.faults}


def read_cause_hints(path: Path) -> dict[str, CauseHints]:
    """Read and check `causes.yaml`. Raises `pydantic.ValidationError`, `yaml.YAMLError` or `OSError`."""
    return CausesFile.model_validate(read_yaml(path)).causes


def read_symptom_hints(path: Path) -> dict[str, SymptomHints]:
    """Read and check `symptoms.yaml`. Raises `pydantic.ValidationError`, `yaml.YAMLError` or `OSError`."""
    return SymptomsFile.model_validate(read_yaml(path)).symptoms


@cache
def hints() -> Hints:
    """The hints that ship."""
    return Hints(causes=read_cause_hints(HERE / "causes.yaml"), symptoms=read_symptom_hints(HERE / "symptoms.yaml"))


def misplaced_hints(found: Hints, house: HouseFile) -> list[str]:
    """One sentence for each code or playbook that is unknown, and each uppermost root cause without hints."""
    known: dict[str, set[str]] = {axis.code: {node.code for node, _ in walk(axis.nodes)} for axis in house.axes}
    problems = [
        f"symptoms.yaml: {code} is not a symptom of the house codebook"
        for code in found.symptoms
        if code not in known["symptom"]
    ]
    for code, cause in found.causes.items():
        problems += [f"causes.yaml: {fault}" for fault in _unknown_to(code, cause, known)]
    (causes,) = (axis for axis in house.axes if axis.code == "root_cause")
    for node in causes.nodes:
        if node.status == "active" and node.code not in found.causes:
            problems.append(f"causes.yaml: {node.code} has no hints")
    return problems


def _unknown_to(code: str, cause: CauseHints, known: Mapping[str, Collection[str]]) -> Iterator[str]:
    if code not in known["root_cause"]:
        yield f"{code} is not a root cause of the house codebook"
    for pattern in cause.patterns:
        if pattern not in known["fix_pattern"]:
            yield f"{code}: {pattern} is not a fix pattern of the house codebook"
    for fault in cause.faults:
        if fault_playbook(fault) is None:
            yield f"{code}: there is no playbook {fault}"
