"""Lines that belong together: the traceback, the stack or the report that one line opens and others continue."""

import re
from enum import Enum

OPENS = re.compile(r"^(?:\S+: )?Traceback \(most recent call last\)|^Fatal Python error|^Current thread 0x")
FRAME = re.compile(
    r"^\s+(?:at |File \"|\.\.\. \d+ |raise |return |\^|~)|^\s*frame #\d+|^\s*what\(\):|^Caused by: |^\s*Suppressed: "
)
FOLDED = re.compile(r"Traceback \(most recent call last\):(?:\\n[ \t^~](?:[^\\]|\\(?!n))*)*\\n")
CHAINED = re.compile(r"^(?:During handling of the above|The above exception was the direct)")


class Part(Enum):
    """What a line is within a block."""

    NONE = "none"
    OPENING = "opening"
    FRAME = "frame"
    CHAIN = "chain"
    INDENTED = "indented"


def part(body: str) -> Part:
    """What a line with this text of its own would be within a block."""
    if OPENS.search(body):
        return Part.OPENING
    if CHAINED.search(body):
        return Part.CHAIN
    if FRAME.search(body):
        return Part.FRAME
    return Part.INDENTED if body[:1] in (" ", "\t") else Part.NONE


def unfolded(body: str) -> str:
    """A traceback that was folded into one line, as JSON does, from its exception on; any other text as it is."""
    end = 0
    for match in FOLDED.finditer(body):
        end = match.end()
    return body[end:] if end else body
