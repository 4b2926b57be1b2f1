"""Which of many patterns a text has, in time linear in the text.

An Aho-Corasick automaton finds the words that patterns require; only patterns whose words the text has are asked. (One
search for all of them, as RE2's sets do it, needs more memory than it may have once patterns have gaps like `.{0,40}`.)
"""

from collections.abc import Sequence

from ahocorasick_rs import AhoCorasick

from kb.core.diagnosis.signals.engines import Engine, Test
from kb.core.diagnosis.signals.literals import required_words


class Sieve:
    """Many patterns, each compiled when a text may have it. Asking raises `ValueError` for one that is wrong."""

    def __init__(self, patterns: Sequence[str], engine: Engine) -> None:
        self._patterns, self._engine = patterns, engine
        self._tests: dict[int, Test] = {}
        self._always: list[int] = []
        asked_by: dict[str, list[int]] = {}
        for place, pattern in enumerate(patterns):
            words = required_words(pattern)
            if not words:
                self._always.append(place)
            for word in words:
                asked_by.setdefault(word, []).append(place)
        self._askers = list(asked_by.values())
        self._words = AhoCorasick(list(asked_by))

    def search(self, text: str) -> list[int]:
        """The places of the patterns that the text has, in their order."""
        asked = set(self._always)
        for word, _, _ in self._words.find_matches_as_indexes(text.lower(), overlapping=True):
            asked.update(self._askers[word])
        return [place for place in sorted(asked) if (self._tests.get(place) or self._compiled(place))(text)]

    def _compiled(self, place: int) -> Test:
        test = self._tests[place] = self._engine.test(self._patterns[place])
        return test
