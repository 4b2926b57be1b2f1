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


def speech(names: Names | None) -> Speech:
    """The words behind these names, none for no names; worked out once per state of the names."""
    global _cached
    if names is None:
        return Speech(PhraseBook(()), {})
    if _cached is None or _cached[0] is not names:
        phrases = []
        for framework in names.stored["framework"].values:
            phrases += [(text, framework.value) for text in (framework.value, framework.name, *framework.aliases)]
        _cached = (names, Speech(PhraseBook(phrases), _aliases(names)))
    return _cached[1]


_cached: tuple[Names, Speech] | None = None


def _aliases(names: Names) -> dict[str, tuple[str, ...]]:
    """Aliases of one word only: a phrase says more than its words do."""
    aliases: dict[str, dict[str, None]] = {}
    for key in KEYS:
        for category in names.stored[key].values:
            name_words = words(category.name)
            for alias in category.aliases:
                alias_words = words(alias)
                if len(alias_words) == 1:
                    aliases.setdefault(alias_words[0], {}).update(dict.fromkeys(name_words))
    return {alias: tuple(word for word in others if word != alias) for alias, others in aliases.items()}
