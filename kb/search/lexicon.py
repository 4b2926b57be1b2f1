"""Which groups of interchangeable words a text touches. The groups are `kb/codebook/everyday.yaml`; pure but for that.

Ranking reads this; matching does not: a synonym moves a result up, it never adds one.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import yaml
from ahocorasick_rs import AhoCorasick

from kb.search.normalise import words

EVERYDAY = Path(__file__).parents[1] / "codebook" / "everyday.yaml"

Phrases = dict[str, list[tuple[tuple[str, ...], str]]]


class PhraseBook:
    """Phrases with the name of what each stands for."""

    def __init__(self, phrases: Iterable[tuple[str, str]]) -> None:
        """`phrases`: (text, name); several phrases may bear one name."""
        found: defaultdict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        for text, name in phrases:
            if parts := tuple(words(text)):
                found[parts[0]].append((parts, name))
        self._by_first: Phrases = dict(found)
        named: defaultdict[str, list[str]] = defaultdict(list)
        for some in found.values():
            for parts, name in some:
                named[f" {' '.join(parts)} "].append(name)
        self._named = list(named.values())
        self._phrases = AhoCorasick(list(named))

    def places(self, text: Sequence[str]) -> dict[str, set[int]]:
        """Name -> the positions in `text` (normalised words) that its phrases take."""
        found: dict[str, set[int]] = {}
        for name, start, end in self._matches(text):
            found.setdefault(name, set()).update(range(start, end))
        return found

    def names(self, padded: str) -> dict[str, int]:
        """Name -> the place behind the first of its phrases, in normalised words with a blank around each."""
        found: dict[str, int] = {}
        # They come in the order of their ends.
        for phrase, _, end in self._phrases.find_matches_as_indexes(padded, overlapping=True):
            for name in self._named[phrase]:
                found.setdefault(name, end)
        return found

    def _matches(self, text: Sequence[str]) -> Iterator[tuple[str, int, int]]:
        """(name, start, end) of every phrase in the text."""
        by_first = self._by_first
        for start in [place for place, word in enumerate(text) if word in by_first]:
            for parts, name in by_first[text[start]]:
                end = start + len(parts)
                if len(parts) == 1 or tuple(text[start:end]) == parts:
                    yield name, start, end


@cache
def everyday() -> PhraseBook:
    """The groups of everyday words, each named by its number in the file."""
    return PhraseBook((phrase, str(number)) for number, group in enumerate(_read_groups(EVERYDAY)) for phrase in group)


@cache
def alike() -> Mapping[str, tuple[str, ...]]:
    """Normalised word -> the other single words of its groups."""
    found: dict[str, dict[str, None]] = {}
    for group in _read_groups(EVERYDAY):
        single = [parts[0] for phrase in group if len(parts := words(phrase)) == 1]
        for word in single:
            found.setdefault(word, {}).update(dict.fromkeys(other for other in single if other != word))
    return {word: tuple(others) for word, others in found.items()}


@cache
def checksum() -> str:
    """Changes with the groups: documents that were packed with other ones must be packed again."""
    return hashlib.sha256(EVERYDAY.read_bytes()).hexdigest()[:12]


def _read_groups(path: Path) -> list[list[str]]:
    content: Mapping[str, list[list[str]]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return content["groups"]
