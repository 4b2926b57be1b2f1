"""How passages of a frozen text are written in files: by their offsets, never by their words. Pure.

In a cell as in `body:0-6|*title:0-12`, in JSON as objects. Whether they lie within the text is for the caller to check.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypedDict

BETWEEN = "|"
# Before a passage that the vote as a whole rests on.
WHOLE_VOTE = "*"
PASSAGE = re.compile(r"(\*?)(title|body):(\d{1,9})-(\d{1,9})")


@dataclass(frozen=True)
class Marked:
    """A passage that an answer rests on: places in the frozen text, characters counted as code points.

    `axis` is empty where the vote as a whole rests on it; `words` are the passage's words, where the file has them;
    `part` is empty where the offsets count in title, empty line and body together.
    """

    part: str
    start: int
    end: int
    axis: str = ""
    words: str = ""


class MarkedPlace(TypedDict):
    """A `Marked` as JSON."""

    axis: str
    part: str
    start: int
    end: int


def places_cell(evidence: Iterable[Marked]) -> str:
    """Passages in one cell, as in `body:0-6|*title:0-12`; a star says that the whole vote rests on it."""
    cells = []
    for passage in evidence:
        star = "" if passage.axis else WHOLE_VOTE
        cells.append(f"{star}{passage.part}:{passage.start}-{passage.end}")
    return BETWEEN.join(cells)


def from_places_cell(text: str, axis: str) -> tuple[Marked, ...] | None:
    """The passages in a cell on a line about this axis; None where the cell is malformed."""
    passages = []
    for cell in text.split(BETWEEN):
        if not cell.strip():
            continue
        match = PASSAGE.fullmatch(cell.strip())
        if match is None:
            return None
        star, part, start, end = match.groups()
        passages.append(Marked(part, int(start), int(end), "" if star else axis))
    return tuple(passages)


def places(evidence: Iterable[Marked]) -> list[MarkedPlace]:
    """Passages for JSON; the axis is empty where the whole vote rests on one."""
    return [MarkedPlace(axis=each.axis, part=each.part, start=each.start, end=each.end) for each in evidence]


def from_places(value: object) -> tuple[Marked, ...] | None:
    """The passages in JSON; None where it is not a list of them."""
    if value is None:
        return ()
    if not isinstance(value, list):
        return None
    passages = []
    for place in value:
        match place:
            case {"part": ("title" | "body") as part, "start": int(start), "end": int(end)} if start >= 0:
                axis = place.get("axis") or ""
            case _:
                return None
        if not isinstance(axis, str):
            return None
        passages.append(Marked(part, start, end, axis))
    return tuple(passages)
