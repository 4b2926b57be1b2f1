"""What a family's file of signals may contain, the checks that need no other file, and the signal itself."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints, model_validator

from kb.core.yaml_files import Strict, Text

# root: may be what began the failure. cascade: follows from something else. confirmation: says for sure what a vaguer
# line only hints at. either: root or cascade, the line does not tell. teardown: written while a failed run is taken
# down. cancel: a person, the scheduler or a time limit ended the run. noise: sounds alarming and is not. advice: tells
# the reader what to try, and names no cause.
Role: TypeAlias = Literal["root", "cascade", "confirmation", "either", "teardown", "cancel", "noise", "advice"]
RunSymptom: TypeAlias = Literal["crash", "launch_failure", "hang", "slowdown", "numerical", "cancelled", "none"]
# Whose fault the line points at: the rank that wrote it, the machine that wrote it, or the job as a whole.
Scope: TypeAlias = Literal["rank", "node", "job"]

Kebab: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$", max_length=64)]
Url: TypeAlias = Annotated[str, StringConstraints(pattern=r"^https://[\w.-]+/\S*$", max_length=200)]
Line: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=500)]
LEAST_WEIGHT, MOST_WEIGHT = 1, 5


class SignalFile(Strict):
    """A kind of log line that is known: how it is recognised, what it says, and what to do about it.

    `weight`: how surely such a line names by itself what went wrong, from a hint (1) to an explicit last word on a
    physical cause or an exhausted resource (5). `pattern` and `unless` are in RE2's syntax. `symptom` and `causes` are
    codes of the house codebook, the likeliest cause first. `general`: gives way to whatever else a line says, as the
    bare name of an exception does. `examples` and `misses` are lines of our own in the real format.
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
    check: tuple[Text, ...] = Field(min_length=1, max_length=4)
    source: Url
    examples: tuple[Line, ...] = Field(min_length=1)
    misses: tuple[Line, ...] = ()

    @model_validator(mode="after")
    def is_consistent(self) -> "SignalFile":
        """A root needs a miss; noise and advice name no cause; a pattern does not begin with any text at all."""
        if self.role == "root" and not self.misses:
            raise ValueError(f"{self.code}: a root signal shows a similar line that it must not match")
        if self.role in ("noise", "advice") and (self.causes or self.symptom):
            raise ValueError(f"{self.code}: {self.role} names neither symptom nor cause")
        if self.pattern.startswith(".*"):
            raise ValueError(f"{self.code}: a search needs no leading .*")
        return self


class Signal(SignalFile):
    """A signal with the family that it is of."""

    family: Kebab


class FamilyFile(Strict):
    """One file: signals of one part of the system."""

    family: Kebab
    title: Text
    signals: tuple[SignalFile, ...] = Field(min_length=1)


def signals_of(family: FamilyFile) -> tuple[Signal, ...]:
    """The signals of a file, in its order."""
    return tuple(Signal(family=family.family, **dict(signal)) for signal in family.signals)
