"""Which groups of interchangeable words a text touches. The groups are in `kb/codebook/everyday.yaml`.

Ranking reads this; matching does not: a synonym moves a result up, it never adds one.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import yaml
from ahocorasick_rs import AhoCorasick

from kb.search.normalise import words

EVERYDAY = Path(__file__).parents[1] / "codebook" / "everyday.yaml"


class PhraseBook:
    """Phrases with the name of what each stands for."""

    def __init__(self, phrases: Iterable[tuple[str, str]]) -> None:
        """`phrases`: (text, name); several phrases may bear one name."""
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        names: dict[str, list[str]] = {}
        for text, name in phrases:
            parts = tuple(words(text))
            if parts:
                self._by_first.setdefault(parts[0], []).append((parts, name))
                names.setdefault(f" {' '.join(parts)} ", []).append(name)
        self._names_of_phrases = list(names.values())
        self._phrases = AhoCorasick(list(names))

    def places(self, text: Sequence[str]) -> dict[str, set[int]]:
        """Name -> the positions in `text` (normalised words) that its phrases take."""
        places: dict[str, set[int]] = {}
        for start, word in enumerate(text):
            for parts, name in self._by_first.get(word, ()):
                end = start + len(parts)
                if len(parts) == 1 or tuple(text[start:end]) == parts:
                    places.setdefault(name, set()).update(range(start, end))
        return places

    def names(self, padded: str) -> dict[str, int]:
        """Name -> the place behind the first of its phrases, in normalised words with a blank around each."""
        ends: dict[str, int] = {}
        # They come in the order of their ends.
        for phrase, _, end in self._phrases.find_matches_as_indexes(padded, overlapping=True):
            for name in self._names_of_phrases[phrase]:
                ends.setdefault(name, end)
        return ends


@cache
def everyday() -> PhraseBook:
    """The groups of everyday words, each named by its number in the file."""
    phrases = []
    for number, group in enumerate(_read_groups()):
        phrases += [(phrase, str(number)) for phrase in group]
    return PhraseBook(phrases)


@cache
def alike() -> Mapping[str, tuple[str, ...]]:
    """Normalised word -> the other single words of its groups."""
    alike: dict[str, dict[str, None]] = {}
    for group in _read_groups():
        phrases = [words(phrase) for phrase in group]
        single = [phrase[0] for phrase in phrases if len(phrase) == 1]
        for word in single:
            alike.setdefault(word, {}).update(dict.fromkeys(other for other in single if other != word))
    return {word: tuple(others) for word, others in alike.items()}


@cache
def checksum() -> str:
    """Changes with the groups: documents that were packed with other ones must be packed again."""
    return hashlib.sha256(EVERYDAY.read_bytes()).hexdigest()[:12]


def _read_groups() -> list[list[str]]:
    content: Mapping[str, list[list[str]]] = yaml.safe_load(EVERYDAY.read_text(encoding="utf-8"))
    return content["groups"]
