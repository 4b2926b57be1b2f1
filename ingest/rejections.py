"""What can be wrong with a row of a file, and how it is told.

Pure. Where rejections are kept is `ingest.models`, how they are written out is `ingest.imports.report`.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

SHOWN = 200


class Reason(StrEnum):
    """Why something of a file was not taken as it stands."""

    BAD_URL = "bad-url"
    UNKNOWN_CODE = "unknown-code"
    UNKNOWN_REPOSITORY = "unknown-repository"
    BLANK = "blank"
    DUPLICATE = "duplicate"
    ENCODING = "encoding"
    QUOTES = "quotes"
    COLUMNS = "columns"
    JSON = "json"
    SHAPE = "shape"
    DATE = "date"
    CONTRADICTION = "contradiction"
    TOO_LONG = "too-long"
    FILE = "file"

    @property
    def label(self) -> str:
        """The reason as a heading."""
        return LABELS[self]


class Effect(StrEnum):
    """What became of the row."""

    LEFT_OUT = "left-out"
    CELL_LEFT_OUT = "cell-left-out"
    COUNTED_ONLY = "counted-only"
    MERGED = "merged"

    @property
    def label(self) -> str:
        """The effect as a sentence."""
        return EFFECTS[self]


LABELS = {
    Reason.BAD_URL: "Bad address",
    Reason.UNKNOWN_CODE: "Unknown code",
    Reason.UNKNOWN_REPOSITORY: "Unknown repository",
    Reason.BLANK: "Blank",
    Reason.DUPLICATE: "Duplicate address",
    Reason.ENCODING: "Wrong encoding",
    Reason.QUOTES: "Broken quotes",
    Reason.COLUMNS: "Wrong number of columns",
    Reason.JSON: "Not valid JSON",
    Reason.SHAPE: "Unexpected shape",
    Reason.DATE: "Unreadable date",
    Reason.CONTRADICTION: "Contradiction",
    Reason.TOO_LONG: "Too long",
    Reason.FILE: "Unreadable file",
}
EFFECTS = {
    Effect.LEFT_OUT: "The row was skipped.",
    Effect.CELL_LEFT_OUT: "The row was imported without this value.",
    Effect.MERGED: "The row was merged with an earlier one about the same issue.",
    Effect.COUNTED_ONLY: "The row counts in the study's totals but gives the issue no label.",
}


@dataclass(frozen=True, slots=True)
class Rejection:
    """One thing that was not taken: on which physical line, why, and the raw value cut to a sane length."""

    line: int
    reason: Reason
    message: str
    value: str = ""
    effect: Effect = Effect.LEFT_OUT

    def on(self, line: int) -> "Rejection":
        """The same rejection on another line."""
        return replace(self, line=line)


class FileUnreadableError(ValueError):
    """A file as a whole cannot be imported; the message says why, in plain words."""


def shown(value: object, *, limit: int = SHOWN) -> str:
    """Return a raw value as it can be stored and printed: no control characters, at most `limit` characters."""
    text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
    text = text[: limit + 1].encode("utf-8", "backslashreplace").decode("utf-8")
    clean = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"
