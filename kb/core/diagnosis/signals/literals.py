"""Words that a text must have to match a pattern, read off the pattern, so that a search for many patterns is quick."""

import re
from collections.abc import Iterator
from itertools import chain

SHORTEST = 3
TOKEN = re.compile(
    r"(?P<letters>[\w :,/'\"=<>-]+(?![*?{]))"
    r"|(?P<flags>\(\?[a-z]+\))"
    r"|(?P<open>\((?:\?[a-z]*:|\?P<\w+>)?)|(?P<close>\))"
    r"|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])"
    r"|(?P<class>\\[a-zA-Z])|\\(?P<escaped>.)"
    r"|(?P<many>[*?]|\{\d*,?\d*\})\??|(?P<more>\+)\??"
    r"|(?P<or>\|)|(?P<any>[.^$])|(?P<letter>.)",
    re.DOTALL,
)
# Every matching text has at least one of these words. No words: nothing can be said of it.
Words = tuple[str, ...]


def required_words(pattern: str) -> Words:
    """Words in lower case of which every matching text, in lower case, has at least one; none if there are no such."""
    return _either(TOKEN.finditer(pattern))


def _either(tokens: Iterator[re.Match[str]]) -> Words:
    """What the alternatives up to the end of the group, or of the pattern, require; reads the tokens up to there."""
    alternatives: list[Words] = []
    sequence = _Sequence()
    for token in tokens:
        name = token.lastgroup
        if name == "close":
            break
        if name == "or":
            alternatives.append(sequence.required())
            sequence = _Sequence()
        elif name == "open":
            sequence.add_group(_either(tokens))
        else:
            sequence.add(name, token)
    alternatives.append(sequence.required())
    if not all(alternatives):
        return ()
    return tuple(dict.fromkeys(chain.from_iterable(alternatives)))


class _Sequence:
    """What stands side by side in a pattern: all of it is required, so the most telling part will do."""

    def __init__(self) -> None:
        self._parts: list[Words] = []
        self._run = ""
        self._ends_in_group = False

    def add_group(self, words: Words) -> None:
        """Add a group that requires these words."""
        self._end_run()
        self._parts.append(words)
        self._ends_in_group = True

    def add(self, name: str | None, token: re.Match[str]) -> None:
        """Add a token that is no part of a group."""
        if name in ("letters", "escaped", "letter"):
            self._run += token[name].lower()
        elif name == "many":
            # What may be absent is not required.
            if self._ends_in_group:
                self._parts.pop()
            self._run = self._run[:-1]
            self._end_run()
        elif name != "flags":
            self._end_run()
        self._ends_in_group = False

    def required(self) -> Words:
        """The words of the part whose shortest word is the longest; none if that is too short to be of use."""
        parts = [*self._parts, (self._run,)]
        best = max(parts, key=_shortest)
        return best if _shortest(best) >= SHORTEST else ()

    def _end_run(self) -> None:
        self._parts.append((self._run,))
        self._run = ""


def _shortest(words: Words) -> int:
    return min(map(len, words), default=0)
