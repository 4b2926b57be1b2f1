"""Which groups of interchangeable words a text touches, and which nodes it names in everyday words.

Both are in `everyday.yaml` beside this. A group's or a node's name is a word of no language, so that it can be kept and
looked for like one: a number, or `@axis/code`.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

from ahocorasick_rs import AhoCorasick

from kb.core.search.normalise import words
from kb.core.yaml_files import Strict, Text, read_yaml

NODE_SIGN = "@"
EVERYDAY = Path(__file__).with_name("everyday.yaml")


class EverydayFile(Strict):
    """`nodes`: `axis/code` -> everyday words for it; `groups`: words for one and the same thing."""

    nodes: Mapping[str, tuple[Text, ...]]
    groups: tuple[tuple[Text, ...], ...]


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
    for number, group in enumerate(_read().groups):
        phrases += [(phrase, str(number)) for phrase in group]
    return PhraseBook(phrases)


@cache
def everyday_nodes() -> PhraseBook:
    """The everyday words of the house codebook's nodes, each named as `node_name` has it."""
    phrases = []
    for path, spoken in _read().nodes.items():
        phrases += [(phrase, NODE_SIGN + path) for phrase in spoken]
    return PhraseBook(phrases)


def spoken_nodes() -> Mapping[str, tuple[str, ...]]:
    """`axis/code` of a node of the house codebook -> the everyday words for it."""
    return _read().nodes


def everyday_phrases() -> Iterator[str]:
    """All everyday phrases as they are written in the file."""
    content = _read()
    yield from chain.from_iterable((*content.nodes.values(), *content.groups))


def node_name(axis: str, code: str) -> str:
    """The word that stands for a node in texts and queries."""
    return f"{NODE_SIGN}{axis}/{code}"


def other_words(text: Sequence[str]) -> dict[str, dict[str, None]]:
    """Word of the text -> what else is looked for in its place: single words of its groups, and names of nodes.

    Of a phrase, each word has what the phrase has.
    """
    others: dict[str, dict[str, None]] = {}
    for name, places in everyday().places(text).items():
        for place in places:
            others.setdefault(text[place], {}).update(dict.fromkeys(_single_words()[name]))
    for name, places in everyday_nodes().places(text).items():
        for place in places:
            others.setdefault(text[place], {})[name] = None
    return others


@cache
def _single_words() -> Mapping[str, tuple[str, ...]]:
    """Name of a group -> its phrases of one normalised word."""
    singles = {}
    for number, group in enumerate(_read().groups):
        phrases = [words(phrase) for phrase in group]
        singles[str(number)] = tuple(dict.fromkeys(phrase[0] for phrase in phrases if len(phrase) == 1))
    return singles


@cache
def checksum() -> str:
    """Changes with the groups: documents that were packed with other ones must be packed again."""
    return hashlib.sha256(EVERYDAY.read_bytes()).hexdigest()[:12]


@cache
def _read() -> EverydayFile:
    return EverydayFile.model_validate(read_yaml(EVERYDAY))
