"""What every search engine promises, and the tables that all of them share.

`Backend` reads, `Index` writes. All engines give the same matches, counts and orders for the same documents; only
the scores, and with them the order by relevance, are an engine's own.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from kb.core.search.keys import Fields
from kb.core.search.values import Condition, Document, Hits, Request

# Text fields of a document, and how much a word in each counts. `all` holds every part of an issue, some repeated:
# one field is scored better and faster than the sum of five (docs/decisions).
FIELD_WEIGHTS = {"all": 1.0, "title": 0.3}
# The field that decides what matches: whatever stands in another one stands here too.
EVERYTHING = "all"

# Whole numbers that only orders need: when the issue was opened (seconds since 1970-01-01 UTC, `newest`), and how
# many seconds it was open (`quickest`). `discussed` goes by `comments`.
ORDER_KEYS = ("opened_at", "open_seconds")
# Values key of `source-slug|key/code`: which source holds which code (with all codes above it).
HELD = "held"

NO_PULL_REQUESTS = Condition("kind", unwanted=("pull_request",))


class EngineUnavailableError(Exception):
    """The engine cannot answer or write now; the text says why. Another engine may answer instead."""


class Backend(Protocol):
    """Answers requests."""

    name: str

    def find(self, request: Request) -> Hits:
        """Answer a request; raises EngineUnavailableError when the engine cannot."""

    def supports(self, request: Request) -> bool:
        """Can this engine answer the request? If not, the Postgres engine does."""

    def frequencies(self, words: Sequence[str]) -> dict[str, int]:
        """How many documents hold each normalised word in any text field; removed ones may still count for a while."""

    def words_starting(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """The most frequent words that start so, with the number of documents that hold them."""

    def size(self) -> int:
        """How many documents there are."""


# The id of a document, and the document in the form that its engine writes. One process sends it to another, and plain
# tuples and strings are sent several times sooner than objects of our own.
Prepared = tuple[int, Any]


class Build(Protocol):
    """An index under construction, beside the one in use; it survives the death of its process."""

    last_id: int

    def add(self, documents: Iterable[Prepared], last_id: int) -> None:
        """Add what this engine prepared; issues up to `last_id` are then in. What is in already is replaced.

        After the death of the process, `last_id` of the next build tells what was kept: perhaps not the last ones.
        """

    def size(self) -> int:
        """How many documents it holds, all of them saved."""

    def finish(self) -> None:
        """Put the new index in the place of the one in use; readers see it at their next search."""


class Index(Protocol):
    """The written side of an engine. One process writes; a second one gets EngineUnavailableError."""

    def prepare(self, document: Document) -> Prepared:
        """The document as `build` takes it; any process may ask for it, whoever writes.

        Raises ValueError when it has no place in the index.
        """

    def apply(self, documents: Iterable[Document], gone: Iterable[int]) -> None:
        """Replace documents and remove ids, all at once or not at all."""

    def build(self, *, fresh: bool = False) -> Build:
        """Go on with the index that was begun; start one from nothing if there is none, or if `fresh`."""

    def close(self) -> None:
        """Let another process write."""


def conditions_of(request: Request) -> tuple[Condition, ...]:
    """The request's conditions and the one that goes without saying: no pull requests unless `kind` is asked for."""
    if any(condition.key == "kind" for condition in request.conditions):
        return request.conditions
    return (*request.conditions, NO_PULL_REQUESTS)


def without(conditions: Sequence[Condition], key: str) -> tuple[Condition, ...]:
    """All conditions but those on this key."""
    return tuple(condition for condition in conditions if condition.key != key)


def chosen_sources(conditions: Sequence[Condition]) -> tuple[str, ...]:
    """The only sources whose codes count; empty: all of them."""
    slugs: list[str] = []
    for condition in conditions:
        if condition.key == "source":
            slugs += condition.wanted
    return tuple(slugs)


def held_values(sources: Sequence[str], key: str, codes: Sequence[str]) -> tuple[str, ...]:
    """What `held` contains where one of these sources holds one of these codes."""
    values: list[str] = []
    for source in sources:
        values += [f"{source}|{key}/{code}" for code in codes]
    return tuple(values)


def is_known(request: Request, fields: Fields, value_keys: Sequence[str]) -> bool:
    """Does the request use only these keys and those of the tables above, each in its way?"""
    for condition in request.conditions:
        if condition.key in fields.numbers:
            if condition.wanted or condition.unwanted:
                return False
        elif condition.key not in value_keys or condition.low is not None or condition.high is not None:
            return False
    return set(request.facets) <= set(fields.values)
