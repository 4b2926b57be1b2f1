"""What is handed to the diagnosis: texts without their middle or beginning, whose lines are counted all the same."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

MARK = "faultbook: "
OURS = re.compile(rb"(?m)^faultbook:.*$")


def marked(text: str) -> str:
    """The text with the mark before each line, by which what we wrote is known in a log."""
    return "".join(f"{MARK}{line}".rstrip() + "\n" for line in text.splitlines())


def without_ours(text: bytes) -> bytes:
    """The text with empty lines for those that we wrote."""
    return OURS.sub(b"", text) if MARK.encode() in text else text


@dataclass(frozen=True)
class Part:
    """A text in pieces. Behind the line `after`, `left_out` lines are missing."""

    name: str
    pieces: Sequence[bytes]
    after: int = 0
    left_out: int = 0

    @property
    def has_words(self) -> bool:
        """Whether there is anything to be read but space."""
        return any(piece.strip() for piece in self.pieces)

    def line(self, number: int) -> int:
        """The line's number in the whole text."""
        return number + self.left_out if number > self.after else number


class Pieces:
    """The text of a part, to be read once from front to back."""

    def __init__(self, part: Part) -> None:
        self._left = [memoryview(piece) for piece in part.pieces if piece]

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes; none at the end."""
        if not self._left:
            return b""
        data, rest = self._left[0][:size], self._left[0][size:]
        self._left[:1] = [rest] if rest else []
        return bytes(data)
