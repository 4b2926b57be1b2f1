"""What can be wrong with a row of a file, and how it is told.

Pure. Where rejections are kept is `ingest.models`, how they are written out is `ingest.imports.report`.
"""

from dataclasses import dataclass, replace

from kb.core.labelled import Labelled

SHOWN = 200


class Reason(Labelled):
    """Why something of a file was not taken as it stands."""

    BAD_URL = "bad-url", "Bad address"
    UNKNOWN_CODE = "unknown-code", "Unknown code"
    UNKNOWN_REPOSITORY = "unknown-repository", "Unknown repository"
    BLANK = "blank", "Blank"
    DUPLICATE = "duplicate", "Duplicate address"
    ENCODING = "encoding", "Wrong encoding"
    QUOTES = "quotes", "Broken quotes"
    COLUMNS = "columns", "Wrong number of columns"
    JSON = "json", "Not valid JSON"
    SHAPE = "shape", "Unexpected shape"
    DATE = "date", "Unreadable date"
    CONTRADICTION = "contradiction", "Contradiction"
    TOO_LONG = "too-long", "Too long"
    FILE = "file", "Unreadable file"


class Effect(Labelled):
    """What became of the row."""

    LEFT_OUT = "left-out", "The row was skipped."
    CELL_LEFT_OUT = "cell-left-out", "The row was imported without this value."
    COUNTED_ONLY = "counted-only", "The row counts in the study's totals but gives the issue no label."
    MERGED = "merged", "The row was merged with an earlier one about the same issue."


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
