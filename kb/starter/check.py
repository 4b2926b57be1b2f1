"""Checks over all records that need no database: form, codes, contradictions, sentences shared between records."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pydantic
import yaml

from kb.codebook.format import parents_of, read_house
from kb.codebook.load import HERE as CODEBOOK
from kb.core.yaml_files import Rejection
from kb.starter.consistency import contradictions, too_general
from kb.starter.format import Record, RecordFix
from kb.starter.load import read_records, unknown_nodes
from kb.starter.passes import PASSES, read_passes, unsettled

SHARED_WORDS = 12
WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class RecordReport:
    """How many records were read, and their errors."""

    records: int
    problems: tuple[Rejection, ...]


def check_records(root: Path, passes: Path = PASSES) -> RecordReport:
    """Check every record below `root`, and that disagreements of its two passes are settled (`kb.starter.passes`)."""
    records, problems = read_records(root)
    parents = parents_of(read_house(CODEBOOK / "house.yaml"))
    for path, record in records:
        problems += unknown_nodes(path, record, parents)
        problems += [Rejection(path, 1, reason) for reason in contradictions(record, parents)]
    by_url = {record.url: record for _, record in records}
    paths = {record.url: path for path, record in records}
    for record, reason in too_general(list(by_url.values())):
        problems.append(Rejection(paths[record.url], 1, reason))
    problems += _shared_wording(records)
    problems += _contradicting_fixes(records)
    problems += _unsettled(by_url, passes)
    return RecordReport(len(records), tuple(problems))


def _shared_wording(records: list[tuple[Path, Record]]) -> Iterator[Rejection]:
    first: dict[tuple[str, ...], Path] = {}
    for path, record in records:
        for run in sorted(set(_runs(record))):
            if first.setdefault(run, path) != path:
                yield Rejection(path, 1, f"{SHARED_WORDS} words shared with {first[run].name}: {' '.join(run)}")
                break


def _runs(record: Record) -> Iterator[tuple[str, ...]]:
    """All runs of `SHARED_WORDS` words."""
    for text in (record.title, record.summary, record.resolution, record.workaround):
        words = WORD.findall(text.lower())
        for start in range(len(words) - SHARED_WORDS + 1):
            yield tuple(words[start : start + SHARED_WORDS])


def _contradicting_fixes(records: list[tuple[Path, Record]]) -> Iterator[Rejection]:
    first: dict[str, tuple[Path, RecordFix]] = {}
    for path, record in records:
        for fix in record.fixes:
            other_path, other_fix = first.setdefault(fix.url, (path, fix))
            if fix != other_fix:
                yield Rejection(path, 1, f"says other things about {fix.url} than {other_path.name}: make them agree")


def _unsettled(records: Mapping[str, Record], root: Path) -> Iterator[Rejection]:
    try:
        passes_by_path = read_passes(root)
    except (pydantic.ValidationError, yaml.YAMLError) as error:
        yield Rejection(root, 1, f"a file of passes cannot be read: {error}")
        return
    for path, passes in passes_by_path.items():
        if passes.url in records:
            for reason in unsettled(records[passes.url], passes):
                yield Rejection(path, 1, reason)
