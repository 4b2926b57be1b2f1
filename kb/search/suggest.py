"""What the search box offers while a filter is being typed: text and caret in, completions out."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kb.filters.lookup import Lookup, Named, fold
from kb.filters.values import Value
from kb.search.language import KEY_ALIASES, LONG
from kb.search.names import Names, names

MOST = 10

KEY = re.compile(r"(?<!\S)-?(?P<typed>[A-Za-z_]+)$")
VALUE = re.compile(
    r'(?<!\S)-?(?P<key>[A-Za-z_]+):(?:(?:"[^"]*"|[^\s",])*,)*-?(?P<typed>"[^"]*|[^\s",]*)$',
)
REST_OF_KEY = re.compile(r"[A-Za-z_]*:?")
REST_OF_VALUE = re.compile(r"[^\s,\"]*\"?")


@dataclass(frozen=True)
class Completion:
    """`insert` takes the place of the text from `start` to `end`; `name` and `note` are for people."""

    insert: str
    start: int
    end: int
    name: str
    note: str = ""


def completions(text: str, caret: int | None = None) -> list[Completion]:
    """`suggest` with the names that are known now; without a caret, at the end of the text."""
    return suggest(text, len(text) if caret is None else caret, names())


def suggest(text: str, caret: int, names: Names) -> list[Completion]:
    """At most ten ways to go on where the caret stands; none inside a phrase or a pasted text."""
    caret = max(0, min(caret, len(text)))
    if len(text) > LONG or "\n" in text:
        return []
    before = text[:caret]
    if value := VALUE.search(before):
        rest = REST_OF_VALUE.match(text, caret)
        end = rest.end() if rest and rest.end() - caret else caret
        return _values(value["key"].lower(), value["typed"].lstrip('"'), value.start("typed"), end, names)
    if before.count('"') % 2:
        return []
    if word := KEY.search(before):
        rest = REST_OF_KEY.match(text, caret)
        return _keys(word["typed"], word.start("typed"), rest.end() if rest else caret, names)
    return []


def _keys(typed: str, start: int, end: int, names: Names) -> list[Completion]:
    """Keys that begin so, then those whose label has a word that does."""
    folded = fold(typed)
    first = [key for key in names.keys if fold(key.key).startswith(folded)]
    labels = [key for key in names.keys if key not in first and f" {folded}" in f" {fold(key.label)}"]
    return [
        Completion(f"{key.key}:", start, end, key.label, key.help_text.replace("`", ""))
        for key in [*first, *labels][:MOST]
    ]


def _values(said: str, typed: str, start: int, end: int, names: Names) -> list[Completion]:
    key = KEY_ALIASES.get(said, said)
    if lookup := names.of(key):
        return [
            Completion(str(Value(named.value)), start, end, named.name, _alias(named, typed))
            for named in _fitting(lookup, typed)
        ]
    examples = next((one.examples for one in names.keys if one.key == key), ())
    return [Completion(one, start, end, one) for one in examples if one.startswith(typed)]


def _fitting(lookup: Lookup, typed: str) -> list[Named]:
    """Values that begin so, then those with a word or an alias that does, then those that are like it."""
    folded = fold(typed)
    found = dict.fromkeys(_beginning(lookup.values, folded))
    if not found and folded:
        found = dict.fromkeys(lookup.nearest(typed, MOST))
    return list(found)[:MOST]


def _beginning(values: Iterable[Named], folded: str) -> Iterator[Named]:
    offered = [named for named in values if named.offered]
    yield from (named for named in offered if fold(named.value).startswith(folded))
    yield from (named for named in offered if fold(named.name).startswith(folded))
    if folded:
        yield from (named for named in offered if _has_word(f"{named.value.replace('/', ' ')} {named.name}", folded))
        yield from (named for named in offered if any(_has_word(alias, folded) for alias in named.aliases))


def _has_word(text: str, folded: str) -> bool:
    return f" {folded}" in f" {fold(text)}"


def _alias(named: Named, typed: str) -> str:
    """The alias by which the value was found."""
    folded = fold(typed)
    if not folded or _has_word(f"{named.value} {named.name}", folded):
        return ""
    return next((f"also: {alias}" for alias in named.aliases if _has_word(alias, folded)), "")
