"""Checks over all records that need no database: form, codes, labels at odds, wording shared between records."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pydantic
import yaml

from kb.codebook.format import parents_of, read_house
from kb.codebook.load import HERE as CODEBOOK
from kb.starter.consistency import at_odds, too_general
from kb.starter.format import Record, RecordFix
from kb.starter.load import Rejection, read_records, unknown_nodes
from kb.starter.passes import PASSES, read_passes, unsettled

SHARED_WORDS = 12
WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class RecordReport:
    """How many records were read and what is wrong with which."""

    records: int
    problems: tuple[Rejection, ...]


def check_records(root: Path, passes: Path = PASSES) -> RecordReport:
    """Check every record below `root`, and whether what two passes over it said is settled; see `kb.starter.passes`."""
    read, problems = read_records(root)
    found = chain(
        _wrong_labels(read),
        _general_signatures(read),
        _shared_wording(read),
        _fixes_at_odds(read),
        _unsettled(read, passes),
    )
    return RecordReport(len(read), (*problems, *found))


def _wrong_labels(read: list[tuple[Path, Record]]) -> Iterator[Rejection]:
    parents = parents_of(read_house(CODEBOOK / "house.yaml"))
    for path, record in read:
        yield from unknown_nodes(path, record, parents)
        yield from (Rejection(path, 1, reason) for reason in at_odds(record, parents))


def _general_signatures(read: list[tuple[Path, Record]]) -> Iterator[Rejection]:
    paths = {record.url: path for path, record in read}
    for record, reason in too_general([record for _, record in read]):
        yield Rejection(paths[record.url], 1, reason)


def _shared_wording(read: list[tuple[Path, Record]]) -> Iterator[Rejection]:
    first: dict[tuple[str, ...], Path] = {}
    for path, record in read:
        for run in sorted(set(_runs(record))):
            if first.setdefault(run, path) != path:
                yield Rejection(path, 1, f"{SHARED_WORDS} words shared with {first[run].name}: {' '.join(run)}")
                break


def _fixes_at_odds(read: list[tuple[Path, Record]]) -> Iterator[Rejection]:
    first: dict[str, tuple[Path, RecordFix]] = {}
    for path, record in read:
        for fix in record.fixes:
            other, known = first.setdefault(fix.url, (path, fix))
            if fix != known:
                yield Rejection(path, 1, f"says other things about {fix.url} than {other.name}: make them agree")


def _unsettled(read: list[tuple[Path, Record]], root: Path) -> Iterator[Rejection]:
    records = {record.url: record for _, record in read}
    try:
        found = read_passes(root)
    except (pydantic.ValidationError, yaml.YAMLError) as error:
        yield Rejection(root, 1, f"a file of passes cannot be read: {error}")
        return
    for path, passes in found.items():
        if passes.url in records:
            yield from (Rejection(path, 1, reason) for reason in unsettled(records[passes.url], passes))


def _runs(record: Record) -> Iterator[tuple[str, ...]]:
    for text in (record.title, record.summary, record.resolution, record.workaround):
        words = WORD.findall(text.lower())
        yield from (tuple(words[i : i + SHARED_WORDS]) for i in range(len(words) - SHARED_WORDS + 1))
