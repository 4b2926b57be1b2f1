"""Turns a request into pg_search's queries, as the JSON that it takes: what matches, and what scores.

pg_search 0.21 drops documents where it intersects a union of anything but plain words (tantivy issues 3086 and 3103).
So unions are flat here, and "at least two of these", which would be a nest of them, is answered by counting first.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from kb.core.search.backend import EVERYTHING, FIELD_WEIGHTS, HELD, chosen_sources, held_values
from kb.core.search.keys import CODE_KEYS
from kb.core.search.values import Condition, TextQuery, Wanted
from kb.search.backends.fields import NUMBER_KEYS
from kb.search.backends.pg_search.schema import CODES, IN_CODES

Query = str | dict[str, Any]

ALL: Query = "all"
NOTHING: Query = "empty"
MOST_NUMBER = 2**62


def must_be_counted(text: TextQuery) -> bool:
    """Are some of the wanted words enough, but one is not? Then `counting` finds the documents that have enough."""
    return 1 < text.least < len(text.wanted)


def counting(text: TextQuery) -> Query:
    """Documents with any of the wanted words; the score is how many they have."""
    return _any(_worth(1, _any(_words(wanted))) for wanted in text.wanted)


def matching(text: TextQuery, conditions: Sequence[Condition], enough: Sequence[int] | None = None) -> Query:
    """What matches, without any score. `enough`: the ids that have enough of the wanted words, if they were counted."""
    phrases = [_phrase(words) for words in text.phrases]
    return _without([*_wanted(text, enough), *phrases, *_conditions(conditions)], text, conditions)


def scoring(text: TextQuery, conditions: Sequence[Condition], enough: Sequence[int] | None = None) -> Query:
    """What matches, scored by the wanted words; by the phrases when there are no wanted words."""
    phrases = [_phrase(words) for words in text.phrases]
    if text.wanted:
        needed = _wanted(text, enough) if text.least > 1 else []
        scored, silent = [_any(_scored(text))], [*phrases, *needed]
    else:
        scored, silent = phrases, []
    silent += _conditions(conditions)
    return _without([*scored, *(_worth(0, part) for part in silent)], text, conditions)


def word(field: str, value: str) -> Query:
    """Documents that have this word or value."""
    return {"term": {"field": field, "value": value}} if _can_be_kept(value) else NOTHING


def _wanted(text: TextQuery, enough: Sequence[int] | None) -> list[Query]:
    if not text.wanted:
        return []
    if enough is not None:
        return [{"term_set": {"field": "id", "terms": list(enough)}} if enough else NOTHING]
    if text.least > len(text.wanted):
        return [NOTHING]
    if text.least == len(text.wanted):
        return [_any(_words(wanted)) for wanted in text.wanted]
    return [_any(chain.from_iterable(map(_words, text.wanted)))]


def _scored(text: TextQuery) -> Iterable[Query]:
    for wanted in text.wanted:
        for text_word, weight in wanted.words:
            for field, field_weight in FIELD_WEIGHTS.items():
                yield {"boost": {"query": word(field, text_word), "factor": field_weight * weight}}


def _words(wanted: Wanted) -> list[Query]:
    return [word(EVERYTHING, text_word) for text_word, _weight in wanted.words]


def _phrase(words: tuple[str, ...]) -> Query:
    if not words or not all(map(_can_be_kept, words)):
        return NOTHING
    if len(words) == 1:
        return word(EVERYTHING, words[0])
    return {"phrase_array": {"field": EVERYTHING, "tokens": list(words)}}


def _conditions(conditions: Sequence[Condition]) -> list[Query]:
    """What conditions ask for. With chosen sources, codes are those that these sources hold."""
    sources = chosen_sources(conditions)
    needed: list[Query] = []
    for condition in conditions:
        if condition.low is not None or condition.high is not None:
            needed.append(_range(condition))
        if condition.wanted:
            needed.append(_any(_values(condition.key, condition.wanted, sources)))
    return needed


def _without(needed: Sequence[Query], text: TextQuery, conditions: Sequence[Condition]) -> Query:
    """All that is needed, less what is forbidden: words and values at once, phrases one by one."""
    sources = chosen_sources(conditions)
    forbidden = [_phrase(words) for words in text.unwanted if len(words) == 1]
    for condition in conditions:
        forbidden += _values(condition.key, condition.unwanted, sources)
    query = _all(needed, forbidden)
    for words in text.unwanted:
        if len(words) != 1:
            query = _all([query], [_phrase(words)])
    return query


def _values(key: str, values: Sequence[str], sources: tuple[str, ...]) -> list[Query]:
    if sources and key in CODE_KEYS:
        return [word(HELD, value) for value in held_values(sources, key, values)]
    if key in IN_CODES:
        return [word(CODES, f"{key}={value}") for value in values]
    return [word(key, value) for value in values]


def _range(condition: Condition) -> Query:
    if condition.key not in NUMBER_KEYS:
        raise ValueError(f"“{condition.key}” is no number.")
    low = -MOST_NUMBER if condition.low is None else max(condition.low, -MOST_NUMBER)
    high = MOST_NUMBER if condition.high is None else min(condition.high, MOST_NUMBER)
    if low > high:
        return NOTHING
    bounds = {"lower_bound": {"included": low}, "upper_bound": {"included": high}}
    return {"range": {"field": condition.key, **bounds, "is_datetime": False}}


def _worth(score: float, query: Query) -> Query:
    return {"const_score": {"query": query, "score": score}}


def _any(parts: Iterable[Query]) -> Query:
    each = list(parts)
    if not each:
        return NOTHING
    return each[0] if len(each) == 1 else {"boolean": {"should": each}}


def _all(needed: Sequence[Query], forbidden: Sequence[Query]) -> Query:
    """All that is needed; what only forbids needs something to forbid it from."""
    if len(needed) == 1 and not forbidden:
        return needed[0]
    return {"boolean": {"must": list(needed) or [ALL], "must_not": list(forbidden)}}


def _can_be_kept(text: str) -> bool:
    """Can Postgres keep this text at all? What it cannot keep it does not have."""
    return "\x00" not in text and not any("\ud800" <= sign <= "\udfff" for sign in text)
