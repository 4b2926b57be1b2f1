"""Finds the word that was meant by one that occurs nowhere, in a dictionary of the words that do occur.

The distance is Damerau's and Levenshtein's (optimal string alignment): a missing, an extra, a wrong or two swapped
letters are one mistake each. The dictionary holds stems, so what was typed is compared with stems and their endings.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from rapidfuzz import process
from rapidfuzz.distance import OSA

from kb.core.search.normalise import run_words

SHORTEST = 4
# From so many letters on, two mistakes are believed, where the stem has as many as `LONG_STEM`: of a shorter one, too
# little is left that the two words share (“postgres” is no “post”).
LONG, LONG_STEM = 8, 6
# A letter too many or too few near the beginning shifts all that follows: the word's beginning is as long as the stem,
# or by one longer or shorter.
SHIFTS = (0, -1, 1)
MOST_REPAIRS = 5
CANDIDATES = 5_000
# A word that a single issue holds may be misspelt itself.
SEEN_OFTEN = 3
ENDINGS = (
    "", "e", "s", "es", "ed", "er", "ers", "or", "ors", "ing", "ings", "ion", "ions", "ation", "ations", "ate", "ated",
    "ating", "ative", "ive", "ment", "ments", "able", "ible", "ity", "ize", "ized", "izing", "izer", "ization", "ly",
    "ness", "ence", "ance", "al", "ally", "y",
)  # fmt: skip


class Dictionary(Protocol):
    """The words that occur, as they are indexed."""

    def words_starting(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """The most frequent words with this beginning, and in how many issues each occurs."""


@dataclass(frozen=True)
class Repair:
    """A word that occurs nowhere as it was typed, the one it was taken for as it is indexed, and how often that is."""

    typed: str
    word: str
    frequency: int


def repair(typed: Sequence[str], knows: Callable[[str], bool], dictionary: Dictionary) -> dict[str, Repair]:
    """Typed word -> repair, for words that occur nowhere and are near one that does."""
    unknown = []
    for word in dict.fromkeys(typed):
        may_be_misspelt = len(word) >= SHORTEST and word.isascii() and word.isalpha()
        if may_be_misspelt and not any(map(knows, run_words(word))):
            unknown.append(word)
    repairs = {}
    for word in unknown[:MOST_REPAIRS]:
        near = nearest(word.lower(), dictionary)
        if near:
            repairs[word] = Repair(word.lower(), *near)
    return repairs


def nearest(word: str, dictionary: Dictionary) -> tuple[str, int] | None:
    """The stem of the nearest word that begins alike, and its frequency; None when none is near.

    Of several, the longest stem is taken, then the most frequent one.
    """
    allowed = 2 if len(word) >= LONG else 1
    best: tuple[str, int] | None = None
    best_rank: tuple[int, int, int] | None = None
    for stem, frequency in _beginning_alike(word, allowed, dictionary.words_starting(word[:1], CANDIDATES)):
        distance = _distance(word, stem, allowed)
        if distance is None:
            continue
        rank = (distance, -len(stem), -frequency)
        if best_rank is None or rank < best_rank:
            best, best_rank = (stem, frequency), rank
    return best


def _beginning_alike(word: str, allowed: int, known: Sequence[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Of the known words with their frequencies, the stems with which the word may begin.

    Cheap, and most drop out here: whatever the ending is, the beginnings must be near. All stems of one length are
    compared with the same beginnings, in one call each.
    """
    by_length: dict[int, list[tuple[str, int]]] = {}
    longest = len(word) + allowed
    for stem, frequency in known:
        if frequency >= SEEN_OFTEN and SHORTEST - 1 <= len(stem) <= longest and stem.isalpha():
            by_length.setdefault(len(stem), []).append((stem, frequency))
    for length, group in by_length.items():
        # What is written with a "y" may be indexed with an "i".
        stems = [stem.removesuffix("i") for stem, _ in group]
        near: set[int] = set()
        for shift in SHIFTS:
            beginning = word[: length + shift]
            matches = process.extract(beginning, stems, scorer=OSA.distance, score_cutoff=allowed, limit=None)
            near.update(place for _, _, place in matches)
        # In their old order, so that of two that are equal in all else the same one is taken each time.
        for place in sorted(near):
            yield group[place]


def _distance(word: str, stem: str, allowed: int) -> int | None:
    """The mistakes between the word and the nearest form of the stem; None when there are more than allowed."""
    forms = [stem + ending for ending in ENDINGS]
    if stem.endswith("i"):
        forms.append(stem[:-1] + "y")
    most = allowed if len(stem) >= LONG_STEM else 1
    matches = process.extract(word, forms, scorer=OSA.distance, score_cutoff=most, limit=None)
    # In a short word, a wrong letter makes another word more often than a mistake.
    believed = [int(distance) for form, distance, _ in matches if len(word) >= LONG or _letters_apart(form, word) <= 1]
    return min(believed, default=None)


def _letters_apart(form: str, word: str) -> int:
    """Letters that one has and the other has not, counted as often as they stand there."""
    first, second = Counter(form), Counter(word)
    return (first - second).total() + (second - first).total()
