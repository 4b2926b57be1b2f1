"""The format of a curated record.

CONTRIBUTING.md says how to write one, `rules` what it must not say, `ranges` what it says of versions.
"""

import datetime as dt
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints, field_validator, model_validator

from kb.core.frameworks import framework_of
from kb.core.public_ids import PATTERN
from kb.core.yaml_files import Strict, Text, read_yaml
from kb.starter.circumstances import RecordCircumstances
from kb.starter.ranges import Condition, RecordAffects

NOT_STATED = "not stated"

CLAIMS = ("cause", "resolution", "workaround", "versions")
Claim = Literal["cause", "resolution", "workaround", "versions"]
Certainty = Literal["confirmed", "likely", "unsettled"]
Severity = Literal["blocks", "wrong-result", "data-loss", "degrades", "cosmetic"]

Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=15, max_length=120)]
Signature = Annotated[str, StringConstraints(strip_whitespace=True, min_length=6, max_length=160)]
Face = Annotated[str, StringConstraints(strip_whitespace=True, min_length=2, max_length=160)]
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=10, max_length=240)]
ModelName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=2, max_length=80)]
NodeCode = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9.*-]*$")]

ISSUE_URL = re.compile(
    r"^https://(github\.com/[\w.-]+/[\w.-]+/issues/\d+|gitee\.com/[\w.-]+/[\w.-]+/issues/I[0-9A-Z]+)$"
)
FIX_URL = re.compile(
    r"^https://(github\.com/[\w.-]+/[\w.-]+/(pull/\d+|commit/[0-9a-f]{7,40})"
    r"|gitee\.com/[\w.-]+/[\w.-]+/(pulls/\d+|commit/[0-9a-f]{7,40}))$"
)
# What can be typed, or a version: without one, a fix line says nothing that can be done.
LITERAL = re.compile(r"`[^`\n]+`|\d+\.\d+")
SECOND_SENTENCE = re.compile(r"[.!?]\s+(?=[A-Z`])|[。！？]\s*(?=\S)")
ABBREVIATIONS = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf)\.", re.IGNORECASE)
MAX_SNIPPET_LINES = 12


def _fix_line(text: str) -> str:
    """One sentence with something to type in it, or the version to install."""
    if text.count("`") % 2:
        raise ValueError("a backtick is not closed")
    if "\n" in text or SECOND_SENTENCE.search(ABBREVIATIONS.sub("", re.sub(r"`[^`]*`", "x", text))):
        raise ValueError("write one sentence: what to do now; the rest belongs into resolution, workaround or snippet")
    if not LITERAL.search(text):
        raise ValueError("name a command, option or setting in backticks, or a version: what can be typed")
    return text


def _snippet(text: str) -> str:
    """A few lines to paste."""
    lines = text.strip("\n").splitlines()
    if len(lines) > MAX_SNIPPET_LINES:
        raise ValueError(f"has {len(lines)} lines: keep at most {MAX_SNIPPET_LINES}")
    return "\n".join(line.rstrip() for line in lines)


def _issue_url(text: str) -> str:
    if not ISSUE_URL.match(text):
        raise ValueError("write https://github.com/OWNER/NAME/issues/NUMBER (or gitee.com/.../issues/ICODE)")
    return text


PublicId = Annotated[str, StringConstraints(pattern=rf"^{PATTERN}$")]
FixLine = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=10, max_length=200), AfterValidator(_fix_line)
]
Snippet = Annotated[str, StringConstraints(min_length=3, max_length=1200), AfterValidator(_snippet)]
IssueUrl = Annotated[str, StringConstraints(strip_whitespace=True, max_length=300), AfterValidator(_issue_url)]


class RecordLabel(Strict):
    """One answer on one axis and the reason in one line."""

    node: NodeCode
    why: Annotated[str, StringConstraints(strip_whitespace=True, min_length=10, max_length=240)]


class RecordLabels(Strict):
    """Answers on every axis; an axis is empty where the thread does not settle it, or a curator has yet to answer."""

    issue_type: tuple[RecordLabel, ...] = Field(default=(), max_length=1)
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
        if self.issue_type and self.issue_type[0].node == "bug" and not self.symptom:
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


class Neighbour(Strict):
    """Another record with the same symptom and another cause, and how to tell which of the two it is."""

    url: IssueUrl
    tell: Reason


class Record(Strict):
    """One curated issue, in our own words. Its claims and dates are checked in `rules`.

    The host's facts may be left out: a mirror knows them better.
    """

    id: PublicId | None = None
    url: IssueUrl
    framework: Text
    title: Title
    summary: Annotated[str, StringConstraints(strip_whitespace=True, min_length=60, max_length=1200)]
    fix_line: FixLine | None = None
    snippet: Snippet | None = None
    recognise: tuple[Signature, ...] = Field(default=(), max_length=6)
    no_line: Reason | None = None
    also_seen: tuple[Face, ...] = Field(default=(), max_length=10)
    resolution: Text = NOT_STATED
    workaround: Text = NOT_STATED
    certainty: Certainty | None = None
    inferred: tuple[Claim, ...] = Field(default=(), max_length=len(CLAIMS))
    severity: Severity | None = None
    circumstances: RecordCircumstances = RecordCircumstances()
    models: tuple[ModelName, ...] = Field(default=(), max_length=8)
    layout: Annotated[str, StringConstraints(strip_whitespace=True, min_length=2, max_length=120)] | None = None
    state: Literal["open", "closed", "unknown"] = "unknown"
    opened: dt.date | None = None
    closed: dt.date | None = None
    comments: int | None = Field(default=None, ge=0)
    affects: tuple[RecordAffects, ...] = Field(default=(), max_length=12)
    affects_when: Condition | None = None
    range_unknown: Reason | None = None
    labels: RecordLabels
    fixes: tuple[RecordFix, ...] = ()
    evidence: tuple[RecordEvidence, ...] = ()
    same_as: tuple[IssueUrl, ...] = Field(default=(), max_length=30)
    neighbours: tuple[Neighbour, ...] = Field(default=(), max_length=4)
    related: tuple[Text, ...] = ()
    read: RecordRead
    checked: RecordRead | None = None

    @model_validator(mode="before")
    @classmethod
    def known_framework(cls, values: Any) -> Any:
        """The framework follows from a listed repository."""
        url = values.get("url") if isinstance(values, Mapping) else None
        if isinstance(url, str) and "framework" not in values and ISSUE_URL.match(url) and (owner := framework_of(url)):
            return {**values, "framework": owner}
        return values


def read_record(path: Path) -> Record:
    """Read and check one record. Raises `pydantic.ValidationError` or `yaml.YAMLError`."""
    return Record.model_validate(read_yaml(path))


def record_path(root: Path, url: str) -> Path:
    """The path of an issue's record: ROOT/OWNER__NAME/NUMBER.yaml, in lower case."""
    owner, name, _, number = url.rstrip("/").split("/")[-4:]
    return root / f"{owner}__{name}".lower() / f"{number}.yaml"
