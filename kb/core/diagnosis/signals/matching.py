"""Which patterns a text has and which signals it gives, in time linear in the text.

An Aho-Corasick automaton finds the words that patterns require; only patterns whose words the text has are searched
for. (One search for all of them, as RE2's sets do it, needs more memory than it may have once patterns have gaps like
`.{0,40}`.)
"""

import re
from collections.abc import Mapping, Sequence

from ahocorasick_rs import AhoCorasick

from kb.core.diagnosis.signals.engines import Engine, Test, best_engine
from kb.core.diagnosis.signals.format import Signal
from kb.core.diagnosis.signals.literals import Words, required_words

# What a line says is said in its first few thousand characters; what follows is a dump.
LONGEST = 4096

ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# Words that name what a line says as one possibility among others.
POSSIBLY = re.compile(
    r"\b(?:may|might|could|perhaps|maybe|possibl[ey]|possibility|probabl[ey]|likely|potential(?:ly)?|whether|"
    r"for example|such as|e\.g\.)\b|"
    r"\b(?:fail|crash|die|error|h[au]ng|killed|oom|lost)\w*\b[^.;]{0,80}\bor\b|"
    r"\bor\b[^.;]{0,80}\b(?:fail|crash|die|error|h[au]ng|killed|oom|lost)",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?<=[.;?!])\s+")
# The two engines differ on which control characters are space, and on two letters that equal `s` and `k` without case.
ONE_WAY = dict.fromkeys((*range(32), 127, 0x85, 0x2028, 0x2029), " ") | {0x17F: "s", 0x212A: "K"}


class Sieve:
    """Many patterns, each compiled when a text may have it. Searching raises `ValueError` for one that is wrong.

    `words`: what each pattern requires, where that is known already.
    """

    def __init__(self, patterns: Sequence[str], engine: Engine, words: Mapping[str, Words] | None = None) -> None:
        self._patterns, self._engine = patterns, engine
        self._tests: dict[int, Test] = {}
        self._always: list[int] = []
        by_word: dict[str, list[int]] = {}
        for number, pattern in enumerate(patterns):
            required = required_words(pattern) if words is None else words[pattern]
            if not required:
                self._always.append(number)
            for word in required:
                by_word.setdefault(word, []).append(number)
        self._by_word = list(by_word.values())
        self._words = AhoCorasick(list(by_word))

    def search(self, text: str) -> list[int]:
        """The numbers of the patterns that the text has, in their order."""
        possible = set(self._always)
        for word, _, _ in self._words.find_matches_as_indexes(text.lower(), overlapping=True):
            possible.update(self._by_word[word])
        matched: list[int] = []
        for number in sorted(possible):
            if number not in self._tests:
                self._tests[number] = self._engine.test(self._patterns[number])
            if self._tests[number](text):
                matched.append(number)
        return matched


class Matcher:
    """Says which signals a text gives. Made once, used for every line."""

    def __init__(
        self, signals: Sequence[Signal], engine: Engine | None = None, words: Mapping[str, Words] | None = None
    ) -> None:
        engine = engine or best_engine()
        self._signals = sorted(signals, key=lambda signal: (signal.general, -signal.weight))
        self._sieve = Sieve([signal.pattern for signal in self._signals], engine, words)
        self._vetoes: dict[int, Test] = {}
        for number, signal in enumerate(self._signals):
            if signal.unless is not None:
                self._vetoes[number] = engine.test(signal.unless)

    def match(self, text: str) -> tuple[Signal, ...]:
        """The signals of the text: special ones before general ones, then the weightiest first.

        Among equals the given order holds.
        """
        text = one_line(text)
        matched: list[Signal] = []
        for number in self._sieve.search(text):
            veto = self._vetoes.get(number)
            if (veto is None or not veto(text)) and not self._is_only_possible(number, text):
                matched.append(self._signals[number])
        return tuple(matched)

    def _is_only_possible(self, number: int, text: str) -> bool:
        """Whether the text names an end from outside only as one of several that may have come to pass."""
        if self._signals[number].role != "cancel" or not POSSIBLY.search(text):
            return False
        certain = " ".join(sentence for sentence in SENTENCE.split(text) if not POSSIBLY.search(sentence))
        return number not in self._sieve.search(certain)


def one_line(text: str) -> str:
    """The text as both engines see it: cut, without colours, every control character a space."""
    text = text[:LONGEST]
    if text.isascii() and text.isprintable():
        return text
    text = ANSI.sub("", text).translate(ONE_WAY)
    # A lone half of a surrogate pair is no character that RE2 could be given.
    return text.encode("utf-8", "replace").decode("utf-8")
