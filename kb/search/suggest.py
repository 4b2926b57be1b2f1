"""What the search box offers while a filter is being typed: text and caret in, completions out."""

import re
from dataclasses import dataclass

from kb.core.search.filter_values import Value
from kb.core.search.language import KEY_ALIASES, LONG
from kb.core.search.lookup import Lookup, Named, fold
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
    value = VALUE.search(before)
    if value:
        rest = REST_OF_VALUE.match(text, caret)
        end = rest.end() if rest else caret
        return _values(value["key"].lower(), value["typed"].lstrip('"'), value.start("typed"), end, names)
    if before.count('"') % 2:
        return []
    word = KEY.search(before)
    if word:
        rest = REST_OF_KEY.match(text, caret)
        return _keys(word["typed"], word.start("typed"), rest.end() if rest else caret, names)
    return []


def _keys(typed: str, start: int, end: int, names: Names) -> list[Completion]:
    """Keys that begin so, then those whose label has a word that does."""
    prefix = fold(typed)
    keys = [key for key in names.keys if fold(key.key).startswith(prefix)]
    keys += [key for key in names.keys if key not in keys and _has_word(key.label, prefix)]
    return [Completion(f"{key.key}:", start, end, key.label, key.help_text.replace("`", "")) for key in keys[:MOST]]


def _values(name: str, typed: str, start: int, end: int, names: Names) -> list[Completion]:
    key = KEY_ALIASES.get(name, name)
    completions = []
    lookup = names.of(key)
    if lookup:
        for named in _matching(lookup, typed):
            note = _alias_note(named, typed)
            completions.append(Completion(str(Value(named.value)), start, end, named.name, note))
        return completions
    for known in names.keys:
        if known.key == key:
            examples = [example for example in known.examples if example.startswith(typed)]
            completions += [Completion(example, start, end, example) for example in examples]
    return completions


def _matching(lookup: Lookup, typed: str) -> list[Named]:
    """Values that begin so, then those with a word or an alias that does; else those that are like it."""
    prefix = fold(typed)
    offered = [named for named in lookup.values if named.offered]
    matches = [named for named in offered if fold(named.value).startswith(prefix)]
    matches += [named for named in offered if fold(named.name).startswith(prefix)]
    if prefix:
        matches += [named for named in offered if _has_word(f"{named.value.replace('/', ' ')} {named.name}", prefix)]
        matches += [named for named in offered if _alias(named, prefix)]
        matches = matches or list(lookup.nearest(typed, MOST))
    return list(dict.fromkeys(matches))[:MOST]


def _has_word(text: str, prefix: str) -> bool:
    return f" {prefix}" in f" {fold(text)}"


def _alias(named: Named, prefix: str) -> str:
    """The first alias with a word that begins so; empty when there is none."""
    for alias in named.aliases:
        if _has_word(alias, prefix):
            return alias
    return ""


def _alias_note(named: Named, typed: str) -> str:
    """Names the alias by which the value was found."""
    prefix = fold(typed)
    if not prefix or _has_word(f"{named.value} {named.name}", prefix):
        return ""
    alias = _alias(named, prefix)
    return f"also: {alias}" if alias else ""
