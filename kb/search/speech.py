"""What the names of frameworks and categories mean to a search: which words name a framework or a category.

Names and aliases are kept in the codebook and the database alone; `names` reads them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from kb.search.lexicon import PhraseBook
from kb.search.names import Names
from kb.search.normalise import words

# Filters whose categories a fault is described by; a theme or a type says too little about one.
KEYS = ("symptom", "cause", "fix", "stage", "component")


@dataclass(frozen=True)
class Speech:
    """`frameworks`: what names one; `aliases`: word -> the words of the categories that it is an alias of."""

    frameworks: PhraseBook
    aliases: Mapping[str, tuple[str, ...]]


def speech(known: Names | None) -> Speech:
    """The words behind these names, none for no names; worked out once per state of the names."""
    global _kept
    if known is None:
        return Speech(PhraseBook(()), {})
    if _kept is None or _kept[0] is not known:
        _kept = (known, Speech(_frameworks(known), _aliases(known)))
    return _kept[1]


_kept: tuple[Names, Speech] | None = None


def _frameworks(known: Names) -> PhraseBook:
    values = known.stored["framework"].values
    return PhraseBook((text, one.value) for one in values for text in (one.value, one.name, *one.aliases))


def _aliases(known: Names) -> dict[str, tuple[str, ...]]:
    """Aliases of one word only: a phrase says more than its words do."""
    found: dict[str, dict[str, None]] = {}
    for key in KEYS:
        for one in known.stored[key].values:
            named = words(one.name)
            for alias in one.aliases:
                parts = words(alias)
                if len(parts) == 1:
                    found.setdefault(parts[0], {}).update(dict.fromkeys(named))
    return {word: tuple(name for name in named if name != word) for word, named in found.items()}
