"""What a family's file of signals may contain, and the signal itself; `rules` has what the form cannot express."""

import re
from typing import Annotated, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, StringConstraints

from kb.core.yaml_files import Strict, Text

# root: may be what began the failure. cascade: follows from something else. confirmation: says for sure what a vaguer
# line only hints at. either: root or cascade, the line does not tell. teardown: written while a failed run is taken
# down. cancel: a person, the scheduler or a time limit ended the run. noise: sounds alarming and is not. advice: tells
# the reader what to try, and names no cause.
Role: TypeAlias = Literal["root", "cascade", "confirmation", "either", "teardown", "cancel", "noise", "advice"]
RunSymptom: TypeAlias = Literal["crash", "launch_failure", "hang", "slowdown", "numerical", "cancelled", "none"]
# Whose fault the line points at: the rank that wrote it, the machine that wrote it, or the job as a whole.
Scope: TypeAlias = Literal["rank", "node", "job"]

# Of which part of the world's stacks a family's lines are.
Stack: TypeAlias = Literal[
    "communication", "accelerators", "training", "serving", "data", "cluster", "programs", "tests", "anywhere"
]

# In which stage of its life a run is (`kb.core.diagnosis.parsing.stages`).
Stage: TypeAlias = Literal["init", "load", "train", "checkpoint", "eval", "serve", "teardown"]
Checks: TypeAlias = Annotated[tuple[Text, ...], Field(min_length=1, max_length=4)]

Kebab: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$", max_length=64)]
URL = re.compile(r"https://[\w-]+(?:\.[\w-]+)+/\S*")
# Names that no page can have, by RFC 2606 and 6761.
PLACEHOLDER_HOST = re.compile(r"(?:^|\.)(?:example\.(?:com|net|org)|example|invalid|test|localhost|local)$|^[\d.]+$")
# Anybody can write anything there, and the page does not last.
FORUMS = ("stackoverflow.com", "medium.com", "reddit.com", "/issues/", "/discussions/")


def source_of_a_signal(url: str) -> str:
    """The address, if it can be that of an official page or a source file. Raises `ValueError` with what to write."""
    wanted = "give the official page or the source file that the line comes from"
    if not URL.fullmatch(url):
        raise ValueError(f"'{url}' is no https address with a path: {wanted}")
    if PLACEHOLDER_HOST.search(urlsplit(url).hostname or ""):
        raise ValueError(f"'{url}' is a placeholder: {wanted}")
    if any(forum in url for forum in FORUMS):
        raise ValueError(f"'{url}' is a forum or an issue: {wanted}")
    return url


Url: TypeAlias = Annotated[str, StringConstraints(max_length=200), AfterValidator(source_of_a_signal)]
Line: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=500)]
LEAST_WEIGHT, MOST_WEIGHT = 1, 5
# How surely a line of this weight shows its cause.
STRENGTHS = {1: "a hint only", 2: "a hint only", 3: "possible", 4: "likely", 5: "the line itself shows it"}


class SignalFile(Strict):
    """A kind of log line that is known: how it is recognised, what it says, and what to do about it.

    `weight`: how surely such a line names by itself what went wrong, from a hint (1) to an explicit last word on a
    physical cause or an exhausted resource (5). `pattern` and `unless` are in RE2's syntax. `symptom` and `causes` are
    codes of the house codebook, the likeliest cause first. `general`: gives way to whatever else a line says, as the
    bare name of an exception does. `check_in`: by stage of a run, what to check instead of `check` where it fails
    there. `examples` and `misses` are lines of our own in the real format.
    """

    code: Kebab
    role: Role
    weight: int = Field(ge=LEAST_WEIGHT, le=MOST_WEIGHT)
    general: bool = False
    pattern: Text
    unless: Text | None = None
    symptom: Kebab | None = None
    run_symptom: RunSymptom | None = None
    causes: tuple[Kebab, ...] = ()
    scope: Scope = "rank"
    means: Text
    check: Checks
    check_in: dict[Stage, Checks] = Field(default_factory=dict)
    source: Url
    examples: tuple[Line, ...] = Field(min_length=1)
    misses: tuple[Line, ...] = ()


class Signal(SignalFile):
    """A signal with the family that it is of."""

    family: Kebab

    def checks_in(self, stage: str | None) -> tuple[str, ...]:
        """What to check where a run failed in this stage."""
        return next((checks for known, checks in self.check_in.items() if known == stage), self.check)

    @property
    def strength(self) -> str:
        """How surely such a line shows its first cause, in words."""
        return STRENGTHS[self.weight]


class FamilyFile(Strict):
    """One file: signals of one part of the system."""

    family: Kebab
    title: Text
    stack: Stack = "anywhere"
    signals: tuple[SignalFile, ...] = Field(min_length=1)


def signals_of(family: FamilyFile) -> tuple[Signal, ...]:
    """The signals of a file, in its order."""
    # They are valid already.
    return tuple(Signal.model_construct(family=family.family, **dict(signal)) for signal in family.signals)
