"""What describes a release: README with the head of a dataset card, citation, and Data Package 2.0 (datapackage.json).

What the columns mean in words is `dictionary`'s.
"""

import csv
import hashlib
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TypedDict

import yaml

from labeling.releases.dictionary import (
    ABOUT_CODES,
    ABOUT_GOLD,
    ABOUT_LABELS,
    ABOUT_READERS,
    ABOUT_REPEATS,
    ABOUT_RESULTS,
    ABOUT_VOTES,
)
from labeling.releases.tables import json_bytes

CHECKSUMS = "SHA256SUMS"
PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
ABOUT: Mapping[str, Mapping[str, str]] = {
    "votes/votes.csv": ABOUT_VOTES,
    "data/labels.csv": ABOUT_LABELS,
    "data/readers.csv": ABOUT_READERS,
    "coding/codes.csv": ABOUT_CODES,
    "quality/gold.csv": ABOUT_GOLD,
    "quality/repeats.csv": ABOUT_REPEATS,
    "quality/results.csv": ABOUT_RESULTS,
}
# Columns that are no text, by their names.
TYPES = {
    **dict.fromkeys(("round", "votes", "support", "posts", "revised", "codebook", "confidence", "seconds"), "integer"),
    **dict.fromkeys(("due_after", "compared", "same", "skipped"), "integer"),
    **dict.fromkeys(("number", "agreement", "share", "share_low", "share_high", "distance"), "number"),
    **dict.fromkeys(("alpha", "alpha_low", "alpha_high", "kappa", "kappa_low", "kappa_high"), "number"),
    **dict.fromkeys(("seconds_first", "seconds_again"), "number"),
    **dict.fromkeys(("is_from_file", "is_assisted", "assists", "report_does_not_tell", "before_opening"), "boolean"),
    "decided_on": "date",
}
MEDIA = {
    ".csv": "text/csv", ".json": "application/json", ".jsonl": "application/jsonl", ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet", ".svg": "image/svg+xml",
}  # fmt: skip
# Upper bounds of the classes that dataset cards use.
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


@dataclass(frozen=True)
class Title:
    """A release's own metadata. `authors`: `Family, Given`, or a group; `dated`: the day of the newest change."""

    title: str
    number: int
    authors: tuple[str, ...]
    licence: str
    note: str
    dated: str
    question: str
    counts: str


class Column(TypedDict, total=False):
    """A column as Table Schema has it."""

    name: str
    type: str
    description: str
    trueValues: list[str]
    falseValues: list[str]


def described(files: Mapping[str, bytes], title: Title) -> dict[str, bytes]:
    """File name -> content of what describes these files."""
    return {
        "README.md": (_card(files, title) + _readme(title, files)).encode(),
        "CITATION.cff": _citation(title).encode(),
        "datapackage.json": _datapackage(files, title),
    }


def _datapackage(files: Mapping[str, bytes], title: Title) -> bytes:
    """datapackage.json: every file with its size and hash, every table with its columns and number of rows."""
    return json_bytes(
        {
            "$schema": PROFILE,
            "name": _name(title.title),
            "title": title.title,
            "version": str(title.number),
            "description": f"{title.question} {title.counts}",
            "created": f"{title.dated}T00:00:00Z",
            "licenses": [{"name": title.licence}],
            "contributors": [{"title": author, "roles": ["author"]} for author in title.authors],
            "resources": [_resource(path, files[path]) for path in sorted(files)],
        }
    )


def _card(files: Mapping[str, bytes], title: Title) -> str:
    """The YAML head of a dataset card, with the tables as its parts."""
    configs = []
    for path in sorted(ABOUT):
        if path in files:
            configs.append({"config_name": PurePosixPath(path).stem, "data_files": path})
    _header, *rows = csv.reader(io.StringIO(files["votes/votes.csv"].decode(), newline=""))
    head = {
        "pretty_name": title.title,
        "license": title.licence.lower(),
        "task_categories": ["text-classification"],
        "size_categories": [next((name for most, name in SIZES if len(rows) < most), "1M<n<10M")],
        "configs": configs,
    }
    return f"---\n{yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=120)}---\n"


