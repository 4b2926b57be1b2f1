"""The constraints of OSV's schema 1.7.5 on what we export, written by hand after its validation/schema.json.

No package ships that file. A document that satisfies these forms satisfies it; the other way round they are stricter.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

Timestamp = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$")]
Url = Annotated[str, StringConstraints(pattern=r"^https?://[^\s]+$")]
Id = Annotated[str, StringConstraints(pattern=r"^x_[^\s/]+$")]
Text = Annotated[str, StringConstraints(min_length=1)]
Commit = r"^(0|[a-f0-9]{40}|[a-f0-9]{64})$"
Json = dict[str, object]


class Form(BaseModel):
    """No key but those named."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Event(Form):
    introduced: Text | None = None
    fixed: Text | None = None
    last_affected: Text | None = None
    limit: Text | None = None

    @model_validator(mode="after")
    def is_one(self) -> "Event":
        if len(self.model_fields_set) != 1:
            raise ValueError("an event says one thing")
        return self


class Range(Form):
    type: Literal["GIT", "SEMVER", "ECOSYSTEM"]
    repo: Url | None = None
    events: Annotated[list[Event], Field(min_length=1)]
    database_specific: Json = {}

    @model_validator(mode="after")
    def is_whole(self) -> "Range":
        named = [name for event in self.events for name in event.model_fields_set]
        if "introduced" not in named:
            raise ValueError("one event must be introduced")
        if {"fixed", "last_affected"} <= set(named):
            raise ValueError("fixed and last_affected exclude each other")
        if self.type == "GIT" and self.repo is None:
            raise ValueError("commits need their repository")
        return self


class GitCommit(Form):
    commit: Annotated[str, StringConstraints(pattern=Commit)]


class Package(Form):
    ecosystem: Literal["PyPI"]
    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    purl: Annotated[str, StringConstraints(pattern=r"^pkg:pypi/[a-z0-9-]+$")] | None = None


class Affected(Form):
    package: Package | None = None
    ranges: Annotated[list[Range], Field(min_length=1)]
    versions: list[Text] = []
    database_specific: Json = {}

    @model_validator(mode="after")
    def events_are_of_its_kind(self) -> "Affected":
        for each in self.ranges:
            if (each.type == "GIT") == (self.package is not None):
                raise ValueError("versions are of a package, commits are of a repository")
            for event in each.events if each.type == "GIT" else ():
                GitCommit(commit=next(filter(None, event.model_dump().values())))
        return self


class Reference(Form):
    type: Literal[
        "ADVISORY",
        "ARTICLE",
        "DETECTION",
        "DISCUSSION",
        "REPORT",
        "FIX",
        "INTRODUCED",
        "GIT",
        "PACKAGE",
        "EVIDENCE",
        "WEB",
    ]
    url: Url


class OsvDocument(Form):
    schema_version: Literal["1.7.5"]
    id: Id
    modified: Timestamp
    published: Timestamp | None = None
    aliases: list[Id] = []
    related: list[Id] = []
    summary: Text
    details: str
    affected: Annotated[list[Affected], Field(min_length=1)]
    references: Annotated[list[Reference], Field(min_length=1)]
    database_specific: Json
