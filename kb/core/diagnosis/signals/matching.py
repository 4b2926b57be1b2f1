"""Which signals a line gives, in time linear in the line."""

import re
from collections.abc import Sequence

from kb.core.diagnosis.signals.engines import Engine, Test, best_engine
from kb.core.diagnosis.signals.format import Signal
from kb.core.diagnosis.signals.prefilter import Sieve

__all__ = ["LONGEST", "Matcher", "best_engine", "one_line"]

# What a line says is said in its first few thousand characters; what follows is a dump.
LONGEST = 4096

ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# The two engines differ on which control characters are space, and on two letters that equal `s` and `k` without case.
ONE_WAY = dict.fromkeys((*range(32), 127, 0x85, 0x2028, 0x2029), " ") | {0x17F: "s", 0x212A: "K"}


class Matcher:
    """Says which signals a text gives. Made once, used for every line."""

    def __init__(self, signals: Sequence[Signal], engine: Engine | None = None) -> None:
        engine = engine or best_engine()
        self._signals = sorted(signals, key=lambda signal: (signal.general, -signal.weight))
        self._sieve = Sieve([signal.pattern for signal in self._signals], engine)
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
            if veto is None or not veto(text):
                matched.append(self._signals[number])
        return tuple(matched)


def one_line(text: str) -> str:
    """The text as both engines see it: cut, without colours, every control character a space."""
    text = text[:LONGEST]
    if text.isascii() and text.isprintable():
        return text
    text = ANSI.sub("", text).translate(ONE_WAY)
    # A lone half of a surrogate pair is no character that RE2 could be given.
    return text.encode("utf-8", "replace").decode("utf-8")