def _resource(path: str, content: bytes) -> dict[str, object]:
    suffix = PurePosixPath(path).suffix
    resource: dict[str, object] = {
        "name": _name(path),
        "path": path,
        "format": suffix.removeprefix("."),
        "mediatype": MEDIA.get(suffix, "application/octet-stream"),
        "bytes": len(content),
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
    }
    if suffix != ".parquet":
        resource["encoding"] = "utf-8"
    if suffix == ".csv":
        header, *rows = csv.reader(io.StringIO(content.decode(), newline=""))
        about = ABOUT.get(path, {})
        columns = [_column(name, about) for name in header]
        resource |= {"type": "table", "rows": len(rows), "schema": {"fields": columns, "missingValues": [""]}}
    return resource


def _column(name: str, about: Mapping[str, str]) -> Column:
    column = Column(name=name, type=TYPES.get(name, "string") if about else "string")
    if name in about:
        column["description"] = about[name]
    if column["type"] == "boolean":
        column["trueValues"], column["falseValues"] = ["True"], ["False"]
    return column


def _name(text: str) -> str:
    """A name as packages have it: small letters, digits, dots and hyphens."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.") or "data"


def _citation(title: Title) -> str:
    """Citation File Format 1.2.0."""
    authors = []
    for name in title.authors:
        family, comma, given = (part.strip() for part in name.partition(","))
        if comma and given:
            authors.append({"family-names": family, "given-names": given})
        else:
            authors.append({"name": name.strip()})
    values = {
        "cff-version": "1.2.0",
        "message": "If you use these data, please cite them as below.",
        "type": "dataset",
        "title": title.title,
        "version": str(title.number),
        "date-released": title.dated,
        "license": title.licence,
        "abstract": f"{title.question} {title.counts}",
        "authors": authors,
    }
    return yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=120)


def _readme(title: Title, files: Mapping[str, bytes]) -> str:
    lines = []
    for name in sorted(files):
        if "/plots/" not in name:
            descriptions = [words for prefix, words in DESCRIBED.items() if name.startswith(prefix)]
            if name.endswith(".parquet"):
                descriptions = [IN_PARQUET]
            lines.append(f"- `{name}`: {descriptions[0] if descriptions else 'part of the results'}")
    listed = "\n".join(lines)
    note = f"\n{title.note}\n" if title.note else ""
    return (
        f"# {title.title}, release {title.number}\n\n{title.question}\n{note}\n{title.counts}\n\n"
        f"Licence of the labels: {title.licence}. Issues' texts belong to their authors and are not in here; follow "
        "the addresses.\n\n"
        f"## Files\n\n{listed}\n\n"
        f"`sha256sum -c {CHECKSUMS}` checks them. `CITATION.cff` says how to cite this release. Annotators have "
        "pseudonyms that stay the same in all releases of this project; the order of lines says nothing about the "
        "order in which anybody worked.\n"
    )


IN_PARQUET = "the CSV file of this name as Parquet, where several nodes are a list"
DESCRIBED = {
    "DATA.md": "every column and key of the tables, in words",
    "METHOD.md": "how the labels were made, with the numbers",
    "codebook.json": "the codebook, its earlier versions, and the votes that changed it",
    "data/issues.jsonl": "each issue with its decided answers and how they came about",
    "data/labels.csv": "the same as a table, one row per issue and question; several nodes are separated by |",
    "data/readers.csv": "the answers of models, which are no votes",
    "data/rounds.json": "the rounds, their rules and samples, and the hash of each text as annotators saw it",
    "votes/votes.csv": "all votes, one row per issue, annotator and question",
    "votes/votes.jsonl": "the same as JSON lines",
    "quality/gold.csv": "the right answers to issues that were mixed in, and how they are known",
    "quality/repeats.csv": "what annotators answered when they met an issue again; no votes",
    "quality/results.csv": "each annotator against the gold answers, and against themselves",
    "coding/codes": "every open code as an annotator typed it, and where leads put it",
    "coding/history.jsonl": "every act on the board of open coding, one a line, with what it touched before and after",
    "coding/nodes.json": "the board's nodes with their codes, and what the codebook's nodes were made of",
    "agreement/report": "the agreement report",
    "agreement/agreement.json": "its numbers for programs",
    "agreement/matrices/": "the table that one question's agreement was computed from",
}
