"""A set-up as the readers leave it: packages, facts, settings, flags, variables and names, all with their place."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kb.core.versions import Allowed

Value = bool | int | float | str


@dataclass(frozen=True)
class Place:
    """Where something was read: a file's name and, where it is known, the line, from 1."""

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}, line {self.line}"


@dataclass(frozen=True)
class Fact:
    """A value and where it was read; `is_default` where nobody wrote it, and the program's own default counts."""

    value: Value
    place: Place
    is_default: bool = False


@dataclass(frozen=True)
class Package:
    """A package that is installed or wanted. `allowed` is None where it comes from a branch, folder or URL."""

    name: str
    allowed: Allowed | None
    place: Place


@dataclass(frozen=True)
class Source:
    """A text that was handed over, and the form that it was read as; an empty form was not recognised."""

    name: str
    form: str
    note: str = ""


@dataclass(frozen=True)
class Setup:
    """All that is known of a set-up.

    `facts` are by the names of `vocabulary.yaml`; `settings` by kind of file and key, such as
    `deepspeed.zero_optimization.stage`; `unread` are settings whose value cannot be read; `flags` by their name without
    dashes; `variables` are of the environment; `absent` are packages that a dump says are not there; `names` are
    identifiers of scripts.
    What is not there is not known, unless a whole list was read:
    `lists_all_packages` (pip freeze, conda list, a lock file), `lists_all_variables` (env), `has_command`,
    `has_script`, or the setting's file (`read_kinds`). `mentioned`: packages that are there, of any version.
    """

    packages: Mapping[str, Package] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)
    settings: Mapping[str, Fact] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()
    flags: Mapping[str, Fact] = field(default_factory=dict)
    variables: Mapping[str, Fact] = field(default_factory=dict)
    absent: Mapping[str, Place] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    read_kinds: frozenset[str] = frozenset()
    mentioned: frozenset[str] = frozenset()
    lists_all_packages: bool = False
    lists_all_variables: bool = False
    has_command: bool = False
    has_script: bool = False
    sources: tuple[Source, ...] = ()
