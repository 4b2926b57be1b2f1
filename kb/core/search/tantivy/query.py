"""Turns a request into tantivy's queries: what matches, what else is asked for, and what scores."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import tantivy
from tantivy import FieldType, Occur, Query

from kb.core.search.backend import EVERYTHING, FIELD_WEIGHTS, HELD, chosen_sources, held_values
from kb.core.search.keys import CODE_KEYS
from kb.core.search.values import Condition, TextQuery, Wanted

MOST_NUMBER = 2**62

Clause = tuple[Occur, Query]


class Queries:
    """Builds queries against one schema."""

    def __init__(self, schema: tantivy.Schema) -> None:
        self._schema = schema

    def matching(self, text: TextQuery, conditions: Sequence[Condition], *also: Query) -> Query:
        """What matches, without any score: for counting and for orders other than relevance."""
        phrases = [self._phrase(words) for words in text.phrases]
        wanted = []
        if text.wanted:
            each = []
            for alternatives in text.wanted:
                each.append(_any(self._term(EVERYTHING, word, "basic") for word, _weight in alternatives.words))
            wanted = [_at_least(text.least, each)]
        return _all([*_must([*wanted, *phrases, *also]), *self._unwanted(text), *self._conditions(conditions)])

    def scoring(self, text: TextQuery, conditions: Sequence[Condition]) -> Query:
        """What matches, scored by the wanted words; by the phrases when there are no wanted words."""
        phrases = _must(self._phrase(words) for words in text.phrases)
        others = [*self._unwanted(text), *self._conditions(conditions)]
        if not text.wanted:
            return _all([*phrases, *_silent(others)])
        return _all([(Occur.Must, self._scored(text)), *_silent([*others, *phrases])])

    def no_match(self, text: TextQuery) -> Query:
        """The documents whose text does not match."""
        return Query.boolean_query([(Occur.Must, Query.all_query()), (Occur.MustNot, self.matching(text, ()))])

    def both(self, query: Query, any_of: Sequence[Query]) -> Query:
        """What matches the query and one of the others."""
        return _all(_must([query, _any(any_of)]))

    def at_least_two(self, key: str, values: Sequence[str]) -> Query:
        """Documents that have two of these values or more."""
        return _at_least(2, [self.value(key, value) for value in dict.fromkeys(values)])

    def value(self, key: str, value: str) -> Query:
        """Documents that have this value."""
        return Query.term_query(self._schema, key, value, "basic")

    def number(self, key: str, number: int) -> Query:
        """Documents that have this number."""
        return Query.term_query(self._schema, key, number, "basic")

    def _scored(self, text: TextQuery) -> Query:
        scored = [list(self._scored_words(wanted)) for wanted in text.wanted]
        if text.least <= 1:
            # One flat list is merged in half the time that a list of lists takes.
            return _any(chain.from_iterable(scored))
        return _at_least(text.least, [_any(parts) for parts in scored])

    def _scored_words(self, wanted: Wanted) -> Iterator[Query]:
        for word, weight in wanted.words:
            for field, field_weight in FIELD_WEIGHTS.items():
                yield Query.boost_query(self._term(field, word), field_weight * weight)

    def _unwanted(self, text: TextQuery) -> list[Clause]:
        return [(Occur.MustNot, self._phrase(words)) for words in text.unwanted]

    def _phrase(self, words: tuple[str, ...]) -> Query:
        if len(words) > 1:
            return Query.phrase_query(self._schema, EVERYTHING, list(words))
        return self._term(EVERYTHING, words[0]) if words else Query.empty_query()

    def _term(self, field: str, word: str, option: str = "freq") -> Query:
        return Query.term_query(self._schema, field, word, option)

    def _conditions(self, conditions: Sequence[Condition]) -> list[Clause]:
        """With chosen sources, codes are looked for among those that these sources hold."""
        sources = chosen_sources(conditions)
        return list(chain.from_iterable(self._condition(condition, sources) for condition in conditions))

    def _condition(self, condition: Condition, sources: tuple[str, ...]) -> list[Clause]:
        key, wanted, unwanted = condition.key, condition.wanted, condition.unwanted
        clauses: list[Clause] = []
        if condition.low is not None or condition.high is not None:
            clauses.append((Occur.Must, self._range(condition)))
        if sources and key in CODE_KEYS:
            wanted, unwanted = held_values(sources, key, wanted), held_values(sources, key, unwanted)
            key = HELD
        if wanted:
            clauses.append((Occur.Must, _any(self.value(key, value) for value in wanted)))
        return clauses + [(Occur.MustNot, self.value(key, value)) for value in unwanted]

    def _range(self, condition: Condition) -> Query:
        low = -MOST_NUMBER if condition.low is None else max(condition.low, -MOST_NUMBER)
        high = MOST_NUMBER if condition.high is None else min(condition.high, MOST_NUMBER)
        if low > high:
            return Query.empty_query()
        return Query.range_query(self._schema, condition.key, FieldType.Integer, low, high)


def _at_least(least: int, parts: Sequence[Query]) -> Query:
    if least > len(parts):
        return Query.empty_query()
    if least == len(parts):
        return _all(_must(parts))
    return _any(parts) if least <= 1 else Query.boolean_query([(Occur.Should, part) for part in parts], least)


def _must(parts: Iterable[Query]) -> list[Clause]:
    return [(Occur.Must, part) for part in parts]


def _silent(clauses: Iterable[Clause]) -> list[Clause]:
    """The same clauses without a say in the score."""
    return [(how, Query.const_score_query(part, 0.0)) for how, part in clauses]


def _any(parts: Iterable[Query]) -> Query:
    clauses = [(Occur.Should, part) for part in parts]
    if not clauses:
        return Query.empty_query()
    return clauses[0][1] if len(clauses) == 1 else Query.boolean_query(clauses)


def _all(clauses: Sequence[Clause]) -> Query:
    """All of the clauses; those that only forbid need something to forbid it from."""
    if all(how == Occur.MustNot for how, _ in clauses):
        clauses = [(Occur.Must, Query.all_query()), *clauses]
    return clauses[0][1] if len(clauses) == 1 else Query.boolean_query(clauses)
