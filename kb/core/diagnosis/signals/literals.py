"""Words that a text must have to match a pattern, read off the pattern: what makes a search for many of them quick."""

import re
from collections.abc import Iterator

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
# Of these words every matching text has at least one. No words: nothing can be told.
Words = tuple[str, ...]


def required_words(pattern: str) -> Words:
    """Words in lower case of which every matching text, in lower case, has at least one; none if none can be told."""
    return _either(TOKEN.finditer(pattern))


def _either(tokens: Iterator[re.Match[str]]) -> Words:
    """What the alternatives up to the end of the group, or of the pattern, require; reads the tokens up to there."""
    words: list[str] = []
    can_be_told = True
    sequence = _Sequence()
    for token in tokens:
        what = token.lastgroup
        if what == "close":
            break
        if what == "or":
            words += sequence.required()
            can_be_told &= bool(sequence.required())
            sequence = _Sequence()
        elif what == "open":
            sequence.group(_either(tokens))
        else:
            sequence.take(what, token)
    words += sequence.required()
    can_be_told &= bool(sequence.required())
    return tuple(dict.fromkeys(words)) if can_be_told else ()


class _Sequence:
    """What stands side by side in a pattern: all of it is required, so the most telling part will do."""

    def __init__(self) -> None:
        self._parts: list[Words] = []
        self._run = ""
        self._ends_in_group = False

    def group(self, words: Words) -> None:
        """A group comes next, which requires these words."""
        self._end_run()
        self._parts.append(words)
        self._ends_in_group = True

    def take(self, what: str | None, token: re.Match[str]) -> None:
        """A token comes next that is no part of a group."""
        if what in ("letters", "escaped", "letter"):
            self._run += token[what].lower()
        elif what == "many":
            # What may be absent is not required.
            if self._ends_in_group:
                self._parts.pop()
            self._run = self._run[:-1]
            self._end_run()
        elif what != "flags":
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
