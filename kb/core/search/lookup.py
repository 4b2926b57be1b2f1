"""Finds what people call a thing: by its code, its name or an alias, and the nearest ones when nothing fits."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import fuzz, process

NEAR = 70.0
SHORT = 3
MOST_CHARACTERS = 80
GAP = re.compile(r"[\s_-]+")


def fold(text: str) -> str:
    """The form in which names are compared: cases, blanks, hyphens and underscores do not count."""
    return GAP.sub(" ", text.casefold()).strip()


@dataclass(frozen=True)
class Named:
    """A value with the names it goes by. One that is not `offered` is understood, but never suggested."""

    value: str
    name: str
    aliases: tuple[str, ...] = ()
    offered: bool = True

    def __str__(self) -> str:
        return self.value if self.name == self.value else f"{self.name} ({self.value})"


class Lookup:
    """The values of one filter."""

    def __init__(self, values: Iterable[Named]) -> None:
        self.values = tuple(values)
        self._by_value = {named.value: named for named in self.values}

    @cached_property
    def _levels(self) -> tuple[dict[str, set[str]], ...]:
        """By folded code, by folded name, by folded alias: the values that go by it."""
        codes: dict[str, set[str]] = {}
        names: dict[str, set[str]] = {}
        aliases: dict[str, set[str]] = {}
        for named in self.values:
            codes.setdefault(fold(named.value), set()).add(named.value)
            names.setdefault(fold(named.name), set()).add(named.value)
            for alias in named.aliases:
                aliases.setdefault(fold(alias), set()).add(named.value)
        return codes, names, aliases

    @cached_property
    def _texts(self) -> tuple[tuple[str, ...], tuple[Named, ...]]:
        """Everything that a value may be like, and the value of each text."""
        texts: list[str] = []
        owners: list[Named] = []
        for named in self.values:
            if named.offered:
                for text in (named.value, named.name, *named.aliases):
                    texts.append(fold(text))
                    owners.append(named)
        return tuple(texts), tuple(owners)

    def get(self, value: str) -> Named | None:
        """The value under its very code."""
        return self._by_value.get(value)

    def find(self, text: str) -> str | None:
        """The value that is meant, a code before a name before an alias; None when none or several fit."""
        if text in self._by_value:
            return text
        folded = fold(text)
        for level in self._levels:
            if folded in level:
                values = list(level[folded])
                return values[0] if len(values) == 1 else None
        return None

    def nearest(self, text: str, limit: int = 3) -> tuple[Named, ...]:
        """The values whose code, name or alias begins with the text, else those most like it, best first."""
        texts, owners = self._texts
        folded = fold(text[:MOST_CHARACTERS])
        if folded:
            beginning = [owner for known, owner in zip(texts, owners, strict=True) if known.startswith(folded)]
            if beginning:
                return tuple(dict.fromkeys(beginning))[:limit]
        # A short text is a part of nearly everything.
        scorer = fuzz.WRatio if len(folded) >= SHORT else fuzz.ratio
        close = process.extract(folded, texts, scorer=scorer, score_cutoff=NEAR, limit=4 * limit)
        return tuple(dict.fromkeys(owners[place] for _, _, place in close))[:limit]


def either(names: Sequence[object]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    texts = [str(name) for name in names]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} or {texts[-1]}"
