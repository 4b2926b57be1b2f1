"""Which of many patterns a text has, in time linear in the text.

An Aho-Corasick automaton finds the words that patterns require; only patterns whose words the text has are searched
for. (One search for all of them, as RE2's sets do it, needs more memory than it may have once patterns have gaps like
`.{0,40}`.)
"""

from collections.abc import Sequence

from ahocorasick_rs import AhoCorasick

from kb.core.diagnosis.signals.engines import Engine, Test
from kb.core.diagnosis.signals.literals import required_words


class Sieve:
    """Many patterns, each compiled when a text may have it. Searching raises `ValueError` for one that is wrong."""

    def __init__(self, patterns: Sequence[str], engine: Engine) -> None:
        self._patterns, self._engine = patterns, engine
        self._tests: dict[int, Test] = {}
        self._always: list[int] = []
        by_word: dict[str, list[int]] = {}
        for number, pattern in enumerate(patterns):
            words = required_words(pattern)
            if not words:
                self._always.append(number)
            for word in words:
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
