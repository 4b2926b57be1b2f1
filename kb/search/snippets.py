"""The passage of a result that holds most of what was looked for, as it was written. Pure.

Words are compared as they are indexed, so that a stem, an alias of a notation or a part of an identifier is marked too.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from kb.search.normalise import ASCII_RUN, MAX_RUN, RUN, run_words

# Words of a passage, and how many of them stand before the first hit.
LONGEST = 44
BEFORE = 6
# Different runs of characters that are remembered for one search.
MOST_KEPT = 20_000
NONE: frozenset[str] = frozenset()
SENTENCE_ENDS = (".", "!", "?", "…", "。")


@dataclass(frozen=True)
class Piece:
    """A part of a passage: one of the query's words, or what stands around it."""

    text: str
    is_hit: bool = False


def passage(text: str, wanted: Collection[str]) -> tuple[Piece, ...]:
    """The best passage, cut at words; nothing when no wanted (normalised) word stands in the text."""
    hits = _hits(frozenset(wanted))
    pattern = ASCII_RUN if text.isascii() else RUN
    runs = pattern.findall(text)
    first = _best_start(runs, hits)
    if first is None:
        return ()
    start = max(0, first - BEFORE)
    return tuple(_pieces(text, list(islice(pattern.finditer(text), start, start + LONGEST)), hits))


class _Hits(dict[str, frozenset[str]]):
    """Run of characters -> the wanted words in it. The texts of one page of results share most of their runs."""

    def __init__(self, wanted: frozenset[str]) -> None:
        super().__init__()
        self.wanted = wanted

    def __missing__(self, run: str) -> frozenset[str]:
        if len(self) > MOST_KEPT:
            self.clear()
        words = run_words(run[:MAX_RUN])
        found = self[run] = NONE if self.wanted.isdisjoint(words) else self.wanted.intersection(words)
        return found


@lru_cache(16)
def _hits(wanted: frozenset[str]) -> _Hits:
    return _Hits(wanted)


def _best_start(runs: Sequence[str], hits: _Hits) -> int | None:
    """The hit from which a passage holds most different words; the earliest of the best."""
    places = [place for place, run in enumerate(runs) if hits[run]]
    if len(places) <= 1:
        return places[0] if places else None

    def found(nth: int) -> int:
        end = bisect_left(places, places[nth] + LONGEST - BEFORE, nth)
        return len({word for place in places[nth:end] for word in hits[runs[place]]})

    return places[max(range(len(places)), key=lambda nth: (found(nth), -nth))]


def _pieces(text: str, shown: Sequence[re.Match[str]], hits: _Hits) -> Iterator[Piece]:
    start, end = shown[0].start(), shown[-1].end()
    # The sign that ends the sentence belongs to it.
    while end < len(text) and not text[end].isspace():
        end += 1
    at = start
    lead = "" if start == 0 or text[:start].rstrip().endswith(SENTENCE_ENDS) else "… "
    for spot in shown:
        if hits[spot[0]]:
            before = lead + text[at : spot.start()]
            lead = ""
            if before:
                yield Piece(before)
            yield Piece(spot[0], is_hit=True)
            at = spot.end()
    rest = lead + text[at:end] + ("" if end >= len(text) or text[:end].endswith(SENTENCE_ENDS) else " …")
    if rest:
        yield Piece(rest)
