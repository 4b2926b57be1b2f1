"""The passage of a result that holds most of what was looked for, as it was written. Pure.

Words are compared as they are indexed, so that a stem, an alias of a notation or a part of an identifier is marked too.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from kb.search.normalise import MAX_RUN, RUN, run_words

# Words of a passage, and how many of them stand before the first hit.
LONGEST = 44
BEFORE = 6
SENTENCE_ENDS = (".", "!", "?", "…", "。")


@dataclass(frozen=True)
class Piece:
    """A part of a passage: one of the query's words, or what stands around it."""

    text: str
    is_hit: bool = False


def passage(text: str, wanted: Collection[str]) -> tuple[Piece, ...]:
    """The best passage, cut at words; nothing when no wanted (normalised) word stands in the text."""
    runs = RUN.findall(text)
    looked_for = frozenset(wanted)
    hits = {run: found for run in set(runs) if (found := looked_for.intersection(run_words(run[:MAX_RUN])))}
    first = _best_start(runs, hits)
    if first is None:
        return ()
    start = max(0, first - BEFORE)
    return tuple(_pieces(text, list(islice(RUN.finditer(text), start, start + LONGEST)), hits))


def _best_start(runs: Sequence[str], hits: Mapping[str, frozenset[str]]) -> int | None:
    """The hit from which a passage holds most different words; the earliest of the best."""
    places = [place for place, run in enumerate(runs) if run in hits] if hits else []
    if len(places) <= 1:
        return places[0] if places else None

    def found(nth: int) -> int:
        end = bisect_left(places, places[nth] + LONGEST - BEFORE, nth)
        return len({word for place in places[nth:end] for word in hits[runs[place]]})

    return places[max(range(len(places)), key=lambda nth: (found(nth), -nth))]


def _pieces(text: str, shown: Sequence[re.Match[str]], hits: Container[str]) -> Iterator[Piece]:
    start, end = shown[0].start(), shown[-1].end()
    # The sign that ends the sentence belongs to it.
    while end < len(text) and not text[end].isspace():
        end += 1
    at = start
    lead = "" if start == 0 or text[:start].rstrip().endswith(SENTENCE_ENDS) else "… "
    for spot in shown:
        if spot[0] in hits:
            before = lead + text[at : spot.start()]
            lead = ""
            if before:
                yield Piece(before)
            yield Piece(spot[0], is_hit=True)
            at = spot.end()
    rest = lead + text[at:end] + ("" if end >= len(text) or text[:end].endswith(SENTENCE_ENDS) else " …")
    if rest:
        yield Piece(rest)
