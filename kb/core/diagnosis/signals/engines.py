"""The two engines that search a text for a pattern, in time linear in the text as far as they can.

Google's RE2 always can; where it cannot be imported, the standard library's `re` stands in. Both give the same answers.
"""

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol, TypeAlias

Test: TypeAlias = Callable[[str], bool]


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
        """See `Engine.test`."""
        # A set of one answers several times as quickly as a pattern does, which would also tell where it matched.
        patterns: Any = self._re2.Set.SearchSet(self._options)
        try:
            patterns.Add(pattern)
        except self._re2.error as error:
            raise ValueError(f"{pattern} is not in RE2's syntax: {self._reason(pattern)}") from error
        patterns.Compile()
        match: Callable[[str], Sequence[int] | None] = patterns.Match
        return lambda text: bool(match(text))

    def _reason(self, pattern: str) -> str:
        """Why RE2 refuses the pattern: only a single pattern is told, a set is not."""
        try:
            self._re2.compile(pattern, self._options)
        except self._re2.error as error:
            (told,) = error.args
            return str(told.decode("utf-8", "replace"))
        return "too large"


class Plain:
    """The standard library's `re`."""

    def test(self, pattern: str) -> Test:
        """See `Engine.test`."""
        try:
            search = re.compile(pattern, re.ASCII).search
        except re.error as error:
            raise ValueError(f"{pattern} is not a pattern: {error}") from error
        return lambda text: search(text) is not None


def best_engine() -> Engine:
    """RE2 where it is installed, else the standard library."""
    try:
        return Re2()
    except ImportError:
        return Plain()
