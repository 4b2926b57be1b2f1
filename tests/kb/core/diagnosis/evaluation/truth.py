"""The judged logs as data: what each job's files are, and what is true of it. See ../shared/data/logs/README.md.

The logs that live in the repository itself are read by `corpus.py`.
"""

import csv
import gzip
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.core.diagnosis.parsing.blocks import Part, part
from kb.core.diagnosis.parsing.prefixes import parse_prefix

LOGS = Path(__file__).parents[6] / "shared" / "data" / "logs"
# A place: which of the job's files, and the physical line from 1.
Place = tuple[int, int]
DUMPS = "flight_recorder"
# What differs between ranks and moments that tell of one event.
NUMBERS = re.compile(r"0x[0-9a-fA-F]+|\d+")


@dataclass(frozen=True)
class Truth:
    """What is true of one job. Empty: not known, not judged. `support` lines count as found, as `root` lines do."""

    id: str
    source: str
    kind: str
    files: tuple[str, ...]
    healthy: tuple[str, ...]
    verdict: str
    root: frozenset[Place]
    support: frozenset[Place]
    nodes: frozenset[str]
    ranks: frozenset[str]
    stage: str
    iterations: tuple[int, ...]
    symptom: str
    cause: str = ""
    # Of a public log: "open" to whoever tunes the diagnosis, or "held_out".
    part: str = ""

    @property
    def right(self) -> frozenset[Place]:
        """Lines that count as found."""
        return self.root | self.support


def read_truth() -> Iterator[Truth]:
    """Every job of truth.csv."""
    with (LOGS / "truth.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            told = f"{row['iteration']};{row['iteration_alt']}"
            yield Truth(
                row["id"],
                row["source"],
                row["kind"],
                _several(row["files"]),
                _several(row["healthy_pool"]),
                row["verdict"],
                frozenset(_places(row["failure_line_numbers"])),
                frozenset(_places(row["support_line_numbers"])),
                frozenset(_several(row["suspect_nodes"])),
                frozenset(_several(row["suspect_ranks"])),
                row["stage"],
                tuple(int(word) for word in told.split(";") if word),
                row["symptom"],
            )


def _several(cell: str) -> tuple[str, ...]:
    return tuple(part for part in cell.split(";") if part)


def _places(cell: str) -> Iterator[Place]:
    """`3,7-9` of the first file; `0:3|2:7-9` of several."""
    for place in cell.split("|"):
        number, _, lines = place.rpartition(":")
        for item in filter(None, lines.split(",")):
            low, _, high = item.partition("-")
            for line in range(int(low), int(high or low) + 1):
                yield int(number or 0), line


def events_of(truth: Truth, places: Collection[Place]) -> dict[Place, str]:
    """What each line says without its numbers: lines that say the same are one event. No file, no event.

    A frame, and whatever else is indented, is of the event of the line that it belongs to.
    """
    lines = {number: text_of(name).split("\n") for number, name in enumerate(truth.files)}
    return {
        (number, line): NUMBERS.sub("#", _owner(lines[number], line)).strip()
        for number, line in places
        if number in lines and line <= len(lines[number])
    }


def _owner(lines: Sequence[str], number: int) -> str:
    """The line of this number or, if it goes on with one above, that one."""
    above = (line for line in reversed(lines[:number]) if line.strip() and not _goes_on(line))
    return next(above, lines[number - 1])


def _goes_on(line: str) -> bool:
    return part(line[parse_prefix(line).body :]) in (Part.FRAME, Part.INDENTED)


def text_of(name: str) -> str:
    """What a file says."""
    content = (LOGS / name).read_bytes()
    return (gzip.decompress(content) if name.endswith(".gz") else content).decode("utf-8", "replace")
