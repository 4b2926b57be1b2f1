"""The public logs of ../corpus as truths: real tool-emitted lines, with everything around them rewritten.

A log is called after its fault, its folder after its stack. Which third is held out follows from the name alone.
"""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypedDict

import yaml

from tests.kb.core.diagnosis.evaluation.truth import Place, Truth

CORPUS = Path(__file__).parents[1] / "corpus"
OPEN, HELD_OUT = "open", "held_out"
PARTS = (OPEN, HELD_OUT)
FAILED, SOUND = "public_failed", "public_sound"
TRUTH = "truth.yaml"


class Entry(TypedDict, total=False):
    """What truth.yaml says of a log; what is left out is not known, and not judged."""

    source: str
    verdict: str
    root: Mapping[int, str]
    support: str
    node: str
    rank: str
    stage: str
    iteration: int
    symptom: str
    cause: str
    issue: str


def part_of(stack: str, name: str) -> str:
    """A third of the names, by their digest, is held out."""
    digest = hashlib.sha256(f"{stack}/{name}".encode()).digest()
    return HELD_OUT if digest[0] % 3 == 0 else OPEN


def entries(part: str) -> Iterator[tuple[Path, Entry]]:
    """Each log of a part, with what is true of it."""
    for told in sorted((CORPUS / part).glob(f"*/{TRUTH}")):
        for name, entry in yaml.safe_load(told.read_text()).items():
            yield told.with_name(f"{name}.log"), entry


def read_corpus(*parts: str) -> Iterator[Truth]:
    """Every job of these parts; of both if none is named."""
    for part in parts or PARTS:
        for path, entry in entries(part):
            yield _truth(path, entry, part)


def _truth(path: Path, entry: Entry, part: str) -> Truth:
    is_failed = entry["verdict"] == "failure"
    return Truth(
        id=f"{path.parent.name}/{path.stem}",
        source=FAILED if is_failed else SOUND,
        kind=path.parent.name,
        files=(str(path),),
        healthy=(),
        verdict=entry["verdict"],
        root=frozenset((0, line) for line in entry.get("root", {})),
        support=frozenset(_places(entry.get("support", ""))),
        nodes=_names(entry.get("node", "")),
        ranks=_names(entry.get("rank", "")),
        stage=entry.get("stage", ""),
        iterations=(entry["iteration"],) if "iteration" in entry else (),
        symptom=entry.get("symptom", ""),
        cause=entry.get("cause", ""),
        part=part,
    )


def _names(words: object) -> frozenset[str]:
    return frozenset(str(words).split())


def _places(ranges: object) -> Iterator[Place]:
    for item in str(ranges).split():
        low, _, high = item.partition("-")
        for line in range(int(low), int(high or low) + 1):
            yield 0, line
