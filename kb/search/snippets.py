"""The passage of a result that holds most of what was looked for, as it was written. Pure.

Words are compared as they are indexed, so that a stem, an alias of a notation or a part of an identifier is marked too.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class _Spot:
    start: int
    end: int
    hits: frozenset[str]


def passage(text: str, wanted: Collection[str]) -> tuple[Piece, ...]:
    """The best passage, cut at words; nothing when no wanted (normalised) word stands in the text."""
    spots = [
        _Spot(run.start(), run.end(), frozenset(run_words(run.group()[:MAX_RUN])) & frozenset(wanted))
        for run in RUN.finditer(text)
    ]
    first = _best_start(spots)
    if first is None:
        return ()
    shown = spots[max(0, first - BEFORE) : max(0, first - BEFORE) + LONGEST]
    return tuple(_pieces(text, shown))


def _best_start(spots: Sequence[_Spot]) -> int | None:
    """The hit from which a passage holds most different words; the earliest of the best."""
    places = [place for place, spot in enumerate(spots) if spot.hits]
    if not places:
        return None

    def found(start: int) -> int:
        return len({word for spot in spots[start : start + LONGEST - BEFORE] for word in spot.hits})

    return max(places, key=lambda place: (found(place), -place))


def _pieces(text: str, shown: Sequence[_Spot]) -> Iterator[Piece]:
    start, end = shown[0].start, shown[-1].end
    # The sign that ends the sentence belongs to it.
    while end < len(text) and not text[end].isspace():
        end += 1
    at = start
    lead = "" if start == 0 or text[:start].rstrip().endswith(SENTENCE_ENDS) else "… "
    for spot in shown:
        if spot.hits:
            before = lead + text[at : spot.start]
            lead = ""
            if before:
                yield Piece(before)
            yield Piece(text[spot.start : spot.end], is_hit=True)
            at = spot.end
    rest = lead + text[at:end] + ("" if end >= len(text) or text[:end].endswith(SENTENCE_ENDS) else " …")
    if rest:
        yield Piece(rest)
