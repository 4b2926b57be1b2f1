"""Which signals a line gives, in time linear in the line.

An Aho-Corasick automaton finds the words that patterns require; only patterns whose words a line has are asked.
Google's RE2 answers; where it cannot be imported, the standard library's `re` does. Both give the same answers.
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

Test: TypeAlias = Callable[[str], bool]

ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# The two engines differ on which control characters are space, and on two letters that equal `s` and `k` without case.
ONE_WAY = dict.fromkeys((*range(32), 127, 0x85, 0x2028, 0x2029), " ") | {0x17F: "s", 0x212A: "K"}


class Engine(Protocol):
    """A way to search for a pattern."""

    def test(self, pattern: str) -> Test:
        """A function that tells whether a text has the pattern. Raises `ValueError` for a wrong pattern."""


class Re2:
    """Google's RE2. Raises `ImportError` where it is not installed."""

    def __init__(self) -> None:
        # It has no type stubs: everything that is untyped stays within this class.
        self._re2: Any = import_module("re2")
        self._options: Any = self._re2.Options()
        self._options.log_errors = False

    def test(self, pattern: str) -> Test:
        """As the protocol says."""
        # A set of one answers several times as quickly as a pattern does, which would also tell where it matched.
        patterns: Any = self._re2.Set.SearchSet(self._options)
        try:
            patterns.Add(pattern)
        except self._re2.error as error:
            raise ValueError(f"not in RE2's syntax: {pattern}") from error
        patterns.Compile()
        found: Callable[[str], Sequence[int] | None] = patterns.Match
        return lambda text: bool(found(text))


class Plain:
    """The standard library's `re`."""

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
        self._tests = [engine.test(signal.pattern) for signal in self._signals]
        self._vetoes = {
            place: engine.test(signal.unless) for place, signal in enumerate(self._signals) if signal.unless is not None
        }
        asked_by: dict[str, list[int]] = {}
        self._always_asked: list[int] = []
        for place, signal in enumerate(self._signals):
            words = required_words(signal.pattern)
            if not words:
                self._always_asked.append(place)
            for word in words:
                asked_by.setdefault(word, []).append(place)
        self._askers = list(asked_by.values())
        self._words = AhoCorasick(list(asked_by))

    def match(self, text: str) -> tuple[Signal, ...]:
        """The signals of the text: special ones before general ones, then the weightiest first.

        Among equals the given order holds.
        """
        text = one_line(text)
        asked = set(self._always_asked)
        for word, _, _ in self._words.find_matches_as_indexes(text.lower(), overlapping=True):
            asked.update(self._askers[word])
        return tuple(self._signals[place] for place in sorted(asked) if self._has(place, text))

    def _has(self, place: int, text: str) -> bool:
        return self._tests[place](text) and not (place in self._vetoes and self._vetoes[place](text))


def one_line(text: str) -> str:
    """The text as both engines see it: cut, without colours, every control character a space."""
    text = text[:LONGEST]
    if text.isascii() and text.isprintable():
        return text
    text = ANSI.sub("", text).translate(ONE_WAY)
    # A lone half of a surrogate pair is no character that RE2 could be given.
    return text.encode("utf-8", "replace").decode("utf-8")
