"""Words that a text must have to match a pattern, read off the pattern: what makes a search without RE2 quick."""

import re

SHORTEST = 3
TOKEN = re.compile(
    r"(?P<flags>\(\?[a-z]+\))"
    r"|(?P<open>\((?:\?:|\?P<\w+>)?)|(?P<close>\))"
    r"|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])"
    r"|(?P<class>\\[a-zA-Z])|\\(?P<escaped>.)"
    r"|(?P<many>[*?]|\{\d*,?\d*\})\??|(?P<more>\+)\??"
    r"|(?P<or>\|)|(?P<any>[.^$])|(?P<letter>.)",
    re.DOTALL,
)


def required_words(pattern: str) -> tuple[str, ...]:
    """Words in lower case of which every matching text, in lower case, has at least one; none if none can be told.

    Reads what stands outside of groups, and groups only to jump over them: told too little, never too much.
    """
    words: list[str] = []
    for alternative in _alternatives(pattern):
        longest = max(_runs(alternative), key=len, default="")
        if len(longest) < SHORTEST:
            return ()
        words.append(longest.lower())
    return tuple(dict.fromkeys(words))


def _alternatives(pattern: str) -> list[list[re.Match[str]]]:
    """The pattern's tokens outside of all groups, in one list for each alternative; a group is its closing token."""
    alternatives: list[list[re.Match[str]]] = [[]]
    depth = 0
    for token in TOKEN.finditer(pattern):
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth -= 1
            if depth == 0:
                alternatives[-1].append(token)
        elif depth == 0 and token["or"]:
            alternatives.append([])
        elif depth == 0:
            alternatives[-1].append(token)
    return alternatives


def _runs(tokens: list[re.Match[str]]) -> list[str]:
    """The unbroken runs of letters that a match of these tokens must have."""
    runs = [""]
    for token in tokens:
        letter = token["escaped"] or token["letter"]
        if letter:
            runs[-1] += letter
        elif token["many"]:
            runs[-1] = runs[-1][:-1]
            runs.append("")
        else:
            runs.append("")
    return runs
