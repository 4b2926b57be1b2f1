"""What a mapping file may contain: how the columns of a labelled data set become issues, labels and votes.

Pure: knows YAML's values, not Django. `docs/importing.md` explains every key for those who write one.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import pydantic
import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from ingest.rejections import FileUnreadableError
from kb.core.frameworks import FrameworkFile, Slug

MAPPINGS = Path(__file__).with_name("mappings")

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Column = Annotated[str, StringConstraints(min_length=1)]
OneOrMore = Field(min_length=1)


class MappingError(ValueError):
    """A mapping that cannot be used; the message says what to correct."""


class Strict(BaseModel):
    """Base of every part of a mapping: unknown keys are mistakes, not extras."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceFile(Strict):
    """Who holds the labels and how far to trust them."""

    slug: Slug
    name: Text
    confidence: Literal["high", "medium", "low"]
    url: Text
    licence: Text = Field(description="As the set states it; 'none stated' when it does not.")
    texts_may_be_kept: bool = Field(
        default=False, description="Whether the licence permits us to keep other people's titles."
    )
    trust_note: Text


class StateMapping(Strict):
    """Which values of a column mean that the issue was open or closed."""

    column: Column
    open: tuple[Text, ...] = OneOrMore
    closed: tuple[Text, ...] = OneOrMore


class FrameworkRule(Strict):
    """The framework of repositories that `kb/core/frameworks.yaml` does not have."""

    match: Annotated[str, StringConstraints(pattern=r"^(github|gitee)\.com/\S+/\S+$")] = Field(
        description="host/owner/name; * stands for any characters."
    )
    slug: Slug
    name: Text


class AxisMapping(Strict):
    """How one axis of the study's scheme is answered.

    The final answer comes from `final` (one column), from `levels` (one column per level of the tree) or from
    a `majority` of the votes.
    """

    axis: Annotated[str, StringConstraints(pattern=r"^[a-z_]+$")]
    final: Column | None = None
    levels: tuple[Column, ...] = ()
    majority: int | None = Field(default=None, ge=1)
    votes: tuple[Column, ...] = Field(default=(), description="One column per annotator, in their order.")
    many: Text | None = Field(default=None, description="Separator of several answers in one cell.")
    extract: str | None = Field(default=None, description="A regular expression; its first group is the value.")
    match: Literal["code", "path"] = "code"
    split: Column | None = Field(default=None, description="Separator of a path's levels in one cell.")
    values: dict[str, Text] = Field(default_factory=dict, description="Value of the cell -> code of the node.")
    spellings: dict[str, Text] = Field(default_factory=dict, description="Variant of a name -> the node's name.")
    blank: Literal["reject", "skip"] = "reject"

    @model_validator(mode="after")
    def has_one_way_to_answer(self) -> "AxisMapping":
        """Exactly one of `final`, `levels` and `majority`, with what belongs to it."""
        if sum((self.final is not None, bool(self.levels), self.majority is not None)) != 1:
            raise ValueError(f"axis {self.axis}: give exactly one of final, levels and majority")
        if self.majority is not None and not self.majority <= len(self.votes) < 2 * self.majority:
            raise ValueError(f"axis {self.axis}: majority must be more than half of the votes columns")
        if self.split and (self.match != "path" or self.levels):
            raise ValueError(f"axis {self.axis}: split goes with match: path and one column")
        if self.levels and (self.match != "path" or self.many):
            raise ValueError(f"axis {self.axis}: levels go with match: path and with one answer per row")
        return self

    @field_validator("extract")
    @classmethod
    def is_a_pattern(cls, value: str | None) -> str | None:
        """A regular expression with one group."""
        if value is not None:
            try:
                groups = re.compile(value).groups
            except re.error as error:
                raise ValueError(f"extract is not a regular expression: {error}") from error
            if groups != 1:
                raise ValueError("extract needs exactly one group in parentheses")
        return value

    def columns(self) -> Iterator[str]:
        """Every column that the axis reads."""
        yield from (self.final,) if self.final else ()
        yield from self.levels
        yield from self.votes


class StudyMapping(Strict):
    """A mapping file."""

    study: Slug = Field(description="Slug of the study whose scheme holds the nodes.")
    source: SourceFile
    format: Literal["csv", "json", "jsonl"] | None = None
    delimiter: Annotated[str, StringConstraints(min_length=1, max_length=1)] = ","
    url: Column
    number: Column | None = Field(default=None, description="Column that must agree with the number in the address.")
    kind: Literal["issue", "pull_request", "unknown"]
    title: Column | None = None
    state: StateMapping | None = None
    opened: Column | None = None
    closed: Column | None = None
    frameworks: tuple[FrameworkRule, ...] = ()
    repositories: tuple[FrameworkFile, ...] = Field(default=(), description="As in kb/core/frameworks.yaml.")
    axes: tuple[AxisMapping, ...] = OneOrMore
    repeats: Literal["first", "merge"] = Field(
        description="An address that occurs again in a file: only the first row's answers become labels, or all."
    )

    @model_validator(mode="after")
    def keeps_texts_only_with_permission(self) -> "StudyMapping":
        """Titles are other people's: they need a licence."""
        if self.title and not self.source.texts_may_be_kept:
            raise ValueError("title: the source's licence must permit it (source.texts_may_be_kept)")
        names = [axis.axis for axis in self.axes]
        if len(set(names)) < len(names):
            raise ValueError("axes: an axis is answered once")
        return self

    def columns(self) -> tuple[str, ...]:
        """Every column that the mapping reads, each once, in the order of the mapping."""
        names = [self.url, self.number, self.title, self.state and self.state.column, self.opened, self.closed]
        for axis in self.axes:
            names += axis.columns()
        return tuple(dict.fromkeys(name for name in names if name))

    def refuse_missing(self, columns: tuple[str, ...]) -> None:
        """Raise `FileUnreadableError` naming the columns that a file lacks and those it has."""
        missing = [name for name in self.columns() if name not in columns]
        if missing:
            raise FileUnreadableError(
                f"the mapping needs {_listed(missing)}, but the file has no such column; "
                f"it has {_listed([str(name)[:60] for name in columns[:40]])}"
            )


def read_mapping(name: str) -> StudyMapping:
    """Read a mapping by its path, or by the name of a shipped one. Raises `MappingError`."""
    path = find_mapping(name)
    try:
        return StudyMapping.model_validate(yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))
    except pydantic.ValidationError as error:
        problems = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}".lstrip(": ") for e in error.errors()]
        raise MappingError(f"{path.name}: {'; '.join(problems)}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise MappingError(f"{path.name} is not readable as YAML: {error}") from error


def find_mapping(name: str) -> Path:
    """Return the file that `name` means: a path, else a shipped mapping. Raises `MappingError`."""
    for path in (Path(name), MAPPINGS / f"{name}.yaml"):
        if path.is_file():
            return path
    shipped = _listed(sorted(path.stem for path in MAPPINGS.glob("*.yaml")))
    raise MappingError(f"no mapping '{name}': give the path of a YAML file, or one of {shipped}")


def _listed(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "none"
