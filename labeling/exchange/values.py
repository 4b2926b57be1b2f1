"""What all parsers of files share: their options and results, and the conversion of single values. Pure."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from labeling.exchange.rows import AnswerRow, Rejected, from_cell, from_codes

MOST_CELL = 20_000
ISSUE_COLUMNS = ("issue", "issue_url", "url", "link", "html_url")
UNREADABLE_PLACES = "Its passages are not positions such as “body:0-6”, so they are skipped; the answer counts."
Found = Iterator[AnswerRow | Rejected]
# An object in another tool's file: the keys are theirs, and every value is checked where it is read.
JsonObject = dict[str, Any]


class UnreadableError(Exception):
    """A file that is not of its format at all; the message says what is missing."""


@dataclass(frozen=True)
class Options:
    """What a file does not say itself: the axis that it answers, and the columns that are not an annotator's.

    `annotator`: whose answers all of them are, whoever the file names.
    """

    axis: str = ""
    leave_out: tuple[str, ...] = ()
    annotator: str = ""


def objects(lines: Iterable[str]) -> Iterator[tuple[int, JsonObject | Rejected]]:
    """The objects of JSON lines with their line numbers."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError:
            yield number, Rejected(number, "This line is not valid JSON.")
            continue
        yield number, value if isinstance(value, dict) else Rejected(number, "This line is not a JSON object.")


def issue_of(row: JsonObject) -> str:
    """The issue's address, under any of `ISSUE_COLUMNS`; empty where there is none."""
    values = {str(name).casefold(): value for name, value in row.items()}
    for name in ISSUE_COLUMNS:
        if name in values:
            return text_of(values[name])
    return ""


def codes_of(value: object) -> tuple[tuple[str, ...], bool]:
    """Codes, and whether the value says that the report does not say."""
    if isinstance(value, str):
        return from_cell(value)
    if not isinstance(value, list):
        return (), False
    return from_codes(tuple(text_of(code) for code in value if text_of(code)))


def one_text(value: object) -> str:
    """A value that is one text or number, or a list of one, as text; empty for anything else."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return text_of(value)


def text_of(value: object) -> str:
    """A value as text; empty for lists and objects."""
    if value is None or isinstance(value, (dict, list)):
        return ""
    return str(value).strip()[:MOST_CELL]


def confidence_of(value: object) -> int | None:
    """A confidence from 1 to 3; None for anything else."""
    text = str(value).strip()
    return int(text) if text in ("1", "2", "3") else None
