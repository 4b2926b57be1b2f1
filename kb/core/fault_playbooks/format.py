"""The file of a common fault's playbook: a tree of checks, each outcome leading to the next check or to what to do."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from kb.core.yaml_files import Strict, read_yaml

HERE = Path(__file__).parent
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
Short = Annotated[str, StringConstraints(strip_whitespace=True, min_length=2, max_length=120)]
Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=10, max_length=400)]
# As many lines as a terminal shows without scrolling.
Commands = Annotated[str, StringConstraints(min_length=2, max_length=900, pattern=r"^[^\n]*(\n[^\n]*){0,14}$")]
IssueUrl = Annotated[str, StringConstraints(pattern=r"^https://(github|gitee)\.com/[\w.-]+/[\w.-]+/issues/\w+$")]


class Outcome(Strict):
    """What a check may show. It leads to another step, or says what to do."""

    see: Short
    means: Sentence | None = None
    next: Slug | None = Field(default=None, description="The id of the step that follows.")
    do: Sentence | None = None
    commands: Commands | None = None
    records: tuple[IssueUrl, ...] = Field(default=(), max_length=6)

    @model_validator(mode="after")
    def leads_somewhere(self) -> "Outcome":
        """Either a next step or what to do; what is told to do rests on records."""
        if (self.next is None) == (self.do is None):
            raise ValueError(f"'{self.see}' needs either next (the id of a step) or do")
        if self.do is not None and not self.records:
            raise ValueError(f"'{self.see}' says what to do: name a record that taught it")
        return self


class Step(Strict):
    """One check: what to look at, how, and what it may show."""

    id: Slug
    check: Sentence
    why: Sentence | None = None
    commands: Commands | None = None
    outcomes: tuple[Outcome, ...] = Field(min_length=2, max_length=6)


class Trial(Strict):
    """A real thread that the tree was walked with, and where it ended."""

    url: IssueUrl
    ends: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+/[1-6]$")] = Field(description="STEP/NUMBER of OUTCOME")
    fits: bool = Field(default=True, description="Whether that is what the thread itself came to.")


class FaultPlaybook(Strict):
    """What to do about a fault that many people meet. The first step comes first."""

    slug: Slug
    name: Short
    asked: tuple[Short, ...] = Field(min_length=3, max_length=24, description="What people type, in any language.")
    lines: tuple[Short, ...] = Field(default=(), max_length=8, description="Lines that tools print then.")
    symptom: Slug | None = Field(default=None, description="The symptom's code in the house codebook.")
    summary: Sentence
    steps: tuple[Step, ...] = Field(min_length=2, max_length=12)
    tried: tuple[Trial, ...] = Field(min_length=3, max_length=8)

    @model_validator(mode="after")
    def is_a_tree(self) -> "FaultPlaybook":
        """Every step is reached from the first one, nothing leads back, and trials end at what to do."""
        for fault in _faults(self):
            raise ValueError(fault)
        return self

    @property
    def records(self) -> tuple[str, ...]:
        """Addresses of the records that taught it, each once."""
        outcomes = (outcome for step in self.steps for outcome in step.outcomes)
        return tuple(dict.fromkeys(url for outcome in outcomes for url in outcome.records))


def _faults(playbook: FaultPlaybook) -> Iterator[str]:
    places = {step.id: place for place, step in enumerate(playbook.steps)}
    for step_id, count in Counter(step.id for step in playbook.steps).items():
        if count > 1:
            yield f"two steps have the id '{step_id}'"
    reached = {playbook.steps[0].id}
    ends = set()
    for place, step in enumerate(playbook.steps):
        if step.id not in reached:
            yield f"no outcome of an earlier step leads to '{step.id}'"
        for number, outcome in enumerate(step.outcomes, start=1):
            if outcome.next is None:
                ends.add(f"{step.id}/{number}")
            elif places.get(outcome.next, -1) <= place:
                yield f"'{step.id}' leads to '{outcome.next}', which is no later step"
            else:
                reached.add(outcome.next)
    for trial in playbook.tried:
        if trial.ends not in ends:
            yield f"tried: '{trial.ends}' is no outcome that says what to do"


def read_fault_playbook(path: Path) -> FaultPlaybook:
    """Read and check one file. Raises `pydantic.ValidationError`, `yaml.YAMLError`, `OSError`, or `ValueError`."""
    playbook = FaultPlaybook.model_validate(read_yaml(path))
    if playbook.slug != path.stem:
        raise ValueError(f"slug is '{playbook.slug}', and the file is called '{path.name}'")
    return playbook


@cache
def fault_playbooks() -> tuple[FaultPlaybook, ...]:
    """All playbooks of common faults, by name."""
    playbooks = map(read_fault_playbook, HERE.glob("*.yaml"))
    return tuple(sorted(playbooks, key=lambda playbook: playbook.name.lower()))


def fault_playbook(slug: str) -> FaultPlaybook | None:
    """The playbook of this slug; None where there is none."""
    return next((playbook for playbook in fault_playbooks() if playbook.slug == slug), None)
