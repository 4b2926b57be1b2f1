"""Which signals a line gives: all patterns searched at once, in time linear in the line.

Google's RE2 does it; where it cannot be imported, the standard library's `re` does, on the patterns whose required
words an Aho-Corasick automaton found in the line. Both give the same answers.
"""

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol, TypeAlias

from ahocorasick_rs import AhoCorasick

from kb.diagnosis.signals.format import Signal
from kb.diagnosis.signals.literals import required_words

# What a line says is said in its first few thousand characters; what follows is a dump.
LONGEST = 4096
MEMORY = 64 << 20

# The places in the list of patterns of those found in the text.
Search: TypeAlias = Callable[[str], Sequence[int]]
Test: TypeAlias = Callable[[str], bool]

ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# The two engines differ on which control characters are space, and on two letters that equal `s` and `k` without case.
ONE_WAY = dict.fromkeys((*range(32), 127, 0x85, 0x2028, 0x2029), " ") | {0x17F: "s", 0x212A: "K"}


class Engine(Protocol):
    """A way to search: `search` for many patterns at once, `test` for one."""

    def search(self, patterns: Sequence[str]) -> Search:
        """A function that tells which of the patterns a text has. Raises `ValueError` for a wrong pattern."""

    def test(self, pattern: str) -> Test:
        """A function that tells whether a text has the pattern. Raises `ValueError` for a wrong pattern."""


class Re2:
    """Google's RE2. Raises `ImportError` where it is not installed."""

    def __init__(self) -> None:
        # It has no type stubs: everything that is untyped stays within this class.
        self._re2: Any = import_module("re2")
        self._options: Any = self._re2.Options()
        self._options.max_mem = MEMORY
        self._options.log_errors = False

    def search(self, patterns: Sequence[str]) -> Search:
        """As the protocol says."""
        # Its set has nothing to search in when it is empty.
        if not patterns:
            return lambda _: ()
        patterns_at_once: Any = self._re2.Set.SearchSet(self._options)
        for pattern in patterns:
            try:
                patterns_at_once.Add(pattern)
            except self._re2.error as error:
                raise ValueError(f"not in RE2's syntax: {pattern}") from error
        patterns_at_once.Compile()
        find: Callable[[str], Sequence[int] | None] = patterns_at_once.Match
        return lambda text: find(text) or ()

    def test(self, pattern: str) -> Test:
        """As the protocol says."""
        try:
            search: Callable[[str], object] = self._re2.compile(pattern, options=self._options).search
        except self._re2.error as error:
            raise ValueError(f"not in RE2's syntax: {pattern}") from error
        return lambda text: search(text) is not None


class Plain:
    """The standard library's `re`, asked only about patterns whose required words are in the text."""

    def search(self, patterns: Sequence[str]) -> Search:
        """As the protocol says."""
        tests = [self.test(pattern) for pattern in patterns]
        always: list[int] = []
        asked_by: dict[str, list[int]] = {}
        for place, pattern in enumerate(patterns):
            words = required_words(pattern)
            if not words:
                always.append(place)
            for word in words:
                asked_by.setdefault(word, []).append(place)
        askers = list(asked_by.values())
        automaton = AhoCorasick(list(asked_by))

        def find(text: str) -> Sequence[int]:
            asked = set(always)
            for word, _, _ in automaton.find_matches_as_indexes(text.lower(), overlapping=True):
                asked.update(askers[word])
            return [place for place in sorted(asked) if tests[place](text)]

        return find

    def test(self, pattern: str) -> Test:
        """As the protocol says."""
        try:
            search = re.compile(pattern, re.ASCII).search
        except re.error as error:
            raise ValueError(f"not a pattern: {pattern}") from error
        return lambda text: search(text) is not None


def best_engine() -> Engine:
    """RE2 where it is installed, else the standard library."""
    try:
        return Re2()
    except ImportError:
        return Plain()


class Matcher:
    """Says which signals a text gives. Made once, asked for every line."""

    def __init__(self, signals: Sequence[Signal], engine: Engine | None = None) -> None:
        engine = engine or best_engine()
        self._signals = sorted(signals, key=lambda signal: (signal.general, -signal.weight))
        self._search = engine.search([signal.pattern for signal in self._signals])
        self._vetoes = {
            place: engine.test(signal.unless) for place, signal in enumerate(self._signals) if signal.unless is not None
        }

    def match(self, text: str) -> tuple[Signal, ...]:
        """The signals of the text: special ones before general ones, then the weightiest first.

        Among equals the given order holds.
        """
        text = one_line(text)
        found = self._search(text)
        if not found:
            return ()
        return tuple(
            self._signals[place]
            for place in sorted(found)
            if place not in self._vetoes or not self._vetoes[place](text)
        )


def one_line(text: str) -> str:
    """The text as both engines see it: cut, without colours, every control character a space."""
    text = text[:LONGEST]
    if text.isascii() and text.isprintable():
        return text
    text = ANSI.sub("", text).translate(ONE_WAY)
    # A lone half of a surrogate pair is no character that RE2 could be given.
    return text.encode("utf-8", "replace").decode("utf-8")
