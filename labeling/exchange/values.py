"""What all readers of files need: what a reader is told and answers, and single values of any kind as ours. Pure."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from labeling.exchange.rows import Answered, Rejected, from_cell

MOST_CELL = 20_000
ISSUE_COLUMNS = ("issue", "issue_url", "url", "link", "html_url")
UNREADABLE_PLACES = (
    "Its passages are not written as places such as “body:0-6”, so they are left out; the answer counts."
)
Found = Iterator[Answered | Rejected]


class UnreadableError(Exception):
    """A file that is not of its format at all; the message says what is missing."""


@dataclass(frozen=True)
class Options:
    """What a file does not say itself: the question that it answers, and columns that are nobody's votes."""

    axis: str = ""
    leave_out: tuple[str, ...] = ()


def objects(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any] | Rejected]]:
    """The objects of JSON lines with their lines' numbers."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError:
            yield number, Rejected(number, "This line is no JSON.")
            continue
        yield number, value if isinstance(value, dict) else Rejected(number, "This line is no JSON object.")


def issue_of(row: Mapping[str, Any]) -> str:
    """The issue's address, whatever its column is called."""
    known = {str(name).casefold(): value for name, value in row.items()}
    return next((text_of(known[one]) for one in ISSUE_COLUMNS if one in known), "")


def codes_of(value: Any) -> tuple[tuple[str, ...], bool]:
    """Codes, and whether the report does not tell."""
    if isinstance(value, str):
        return from_cell(value)
    if not isinstance(value, list):
        return (), False
    codes = tuple(text_of(one) for one in value if text_of(one))
    return ((), True) if codes == ("?",) else (codes, False)


def text_of(value: Any) -> str:
    """A value as text; nothing for lists and objects."""
    return "" if value is None or isinstance(value, (dict, list)) else str(value).strip()[:MOST_CELL]


def confidence_of(value: Any) -> int | None:
    """How sure somebody was, where the value says it as we do."""
    return int(str(value)) if str(value).strip() in ("1", "2", "3") else None
