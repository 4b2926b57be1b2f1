"""What is different between two versions of a text, line by line. Pure."""

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

CONTEXT = 3


@dataclass(frozen=True)
class Line:
    """A line of either version; a gap stands for lines that are the same and left out."""

    kind: Literal["same", "added", "removed", "gap"]
    text: str = ""


def differences(old: str, new: str, *, context: int = CONTEXT) -> list[Line]:
    """The lines that differ, with some around them; what was removed comes before what stands there now."""
    before, after = old.splitlines(), new.splitlines()
    groups = list(SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(context))
    lines: list[Line] = []
    reached = 0
    for group in groups:
        if group[0][1] > reached:
            lines.append(Line("gap"))
        for tag, start, end, first, last in group:
            if tag == "equal":
                lines += [Line("same", text) for text in before[start:end]]
                continue
            lines += [Line("removed", text) for text in before[start:end]]
            lines += [Line("added", text) for text in after[first:last]]
        reached = group[-1][2]
    return [*lines, Line("gap")] if lines and reached < len(before) else lines
