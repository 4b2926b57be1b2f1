"""What the names of frameworks and categories mean to a search: which words name a framework or a category.

Names and aliases are kept in the codebook and the database alone, and in files made of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from kb.core.search.lexicon import PhraseBook
from kb.core.search.lookup import Lookup
from kb.core.search.normalise import words

# Filters whose categories a fault is described by; a theme or a type says too little about one.
KEYS = ("symptom", "cause", "fix", "stage", "component")


@dataclass(frozen=True)
class Speech:
    """`frameworks`: what names one; `aliases`: word -> the words of the categories that it is an alias of."""

    frameworks: PhraseBook
    aliases: Mapping[str, tuple[str, ...]]


def speech(names: Mapping[str, Lookup] | None) -> Speech:
    """The words behind these names by filter, none for no names; worked out once per state of the names."""
    global _cached
    if names is None:
        return Speech(PhraseBook(()), {})
    if _cached is None or _cached[0] is not names:
        _cached = (names, Speech(framework_phrases(names["framework"]), _aliases(names)))
    return _cached[1]


_cached: tuple[Mapping[str, Lookup], Speech] | None = None


def framework_phrases(frameworks: Lookup) -> PhraseBook:
    """What names a framework."""
    phrases = []
    for framework in frameworks.values:
        phrases += [(text, framework.value) for text in (framework.value, framework.name, *framework.aliases)]
    return PhraseBook(phrases)


def _aliases(names: Mapping[str, Lookup]) -> dict[str, tuple[str, ...]]:
    """Aliases of one word only: a phrase says more than its words do."""
    aliases: dict[str, dict[str, None]] = {}
    for key in KEYS:
        for category in names[key].values:
            name_words = words(category.name)
            for alias in category.aliases:
                alias_words = words(alias)
                if len(alias_words) == 1:
                    aliases.setdefault(alias_words[0], {}).update(dict.fromkeys(name_words))
    return {alias: tuple(word for word in others if word != alias) for alias, others in aliases.items()}
