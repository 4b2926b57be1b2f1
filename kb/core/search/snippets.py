"""The passage of a result that holds most of what was looked for, as it was written.

Words are compared as they are indexed, so that a stem, an alias of a notation or a part of an identifier is marked too.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from kb.core.search.normalise import ASCII_RUN, IRREGULAR, MAX_RUN, RUN, run_words

# Characters of a passage, and how many of them stand before the first hit; both give way to whole words.
LONGEST = 290
BEFORE = 40
LONGEST_WORD = 40
SIGNS = "._+-"
# Different runs of characters that are remembered for one search.
MOST_KEPT = 20_000
NONE: frozenset[str] = frozenset()
# Start and end of a wanted word in a text, and what it is indexed as.
Spot = tuple[int, int, frozenset[str]]
SENTENCE_ENDS = (".", "!", "?", "…", "。")


@dataclass(frozen=True)
class Piece:
    """A part of a passage: one of the query's words, or what stands around it."""

    text: str
    is_hit: bool = False


def passage(text: str, wanted: Collection[str]) -> tuple[Piece, ...]:
    """The best passage, cut at words; nothing when no wanted (normalised) word stands in the text."""
    spots = _spots(text, _hits(frozenset(wanted)))
    if not spots:
        return ()
    start, end = _window(text, _best(spots))
    return tuple(_pieces(text, start, end, spots))


class _Hits(dict[str, frozenset[str]]):
    """Run of characters -> the wanted words in it. The texts of one page of results share most of their runs.

    `roots`: with one of these, in small letters, nearly everything begins that is indexed as a wanted word.
    """

    def __init__(self, wanted: frozenset[str]) -> None:
        super().__init__()
        self.wanted = wanted
        self.roots = tuple(dict.fromkeys(chain.from_iterable(map(_roots, sorted(wanted)))))

    def __missing__(self, run: str) -> frozenset[str]:
        if len(self) > MOST_KEPT:
            self.clear()
        words = self[run] = self.wanted.intersection(run_words(run[:MAX_RUN]))
        return words


@lru_cache(16)
def _hits(wanted: frozenset[str]) -> _Hits:
    return _Hits(wanted)


@lru_cache(20_000)
def _roots(word: str) -> tuple[str, ...]:
    """What the forms of an indexed word begin with: the stemmer puts an "i" or an "e" behind some."""
    root = word[:-1] if len(word) > 2 and word[-1] in "iey" else word
    return (root, *(form for form, irregular in IRREGULAR.items() if irregular == word))


def _spots(text: str, hits: _Hits) -> list[Spot]:
    """The wanted words of the text, in its order.

    Looking for roots is many times faster than taking the whole text apart.
    """
    pattern = ASCII_RUN if text.isascii() else RUN
    folded = text.lower()
    if len(folded) != len(text):
        folded = text
    spots: dict[int, Spot] = {}
    seen: set[int] = set()
    for at in _places(folded, hits.roots):
        start = folded.rfind(" ", 0, at) + 1
        if start in seen:
            continue
        seen.add(start)
        end = folded.find(" ", at)
        for run in pattern.finditer(text, start, end if end >= 0 else len(text)):
            words = hits[run[0]]
            if words:
                spots[run.start()] = (run.start(), run.end(), words)
    return [spots[start] for start in sorted(spots)]


def _places(folded: str, roots: Sequence[str]) -> Iterator[int]:
    """Where the roots stand, also with signs between their letters (`all_reduce` for `allreduc`)."""
    squeezed = ""
    for root in roots:
        at = folded.find(root)
        if at < 0:
            squeezed = squeezed or _squeezed(folded)
            if root in squeezed:
                yield from (match.start() for match in _with_signs(root).finditer(folded))
        while at >= 0:
            yield at
            at = folded.find(root, at + len(root))


def _squeezed(text: str) -> str:
    # Quicker than `translate`, which visits every character of a text beyond ASCII.
    for sign in SIGNS:
        text = text.replace(sign, "")
    return text


@lru_cache(1_000)
def _with_signs(root: str) -> re.Pattern[str]:
    return re.compile(f"[{SIGNS}]?".join(map(re.escape, root)))


def _best(spots: Sequence[Spot]) -> int:
    """Where the word stands from which a passage holds most different ones; the earliest of the best."""
    starts = [start for start, _, _ in spots]
    words = [words for _, _, words in spots]
    different = len(NONE.union(*words))
    best, most = starts[0], 0
    for first, start in enumerate(starts):
        last = bisect_left(starts, start + LONGEST - BEFORE, first)
        held = len(NONE.union(*words[first:last]))
        if held > most:
            best, most = start, held
        # There are no more, or there is nothing left that could be better.
        if most == different or last == len(starts):
            break
    return best


def _window(text: str, first: int) -> tuple[int, int]:
    """Where the passage around this word begins and ends: between words, unless a word is very long."""
    start = text.rfind(" ", 0, max(0, first - BEFORE)) + 1
    if first - start > BEFORE + LONGEST_WORD:
        start = first - BEFORE
    if start + LONGEST >= len(text):
        return start, len(text)
    end = text.find(" ", start + LONGEST)
    if end < 0 or end > start + LONGEST + LONGEST_WORD:
        end = start + LONGEST
    return start, end


def _pieces(text: str, start: int, end: int, spots: Sequence[Spot]) -> Iterator[Piece]:
    at = start
    lead = "" if start == 0 or text[:start].rstrip().endswith(SENTENCE_ENDS) else "… "
    for begin, after, _ in spots:
        if start <= begin < end:
            before = lead + text[at:begin]
            lead = ""
            if before:
                yield Piece(before)
            at = min(after, end)
            yield Piece(text[begin:at], is_hit=True)
    rest = lead + text[at:end] + ("" if end >= len(text) or text[:end].endswith(SENTENCE_ENDS) else " …")
    if rest:
        yield Piece(rest)
