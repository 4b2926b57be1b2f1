"""What is asked of a search engine and what it answers, as plain values that every engine shares.

How a request comes about is `language` and `ranking`; how it is answered is `backends`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Sort(Enum):
    """The orders on offer."""

    RELEVANCE = "relevance"
    NEWEST = "newest"
    DISCUSSED = "discussed"
    QUICKEST = "quickest"


@dataclass(frozen=True)
class Condition:
    """What one filter asks for: any of `wanted`, none of `unwanted`, and a number within `low` and `high`.

    Both ends belong to the range. Dates are days since 1970-01-01 (UTC).
    """

    key: str
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True)
class Wanted:
    """One thing that is looked for: any of these normalised words, each with its weight."""

    words: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class TextQuery:
    """The free text of a search in normalised words; an issue matches with `least` of `wanted` or more.

    `phrases`: words that must stand together; `unwanted`: words that must not stand together (one word: not at all).
    """

    wanted: tuple[Wanted, ...] = ()
    least: int = 1
    phrases: tuple[tuple[str, ...], ...] = ()
    unwanted: tuple[tuple[str, ...], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Is every issue as good as any other?"""
        return not self.wanted and not self.phrases


@dataclass(frozen=True)
class Request:
    """One question to an engine. `facets`: the groups to count, each without its own condition.

    Without `with_cards`, candidates may come without card and features, which is quicker for thousands of them.
    Without `with_total`, the answer's total may be just that of its candidates, which spares some engines a statement.
    """

    text: TextQuery = TextQuery()
    conditions: tuple[Condition, ...] = ()
    sort: Sort = Sort.RELEVANCE
    offset: int = 0
    limit: int = 20
    facets: tuple[str, ...] = ()
    with_cards: bool = True
    with_total: bool = True


@dataclass(frozen=True)
class Candidate:
    """An issue that matches: its engine's score, what a list shows of it, and what ranking reads of it."""

    id: int
    score: float
    card: str | bytes
    features: bytes


@dataclass(frozen=True)
class Hits:
    """An engine's answer: one slice of the ordered matches, how many there are, and counts by group and value.

    `facets_late`: counting them took longer than it may, so there are none; the rest is complete.
    """

    candidates: tuple[Candidate, ...]
    total: int
    facets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    facets_late: bool = False


@dataclass(frozen=True)
class Document:
    """An issue as engines index it.

    `texts`: normalised words by text field, joined by blanks; `values`: strings by filter key (a tree's nodes with
    all nodes above them); `numbers`: by filter or order key, absent where not known.
    """

    id: int
    texts: Mapping[str, str]
    values: Mapping[str, tuple[str, ...]]
    numbers: Mapping[str, int]
    card: str
    features: bytes
