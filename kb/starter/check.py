"""Checks over all records that need no database: form, codes, and wording shared between records."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kb.codebook.format import read_house, walk
from kb.codebook.load import HERE as CODEBOOK
from kb.starter.format import Record, RecordFix
from kb.starter.load import Rejection, read_records, unknown_nodes

SHARED_WORDS = 12
WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class RecordReport:
    """How many records were read and what is wrong with which."""

    records: int
    problems: tuple[Rejection, ...]


def check_records(root: Path) -> RecordReport:
    """Check every record below `root`."""
    read, problems = read_records(root)
    return RecordReport(len(read), (*problems, *_unknown_codes(read), *_shared_wording(read), *_fixes_at_odds(read)))


def _unknown_codes(read: list[tuple[Path, Record]]) -> Iterator[Rejection]:
    house = read_house(CODEBOOK / "house.yaml")
    known = {(axis.code, n.code) for axis in house.axes for n, _ in walk(axis.nodes) if n.status == "active"}
    for path, record in read:
        yield from unknown_nodes(path, record, known)


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


def _runs(record: Record) -> Iterator[tuple[str, ...]]:
    for text in (record.title, record.summary, record.resolution, record.workaround):
        words = WORD.findall(text.lower())
        yield from (tuple(words[i : i + SHARED_WORDS]) for i in range(len(words) - SHARED_WORDS + 1))
