"""Open codes as annotators write them: one a line, a memo behind a bar; which are the same, and which are alike. Pure.

How they are merged and clustered: `boards`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

MOST_WORDS, MOST_MEMO, MOST_CODES = 60, 1_000, 20
BAR = "|"
# The share of trigrams that two codes have in common, from which they are shown side by side.
ALIKE = 0.4


@dataclass(frozen=True)
class Code:
    """A code as typed, and its memo."""

    words: str
    memo: str = ""

    @property
    def key(self) -> str:
        """What the codes that are the same have in common: the words, whatever their case and blanks."""
        return key_of(self.words)


def key_of(words: str) -> str:
    """The key of a code's words."""
    return " ".join(words.casefold().split())


def codes_in(text: str) -> tuple[Code, ...]:
    """The codes of an answer."""
    codes = []
    for line in text.splitlines():
        words, _, memo = line.partition(BAR)
        if line.strip():
            codes.append(Code(" ".join(words.split()), memo.strip()))
    return tuple(codes)


def fault(text: str) -> str:
    """What is wrong with an answer's codes, and what to do; empty where nothing is."""
    codes = codes_in(text)
    if len(codes) > MOST_CODES:
        return f"an issue has at most {MOST_CODES} codes; here are {len(codes)}. Keep what matters."
    keys = set()
    for code in codes:
        if not code.words:
            return f"“{code.memo[:40]}” has no code before the “{BAR}”."
        if len(code.words) > MOST_WORDS:
            return (
                f"“{code.words[:40]}…” is longer than {MOST_WORDS} characters. Write one short code a line, and more "
                f"about it behind a “{BAR}”."
            )
        if len(code.memo) > MOST_MEMO:
            return f"the memo of “{code.words}” is longer than {MOST_MEMO:,} characters."
        if code.key in keys:
            return f"“{code.words}” is there twice."
        keys.add(code.key)
    return ""


def alike(keys: Iterable[str]) -> list[list[str]]:
    """The keys in groups: those that are alike, directly or by way of others, together; in the order given."""
    order = list(keys)
    grams = {key: _trigrams(key) for key in order}
    group_of: dict[str, list[str]] = {}
    for key in order:
        group = [key]
        for other in list(group_of):
            if group_of[other] is not group and _similarity(grams[key], grams[other]) >= ALIKE:
                group = group_of[other] + group
                for each in group:
                    group_of[each] = group
        for each in group:
            group_of[each] = group
    groups: list[list[str]] = []
    for key in order:
        if group_of[key] not in groups:
            groups.append(group_of[key])
    return groups


def saturation(issues: Sequence[Iterable[str]], step: int = 10) -> list[tuple[int, int]]:
    """How many codes were new in each `step` issues, in order: (number of the last issue, new codes)."""
    seen: set[str] = set()
    rows = []
    for start in range(0, len(issues), step):
        part = issues[start : start + step]
        new = {key for keys in part for key in keys} - seen
        seen |= new
        rows.append((start + len(part), len(new)))
    return rows


def mapped(keys: Iterable[str], nodes: Mapping[str, str]) -> frozenset[str]:
    """The nodes that these codes are in."""
    return frozenset(nodes[key] for key in keys if nodes.get(key))


def _trigrams(key: str) -> frozenset[str]:
    """As PostgreSQL's pg_trgm takes them: of each word, with blanks around it."""
    grams = set()
    for word in key.split():
        padded = f"  {word} "
        grams |= {padded[place : place + 3] for place in range(len(padded) - 2)}
    return frozenset(grams)


def _similarity(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / (len(one | other) or 1)
