"""Finds listed phrases in any text, as people write them, and says where they stand. Pure.

Capitals do not matter, nor whether a blank, a line's end, `-` or `_` stands between the words of a phrase; words begin
and end where words do, an English plural apart, and Chinese ones anywhere. Nothing is stemmed as in
`kb.core.search.normalise`: what was found must be quoted, and a stem stands nowhere. One pass over the text, however
many phrases.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ahocorasick_rs import BytesAhoCorasick

# All of one byte, so that a place in the folded text is the same place in the text.
GAPS = bytes.maketrans(b"_-\t\n\r\f\v", b"       ")
CURLY = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "\u00a0": " "})
WORD = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789")
PLURAL = ord("s")
# A shorter word with an `s` behind it is often another word.
SHORTEST_WITH_PLURAL = 3

# What is said in so many words before a phrase may deny it.
NEAR_WORDS, NEAR_BYTES = 3, 60
SENTENCE_ENDS = b".;!?\n"
NEGATORS = frozenset((b"no", b"not", b"never", b"without", b"nor", b"neither", b"avoid", b"avoids", b"avoiding"))
NEGATORS |= frozenset((b"prevent", b"prevents", b"cannot", b"non", b"isn't", b"wasn't", b"rather"))
NOT_AS_ENDING = b"n't"
NEGATORS_BEFORE_CHINESE = tuple(word.encode() for word in ("不", "没", "没有", "未", "无", "并非"))


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A phrase and the bytes of the folded text that it takes."""

    phrase: str
    start: int
    end: int

    def is_within(self, other: "Occurrence") -> bool:
        """Return whether it is a part of another, longer one."""
        is_inside = other.start <= self.start and self.end <= other.end
        return is_inside and other.end - other.start > self.end - self.start


class Passage:
    """A text to look in, once made ready."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def lowered(self) -> bytes:
        """In small letters and plain quotation marks, in UTF-8; halves of surrogate pairs stay."""
        return self.text.translate(CURLY).encode("utf-8", "surrogatepass").lower()

    @cached_property
    def folded(self) -> bytes:
        """The same with a blank for whatever stands between words."""
        return self.lowered.translate(GAPS)

    def quote(self, occurrence: Occurrence) -> str:
        """What was found, as it is written."""
        start = _characters(self.lowered[: occurrence.start])
        return self.text[start : start + _characters(self.lowered[occurrence.start : occurrence.end])]

    def begins(self, occurrence: Occurrence) -> bool:
        """Return whether the text begins with what was found, but for a word and a colon."""
        before = self.lowered[: occurrence.start].strip()
        return not before or before.endswith(b":")

    def denies(self, occurrence: Occurrence) -> bool:
        """Return whether the few words before it in the same sentence say that it is not so."""
        before = self.lowered[max(0, occurrence.start - NEAR_BYTES) : occurrence.start]
        if before.rstrip().endswith(NEGATORS_BEFORE_CHINESE):
            return True
        sentence = before[max(before.rfind(bytes((end,))) for end in SENTENCE_ENDS) + 1 :]
        near = sentence.translate(GAPS).split()[-NEAR_WORDS:]
        return any(word in NEGATORS or word.endswith(NOT_AS_ENDING) for word in near)


class Phrases:
    """Phrases to look for."""

    def __init__(self, phrases: Iterable[str]) -> None:
        """Raises `ValueError` for a phrase that holds nothing."""
        self._phrases = tuple(dict.fromkeys(phrases))
        keys = [Passage(phrase.strip()).folded for phrase in self._phrases]
        if not all(keys):
            raise ValueError("a phrase needs at least one character")
        self._search = BytesAhoCorasick(keys)

    def find(self, passage: Passage) -> list[Occurrence]:
        """Every place of every phrase, in the order of their ends; phrases may overlap."""
        text = passage.folded
        occurrences: list[Occurrence] = []
        for number, start, end in self._search.find_matches_as_indexes(text, overlapping=True):
            word_end = _word_end(text, start, end)
            if word_end is not None:
                occurrences.append(Occurrence(self._phrases[number], start, word_end))
        return occurrences


def _word_end(text: bytes, start: int, end: int) -> int | None:
    """Where what was found ends, with the `s` of a plural; None where it is only a part of a longer word."""
    if text[start] in WORD and start and text[start - 1] in WORD:
        return None
    if text[end - 1] not in WORD or end == len(text) or text[end] not in WORD:
        return end
    is_plural = text[end] == PLURAL and (end + 1 == len(text) or text[end + 1] not in WORD)
    return end + 1 if is_plural and end - start >= SHORTEST_WITH_PLURAL else None


def _characters(raw: bytes) -> int:
    return len(raw.decode("utf-8", "surrogatepass"))
