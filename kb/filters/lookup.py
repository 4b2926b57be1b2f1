"""Finds what people call a thing: by its code, its name or an alias, and the nearest ones when nothing fits. Pure."""

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
    def _levels(self) -> tuple[dict[str, dict[str, None]], ...]:
        return (
            _index((named.value, named) for named in self.values),
            _index((named.name, named) for named in self.values),
            _index((alias, named) for named in self.values for alias in named.aliases),
        )

    @cached_property
    def _texts(self) -> tuple[tuple[str, ...], tuple[Named, ...]]:
        """Everything that a value may be like, and the value of each text."""
        pairs = [
            (fold(text), named)
            for named in self.values
            if named.offered
            for text in (named.value, named.name, *named.aliases)
        ]
        return tuple(text for text, _ in pairs), tuple(named for _, named in pairs)

    def get(self, value: str) -> Named | None:
        """The value under its very code."""
        return self._by_value.get(value)

    def find(self, said: str) -> str | None:
        """The value that is meant, a code before a name before an alias; None when none or several fit."""
        if said in self._by_value:
            return said
        folded = fold(said)
        for level in self._levels:
            if found := level.get(folded):
                return next(iter(found)) if len(found) == 1 else None
        return None

    def nearest(self, said: str, limit: int = 3) -> tuple[Named, ...]:
        """The values whose code, name or alias begins with the text, else those most like it, best first."""
        texts, owners = self._texts
        folded = fold(said[:MOST_CHARACTERS])
        if begun := [owner for text, owner in zip(texts, owners, strict=True) if folded and text.startswith(folded)]:
            return tuple(dict.fromkeys(begun))[:limit]
        # A short text is a part of nearly everything.
        scorer = fuzz.WRatio if len(folded) >= SHORT else fuzz.ratio
        close = process.extract(folded, texts, scorer=scorer, score_cutoff=NEAR, limit=4 * limit)
        return tuple(dict.fromkeys(owners[place] for _, _, place in close))[:limit]


def _index(pairs: Iterable[tuple[str, Named]]) -> dict[str, dict[str, None]]:
    found: dict[str, dict[str, None]] = {}
    for text, named in pairs:
        found.setdefault(fold(text), {})[named.value] = None
    return found


def either(names: Sequence[object]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    texts = [str(name) for name in names]
    return " or ".join(part for part in (", ".join(texts[:-1]), texts[-1]) if part) if texts else ""
