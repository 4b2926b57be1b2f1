"""Lines that belong together: the traceback, the stack or the report that one line opens and others continue."""

import re
from enum import Enum

from kb.core.diagnosis.parsing.vocabulary import LEVELS

# What Python gets over by itself, in a thread or while it cleans up, and tells with a traceback.
IGNORED = re.compile(r"^Exception ignored (?:in|on|while)\b")
# What a thread raises ends that thread, and not the program.
OF_THREAD = re.compile(r"^Exception in thread [^\s\"]\S{0,100}(?: \(.{0,100}\))?:$")
OPENS = re.compile(
    rf"{IGNORED.pattern}|{OF_THREAD.pattern}|"
    r"^(?:\S+: |\u256d\u2500+ |Exception Group )?Traceback \(most recent call last\)|"
    r"^terminate called after throwing an instance of|"
    r"\bTraceback \(most recent call last\)(?::?(?: \[repeated \d+x across cluster\].*)?| \u2500+\u256e)$"
)
STACK = re.compile(r"^Fatal Python error|^(?:Current thread|Thread) 0x")
FRAME = re.compile(
    r"^\s*File \".{1,300}\", line \d|^\s+(?:at |\.\.\. \d+ |raise |return |\^|~)|"
    # Native stacks, as the C library, gdb and MPI print them.
    r"^\s*(?:frame )?#?\d+:?\s+0x[0-9a-f]{6}|^[^\s(]{0,200}\([^)]{0,400}\)\s?\[0x[0-9a-f]+\]$|"
    r"^\s*frame #\d+|^Caused by: |^\s*Suppressed: |"
    # Rich draws a box around frames; an exception from another process stands between quotes.
    r"^[\u2502\u2570]|^(?:\"\"\"|''')$"
)
FOLDED = re.compile(r"Traceback \(most recent call last\):(?:\\n[ \t^~](?:[^\\]|\\(?!n))*)*\\n")
CHAINED = re.compile(
    r"^(?:During handling of the above|The above exception was the direct)|"
    # An exception group says no more than that others follow.
    r"^[\w.]{1,200}: .{0,400}\(\d+ sub-exceptions?\)$"
)
# Python writes an exception as its name and, if there is one, a message. `ERROR:` and `step_time:` are no names.
EXCEPTION = re.compile(
    rf"^(?!(?:{LEVELS}|[A-Z]+|[a-z_0-9]+):)(?:[^\W\d]\w{{0,200}}\.|<locals>\.){{0,20}}[^\W\d]\w{{0,200}}"
    r"(?:\([\w.]{1,200}\))?(?::(?: |$)|$)|^\s*what\(\): "
)
# What stands before each line of a traceback in an exception group.
BRANCH = re.compile(r"^ {2,200}(?:\| |\+ (?=Exception Group Traceback))")


class Part(Enum):
    """What a line is within a block. `EXCEPTION`: it looks like an exception's own line."""

    NONE = "none"
    OPENING = "opening"
    STACK = "stack"
    FRAME = "frame"
    CHAIN = "chain"
    EXCEPTION = "exception"
    INDENTED = "indented"


# In this order: what opens a block may look like an exception, too.
PATTERNS = {
    Part.OPENING: OPENS,
    Part.STACK: STACK,
    Part.CHAIN: CHAINED,
    Part.FRAME: FRAME,
    Part.EXCEPTION: EXCEPTION,
}


def part(body: str) -> Part:
    """What a line with this text of its own would be within a block."""
    for kind, pattern in PATTERNS.items():
        if pattern.search(body):
            return kind
    return Part.INDENTED if body[:1] in (" ", "\t") else Part.NONE


def unfolded(body: str) -> str:
    """A traceback that was folded into one line, as JSON does, from its exception on; any other text as it is.

    A line of an exception group is taken out of its branch.
    """
    branch = BRANCH.match(body)
    if branch is not None:
        body = body[branch.end() :]
    end = 0
    for match in FOLDED.finditer(body):
        end = match.end()
    return body[end:] if end else body
