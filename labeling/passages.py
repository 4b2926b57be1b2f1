"""How passages of a frozen text are written in files: places, never words. Pure.

In a cell as in `body:0-6|*title:0-12`, in JSON as objects. Whether they are in the text is the reader's business.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

BETWEEN = "|"
# Before a passage that the vote as a whole rests on.
WHOLE_VOTE = "*"
PASSAGE = re.compile(r"(\*?)(title|body):(\d{1,9})-(\d{1,9})")


@dataclass(frozen=True)
class Marked:
    """A passage that an answer rests on: places in the frozen text, characters counted as code points.

    `axis` is empty where the vote as a whole rests on it; `words` what the file says that stands there; `part` is empty
    where the places count in title, empty line and body together.
    """

    part: str
    start: int
    end: int
    axis: str = ""
    words: str = ""


def places_cell(evidence: Iterable[Marked]) -> str:
    """Passages in one cell, as in `body:0-6|*title:0-12`; a star says that the whole vote rests on it."""
    return BETWEEN.join(f"{'' if one.axis else WHOLE_VOTE}{one.part}:{one.start}-{one.end}" for one in evidence)


def from_places_cell(text: str, axis: str) -> tuple[Marked, ...] | None:
    """The passages of a cell on a line about this question; None where it is not written so."""
    parts = [part.strip() for part in text.split(BETWEEN) if part.strip()]
    found = [PASSAGE.fullmatch(part) for part in parts]
    marked = tuple(Marked(one[2], int(one[3]), int(one[4]), "" if one[1] else axis) for one in found if one is not None)
    return marked if len(marked) == len(parts) else None


def places(evidence: Iterable[Marked]) -> list[dict[str, Any]]:
    """Passages for JSON; the axis is empty where the whole vote rests on it."""
    return [{"axis": one.axis, "part": one.part, "start": one.start, "end": one.end} for one in evidence]


def from_places(value: Any) -> tuple[Marked, ...] | None:
    """The passages in JSON; None where it is no list of them."""
    if value is None:
        return ()
    if not isinstance(value, list):
        return None
    found = [_marked(one) for one in value]
    known = tuple(one for one in found if one is not None)
    return known if len(known) == len(found) else None


def _marked(value: Any) -> Marked | None:
    match value:
        case {"part": ("title" | "body") as part, "start": int(start), "end": int(end)} if start >= 0:
            axis = value.get("axis") or ""
            return Marked(part, start, end, axis) if isinstance(axis, str) else None
    return None
