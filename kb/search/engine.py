"""Finds issues for a query inside Postgres: every word first, any word when that finds nothing.

Text is folded by the database function `kb_fold`, for documents (the generated vector) and queries alike.
"""

from dataclasses import dataclass
from enum import Enum

from django.contrib.postgres.search import CombinedSearchQuery, SearchQuery, SearchRank
from django.db.models import Case, F, FloatField, Func, QuerySet, TextField, Value, When
from django.db.models.expressions import Combinable

from kb.models import Issue
from kb.search.language import Query

# Weights of the mirrored body (D), our own text (C), signatures and label names (B), title and heading (A).
RANK_WEIGHTS = [0.05, 0.35, 0.6, 1.0]
# ts_rank divides by 1 + log(length): a long log must not win by length alone.
NORMALISE_BY_LENGTH = 1
CURATED_BOOST = 1.5
RESOLVED_BOOST = 1.25


# A statement cannot look for many more at once.
MAX_WORDS = 40

TsQuery = CombinedSearchQuery | SearchQuery


class AnyWord(SearchQuery):
    """Any word of a text; the database function folds it."""

    SEARCH_TYPES = SearchQuery.SEARCH_TYPES | {"any": "kb_any_word"}


class Match(Enum):
    """How the results fit the words."""

    ALL = "all"
    ANY = "any"
    NONE = "none"


class Sort(Enum):
    """The orders on offer."""

    RELEVANCE = "relevance"
    NEWEST = "newest"
    DISCUSSED = "discussed"
    QUICKEST = "quickest"


@dataclass(frozen=True)
class Found:
    """The matching issues, not yet ordered or cut, and how they match."""

    issues: QuerySet[Issue]
    match: Match
    tsquery: TsQuery | None


def match(issues: QuerySet[Issue], query: Query) -> Found:
    """Keep the issues that hold every wanted term; if there is none, those that hold any of them."""
    for text in query.exclusions:
        issues = without(issues, text)
    if query.is_empty:
        return Found(issues, Match.NONE, None)
    every = _every(query)
    found = issues.filter(search_vector=every)
    if found.exists():
        return Found(found, Match.ALL, every)
    some = AnyWord(_value(wanted_text(query)), search_type="any")
    return Found(issues.filter(search_vector=some), Match.ANY, some)


def without(issues: QuerySet[Issue], text: str) -> QuerySet[Issue]:
    """Leave out the issues that hold the word or phrase."""
    return issues.exclude(search_vector=_words(text, is_phrase=True))


def wanted_text(query: Query) -> str:
    """The words and phrases that are looked for."""
    return " ".join((_first_words(query), *query.phrases))


def _first_words(query: Query) -> str:
    return " ".join(query.words.split()[:MAX_WORDS])


def _every(query: Query) -> TsQuery:
    parts = [_words(phrase, is_phrase=True) for phrase in query.phrases]
    if query.words:
        # Loose words are folded together, because `zero stage 3` is one word only when its parts meet.
        parts.append(_words(_first_words(query), is_phrase=False))
    combined: TsQuery = parts[0]
    for part in parts[1:]:
        combined = combined & part
    return combined


def _value(text: str) -> Value:
    return Value(text, output_field=TextField())


def _words(text: str, *, is_phrase: bool) -> SearchQuery:
    folded = Func(_value(text), function="kb_fold", output_field=TextField())
    return SearchQuery(folded, config="english", search_type="phrase" if is_phrase else "plain")


def order(found: Found, sort: Sort) -> QuerySet[Issue]:
    """Order the matches; ties are broken by id so that pages are stable."""
    newest = (F("opened_at").desc(nulls_last=True), F("id").desc())
    if sort is Sort.DISCUSSED:
        return found.issues.order_by(F("comment_count").desc(nulls_last=True), *newest)
    if sort is Sort.QUICKEST:
        return found.issues.order_by(F("open_duration").asc(nulls_last=True), *newest)
    if sort is Sort.NEWEST:
        return found.issues.order_by(*newest)
    if found.tsquery is None:
        return found.issues.order_by(F("is_curated").desc(), *newest)
    return found.issues.annotate(rank=_rank(found.tsquery)).order_by(F("rank").desc(), *newest)


def _rank(tsquery: TsQuery) -> Combinable:
    rank = SearchRank(F("search_vector"), tsquery, weights=RANK_WEIGHTS, normalization=Value(NORMALISE_BY_LENGTH))
    boost = Case(
        When(resolution__gt="", then=Value(CURATED_BOOST * RESOLVED_BOOST)),
        When(is_curated=True, then=Value(CURATED_BOOST)),
        default=Value(1.0),
        output_field=FloatField(),
    )
    return rank * boost
