"""The judged logs as data: what each job's files are, and what is true of it. See ../shared/data/logs/README.md."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LOGS = Path(__file__).parents[6] / "shared" / "data" / "logs"
# A place: which of the job's files, and the physical line from 1.
Place = tuple[int, int]
DUMPS = "flight_recorder"


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
    for part in cell.split("|"):
        number, _, lines = part.rpartition(":")
        for item in filter(None, lines.split(",")):
            low, _, high = item.partition("-")
            for line in range(int(low), int(high or low) + 1):
                yield int(number or 0), line
