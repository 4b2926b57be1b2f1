"""A judged set: queries with the issues that answer them. The format is described in README.md."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

QUERIES = Path(__file__).with_name("queries.jsonl")
# Queries of this field that no issue answers, with the issues that would: once such a one is there, its query is not
# asked.
UNANSWERED = Path(__file__).with_name("unanswered.jsonl")
# Queries of other fields, which no issue answers, and of this one, each answered by a curated record.
FIELD = Path(__file__).with_name("field.jsonl")
NO_ANSWER = "no_answer"
GRADES = (1, 2)


@dataclass(frozen=True)
class Judged:
    """A query: `relevant` is issue address -> grade, empty when nothing answers it; `unless` names what would."""

    query: str
    kind: str
    held_out: bool
    relevant: Mapping[str, int]
    unless: tuple[str, ...] = ()

    @property
    def is_answered(self) -> bool:
        """Does any issue answer it?"""
        return bool(self.relevant)


def chosen_set() -> Path:
    """The file that JUDGED names, else the set that stands here."""
    return Path(os.environ.get("JUDGED") or QUERIES)


def read_judged(path: Path) -> list[Judged]:
    """Read a judged set; raises ValueError with the line of the first mistake."""
    return list(_read(path.read_text(encoding="utf-8").splitlines(), path.name))


def _read(lines: Sequence[str], name: str) -> Iterator[Judged]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
            relevant = {str(url): int(grade) for url, grade in found["relevant"].items()}
            kind = str(found.get("class", "all" if relevant else NO_ANSWER))
            unless = tuple(map(str, found.get("unless", ())))
            judged = Judged(str(found["query"]), kind, bool(found.get("held_out", False)), relevant, unless)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{name}, line {number}: not a judged query ({error!r}).") from error
        if not judged.query.strip() or set(relevant.values()) - set(GRADES):
            raise ValueError(f"{name}, line {number}: a query must have words, and grades are 1 or 2.")
        yield judged
