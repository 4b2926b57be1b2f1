"""The methods that are judged: ours, and the two that take a line for what it says. Peers' own code runs elsewhere."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import cast

from kb.core.diagnosis.background.model import bundled
from kb.core.diagnosis.pipeline import InputFile, ReadFiles, diagnosed, read
from kb.core.diagnosis.reading.streams import Readable
from kb.core.diagnosis.topology import topology
from tests.kb.core.diagnosis.evaluation.measures import Answer
from tests.kb.core.diagnosis.evaluation.truth import DUMPS, LOGS, Place, Truth, text_of

SAYS_ERROR = re.compile(r"error|exception|fatal", re.IGNORECASE)
# A method that only ranks lines stands for its best few.
STANDS_FOR = 5


def ours(truth: Truth) -> Answer:
    """A diagnosis as the command gives it, with the job's healthy runs beside it where it has some.

    The background that comes with the project is taken as if it had never seen the job itself.
    """
    found = read_files(truth.files)
    healthy = _healthy(truth.healthy) if truth.healthy else None
    diagnosis = diagnosed(found, healthy, bundled().without(truth.id))
    numbers = {name: number for number, name in enumerate(found.scan.names)}
    return Answer(
        tuple((numbers[line.file], line.line) for line in diagnosis.lines),
        frozenset((numbers[line.file], line.line) for line in diagnosis.lines if line.indicated),
        tuple(node.name for node in diagnosis.nodes),
        tuple(rank.name for rank in diagnosis.ranks),
        diagnosis.verdict,
        diagnosis.stage,
        diagnosis.iteration,
        diagnosis.symptom,
        tuple(cause.code for cause in diagnosis.causes),
        (
            *(("node", node.name, node.score) for node in diagnosis.nodes),
            *(("rank", rank.name, rank.score) for rank in diagnosis.ranks),
        ),
    )


def first_error(truth: Truth) -> Answer:
    """Lines that say error, exception or fatal, the first of them first."""
    return _says(list(_errors(truth)))


def last_error(truth: Truth) -> Answer:
    """The same, the last of them first."""
    return _says(list(_errors(truth))[::-1])


def _says(places: list[Place]) -> Answer:
    return Answer(tuple(places), frozenset(places[:STANDS_FOR]))


def _errors(truth: Truth) -> Iterator[Place]:
    if truth.source == DUMPS:
        return
    for number, name in enumerate(truth.files):
        for place, line in enumerate(text_of(name).split("\n"), 1):
            if SAYS_ERROR.search(line):
                yield number, place


def nodes_of(names: tuple[str, ...]) -> list[str]:
    """The nodes that the job's logs name, as we read them."""
    return topology(read_files(names).scan).nodes


@lru_cache(maxsize=64)
def _healthy(names: tuple[str, ...]) -> ReadFiles:
    return read_files(names)


def read_files(names: tuple[str, ...]) -> ReadFiles:
    """The job's files as they were read."""
    with ExitStack() as opened:
        files = [
            InputFile(_shown(name), cast("Readable", opened.enter_context((LOGS / name).open("rb")))) for name in names
        ]
        return read(files)


def _shown(name: str) -> str:
    """A log of the corpus is called after its fault; that name is not for the diagnosis."""
    return "job.log" if Path(name).is_absolute() else name
