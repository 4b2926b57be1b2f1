"""Replaces the secrets in a text by words for what they are.

Nearly all texts hold none, so that one pass for all signs comes first; finders search only where signs stand.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick, MatchKind

from kb.core.secrets import addresses, assignments, tokens
from kb.core.secrets.kinds import Finder, Kind, Span

FINDERS: tuple[Finder, ...] = (*tokens.finders(), *assignments.finders())
# Up to 64 signs are looked for many characters at a time; one more, and it takes more than twice as long.
SIGNS = tuple(dict.fromkeys(sign for finder in FINDERS for sign in finder.signs))
# For each sign, the numbers of its finders.
FINDERS_OF = [[number for number, finder in enumerate(FINDERS) if sign in finder.signs] for sign in SIGNS]
RANKS = {kind: rank for rank, kind in enumerate(Kind)}
GONE, FILL = "removed", "."
# What this module puts in a secret's place, in every length.
HIDDEN = re.compile(rf"\[(?:(?:(?:{'|'.join(re.escape(kind) for kind in Kind)}) )?{GONE}\.*|\.+)\]")
NOTHING: Mapping[Kind, int] = MappingProxyType({})
_signs = BytesAhoCorasick([sign.encode() for sign in SIGNS], matchkind=MatchKind.LeftmostFirst)


class Masked(NamedTuple):
    """A text without its secrets, and how many of each kind there were."""

    text: str
    found: Mapping[Kind, int]


def mask(text: str) -> Masked:
    """The text with a word in each secret's place; without secrets, the very same string. Lines stay where they are."""
    return _masked(text, _word)


def mask_in_place(text: str) -> Masked:
    """The same, every other character staying at its place: where places in a text are kept, they still hold."""
    return _masked(text, _word_in_place)


def without_our_words(text: str) -> str:
    """A masked text without the words that stand for secrets: nobody wrote them, and nobody is to search for them."""
    return HIDDEN.sub(" ", text) if GONE in text else text


def find(text: str) -> list[Span]:
    """What `mask` would hide, in the text's order and apart from each other."""
    # One byte for most characters: searched much faster than a text with a single emoji in it.
    raw = text.encode("utf-8", "surrogatepass")
    hits = _signs.find_matches_as_indexes(raw)
    spans = addresses.find(text) if b"@" in raw else []
    if hits:
        spans += _near(text, raw, hits)
    return _merged(_apart(text, spans)) if spans else []


def _masked(text: str, word: Callable[[Kind, str], str]) -> Masked:
    spans = find(text)
    if not spans:
        return Masked(text, NOTHING)
    parts: list[str] = []
    end = 0
    for span in spans:
        parts += (text[end : span.start], word(span.kind, text[span.start : span.end]))
        end = span.end
    return Masked("".join((*parts, text[end:])), Counter(span.kind for span in spans))


def _near(text: str, raw: bytes, hits: Sequence[tuple[int, int, int]]) -> list[Span]:
    """What the finders see where their signs stand in the text's bytes."""
    places: dict[int, list[int]] = {}
    is_ascii = len(raw) == len(text)
    start = place = 0
    for sign, hit, _ in hits:
        place += hit - start if is_ascii else len(raw[start:hit].decode("utf-8", "surrogatepass"))
        start = hit
        for number in FINDERS_OF[sign]:
            places.setdefault(number, []).append(place)
    spans: list[Span] = []
    for number, own_places in places.items():
        spans += FINDERS[number].find(text, own_places)
    return spans


def _apart(text: str, spans: Sequence[Span]) -> Sequence[Span]:
    """Without what touches something hidden already: only what is hidden there made it look as it does."""
    if "[" not in text:
        return spans
    hidden = bytearray(len(text) + 1)
    for match in HIDDEN.finditer(text):
        hidden[match.start() : match.end() + 1] = b"\1" * (match.end() + 1 - match.start())
    return [span for span in spans if not any(hidden[span.start : span.end + 1])]


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            kind = min(last.kind, span.kind, key=RANKS.__getitem__)
            merged[-1] = Span(last.start, max(last.end, span.end), kind)
        else:
            merged.append(span)
    return merged


def _word(kind: Kind, hidden: str) -> str:
    return f"[{kind} {GONE}]" + "\n" * hidden.count("\n")


def _word_in_place(kind: Kind, hidden: str) -> str:
    """As many lines of the same lengths: the word in the first one, or as much of it as fits."""
    first, *rest = hidden.split("\n")
    word = f"{kind} {GONE}"
    for shorter in (GONE, ""):
        if len(word) + 2 > len(first):
            word = shorter
    return "\n".join([f"[{word}{FILL * (len(first) - len(word) - 2)}]", *(FILL * len(line) for line in rest)])
