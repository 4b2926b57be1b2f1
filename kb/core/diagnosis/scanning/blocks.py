"""Lines of one emitter that belong together, as they are collected. Which lines those are: `parsing.blocks`."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kb.core.diagnosis.parsing.blocks import IGNORED, OF_THREAD, Part

if TYPE_CHECKING:
    from kb.core.diagnosis.scanning.records import Emitter

LONGEST_BLOCK = 400
PYTHON_FRAME = '  File "'


@dataclass(eq=False, slots=True)
class Block:
    """Lines of one emitter that belong together, with their numbers. `summary`: the one that says what happened.

    Of a traceback, `exceptions`: the lines of its exceptions, the first cause first; `asides`: its opening, and
    exceptions that only wrap another; `is_chained`: another traceback is announced; `strays`: lines since its last
    one that are not of it; `is_ignored`: the program got over it; `is_of_thread`: it ended a thread alone. `writer`:
    who wrote it, where its own lines have no prefix.
    """

    is_traceback: bool
    lines: list[tuple[int, str]] = field(default_factory=list)
    summary: int = 0
    exceptions: list[int] = field(default_factory=list)
    asides: list[int] = field(default_factory=list)
    is_chained: bool = False
    strays: int = 0
    is_ignored: bool = False
    is_of_thread: bool = False
    writer: "Emitter | None" = None

    @property
    def is_open(self) -> bool:
        """Whether the traceback's exception is still to come."""
        return self.is_traceback and not self.summary

    def continues_with(self, part: Part) -> bool:
        """Whether a line that is such a part goes on with the block."""
        if len(self.lines) >= LONGEST_BLOCK:
            return False
        if part in (Part.FRAME, Part.INDENTED, Part.CHAIN):
            return True
        if part is Part.STACK:
            return self.is_traceback
        return self.is_chained if part is Part.OPENING else part is Part.EXCEPTION and self.is_open

    def add(self, part: Part, line: int, text: str) -> None:
        """Add a line that goes on with the block."""
        if part is Part.OPENING:
            is_ignored, is_of_thread = IGNORED.match(text) is not None, OF_THREAD.match(text) is not None
            self.is_ignored, self.is_of_thread = self.is_ignored or is_ignored, self.is_of_thread or is_of_thread
            self.is_chained, self.summary, self.is_traceback = is_ignored or is_of_thread, 0, True
            self.asides.append(line)
        elif part is Part.CHAIN:
            self.is_chained = True
        elif part is Part.EXCEPTION and self.is_open:
            self.summary = line
            self.exceptions.append(line)
        elif part is Part.FRAME and self.exceptions[-1:] == [self.summary] and text.startswith(PYTHON_FRAME):
            # What has frames of its own wraps another process's exception.
            self.asides.append(self.exceptions.pop())
            self.summary = 0
        self.strays = 0
        self.lines.append((line, text))

    def is_aside(self, line: int) -> bool:
        """Whether the line only announces or wraps an exception of the block."""
        return line in self.asides and bool(self.exceptions)
