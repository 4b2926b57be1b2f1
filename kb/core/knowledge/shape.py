"""The parts of a data file, each a list of rows or one row. Addresses are paths below `About.server`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Goes up when a reader of the former format would misread the file, or when words of texts are normalised otherwise.
FORMAT = 1
LICENCE = "Apache-2.0"


@dataclass(frozen=True)
class About:
    """What the file is: its format, the house codebook's version, the last day on which a record was read.

    `server`: the address of the site that it is of; empty for none. `lexicon` tells which word groups documents were
    packed with. `pages`: addresses of kinds of pages.
    """

    format: int
    codebook: str
    as_of: str
    server: str
    licence: str
    records: int
    lexicon: str
    pages: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FixFacts:
    """A fix of a record, and what it changes in our own words."""

    url: str
    description: str
    merged_on: str | None


@dataclass(frozen=True)
class Record:
    """A curated record in our own words.

    `id` is its place in the file, `public_id` holds everywhere, `url` is the report's address, `page` ours. `labels`:
    axis -> codes, by curators and consensus.
    """

    id: int
    public_id: str
    url: str
    page: str
    name: str
    title: str
    framework: str
    state: str
    opened_on: str | None
    closed_on: str | None
    read_on: str | None
    summary: str
    fix_line: str
    snippet: str
    resolution: str
    workaround: str
    affected_versions: tuple[str, ...]
    fixed_version: str
    affects_when: str
    certainty: str
    severity: str
    recognise: tuple[str, ...]
    also_seen: tuple[str, ...]
    labels: Mapping[str, tuple[str, ...]]
    fixes: tuple[FixFacts, ...]


@dataclass(frozen=True)
class Name:
    """A value of a filter with the names that it goes by."""

    value: str
    name: str
    aliases: tuple[str, ...]


@dataclass(frozen=True)
class NodeFacts:
    """A category of the house codebook; `parent` is a code of the same axis."""

    axis: str
    code: str
    name: str
    parent: str
    definition: str
    page: str


@dataclass(frozen=True)
class CauseLinkFacts:
    """How often a cause goes with a symptom, as one source has counted it; the most trusted source comes first."""

    symptom: str
    cause: str
    issues: int
    n: int
    probability: float
    low: float
    high: float
    lift: float | None
    source: str


@dataclass(frozen=True)
class PatternUseFacts:
    """How many of the issues with a cause and a known fix were fixed by a pattern that has a playbook."""

    cause: str
    pattern: str
    issues: int
    of: int


@dataclass(frozen=True)
class PatternPlaybook:
    """A fix pattern's playbook."""

    code: str
    applies_when: str
    steps: tuple[str, ...]
    caveats: tuple[str, ...]


@dataclass(frozen=True)
class ConfirmedSignature:
    """A failure's signature that staff confirmed, with the record or the cause that it is of; the newest first."""

    key: str
    version: int
    record: int | None
    cause: str
    on: str


# What a part's rows are read as.
Rows = list[dict[str, Any]]
