"""The format of a curated record.

CONTRIBUTING.md says how to write one, `rules` what it must not say, `ranges` what it says of versions.
"""

import datetime as dt
import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from kb.core.yaml_files import Strict, Text, read_yaml
from kb.starter.ranges import Condition, RecordAffects

NOT_STATED = "not stated"

Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=15, max_length=120)]
Signature = Annotated[str, StringConstraints(strip_whitespace=True, min_length=6, max_length=160)]
NodeCode = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.*-]*$")]

ISSUE_URL = re.compile(
    r"^https://(github\.com/[\w.-]+/[\w.-]+/issues/\d+|gitee\.com/[\w.-]+/[\w.-]+/issues/I[0-9A-Z]+)$"
)
FIX_URL = re.compile(
    r"^https://(github\.com/[\w.-]+/[\w.-]+/(pull/\d+|commit/[0-9a-f]{7,40})"
    r"|gitee\.com/[\w.-]+/[\w.-]+/(pulls/\d+|commit/[0-9a-f]{7,40}))$"
)


class RecordLabel(Strict):
    """One answer on one axis and the reason in one line."""

    node: NodeCode
    why: Annotated[str, StringConstraints(strip_whitespace=True, min_length=10, max_length=240)]


class RecordLabels(Strict):
    """Answers on every axis; an axis is empty where the thread does not settle it."""

    issue_type: tuple[RecordLabel, ...] = Field(min_length=1, max_length=1)
    symptom: tuple[RecordLabel, ...] = Field(default=(), max_length=3)
    root_cause: tuple[RecordLabel, ...] = Field(default=(), max_length=2)
    fix_pattern: tuple[RecordLabel, ...] = Field(default=(), max_length=2)
    stage: tuple[RecordLabel, ...] = Field(default=(), max_length=2)
    component: tuple[RecordLabel, ...] = Field(min_length=1, max_length=3)
    hardware: tuple[RecordLabel, ...] = Field(default=(), max_length=3)
    theme: tuple[RecordLabel, ...] = Field(default=(), max_length=2)

    @model_validator(mode="after")
    def bug_has_symptom(self) -> "RecordLabels":
        """A bug has at least one symptom."""
        if self.issue_type[0].node == "bug" and not self.symptom:
            raise ValueError("a bug needs at least one symptom")
        return self


class RecordFix(Strict):
    """A pull request or commit that closed or settled the issue; sizes only when they were seen."""

    url: Text
    merged: dt.date | None = None
    additions: int | None = Field(default=None, ge=0)
    deletions: int | None = Field(default=None, ge=0)
    files: int | None = Field(default=None, ge=0)
    what: Text = Field(description="What it changes, in our own words.")

    @field_validator("url")
    @classmethod
    def known_form(cls, value: str) -> str:
        """A fix is a pull request or a commit on a known host."""
        if not FIX_URL.match(value):
            raise ValueError("write https://github.com/OWNER/NAME/pull/NUMBER or .../commit/SHA (Gitee alike)")
        return value


class RecordEvidence(Strict):
    """A link that a claim of the record rests on."""

    url: Text
    supports: Literal["cause", "resolution", "workaround", "versions", "duplicate"]
    by: Literal["maintainer", "reporter", "other user", "fix", "documentation"]

    @field_validator("url")
    @classmethod
    def is_https(cls, value: str) -> str:
        """Only links that a reader can open."""
        if not value.startswith("https://"):
            raise ValueError("write a full https:// link")
        return value


class RecordRead(Strict):
    """When the thread was read, and how much of it."""

    date: dt.date
    extent: Text


class Record(Strict):
    """One curated issue, in our own words. Its claims and dates are checked in `rules`."""

    url: Text
    framework: Text
    title: Title
    summary: Annotated[str, StringConstraints(strip_whitespace=True, min_length=60, max_length=1200)]
    recognise: tuple[Signature, ...] = Field(default=(), max_length=6)
    resolution: Text
    workaround: Text
    state: Literal["open", "closed", "unknown"]
    opened: dt.date | None = None
    closed: dt.date | None = None
    comments: int | None = Field(default=None, ge=0)
    affects: tuple[RecordAffects, ...] = Field(default=(), max_length=12)
    affects_when: Condition | None = None
    range_unknown: Annotated[str, StringConstraints(strip_whitespace=True, min_length=10, max_length=240)] | None = None
    labels: RecordLabels
    fixes: tuple[RecordFix, ...] = ()
    evidence: tuple[RecordEvidence, ...] = ()
    related: tuple[Text, ...] = ()
    read: RecordRead

    @field_validator("url")
    @classmethod
    def known_form(cls, value: str) -> str:
        """An issue's address on a known host, without query or fragment."""
        if not ISSUE_URL.match(value):
            raise ValueError("write https://github.com/OWNER/NAME/issues/NUMBER (or gitee.com/.../issues/ICODE)")
        return value


def read_record(path: Path) -> Record:
    """Read and check one record. Raises `pydantic.ValidationError` or `yaml.YAMLError`."""
    return Record.model_validate(read_yaml(path))


def record_path(root: Path, url: str) -> Path:
    """The path of an issue's record: ROOT/OWNER__NAME/NUMBER.yaml, in lower case."""
    owner, name, _, number = url.rstrip("/").split("/")[-4:]
    return root / f"{owner}__{name}".lower() / f"{number}.yaml"
