"""The issues that a request asks for, as querysets: text by their search vector, conditions by `kb.filters.issues`.

A fallback, and it only approximates a `TextQuery.least` below all: every wanted word first, any of them when no issue
has all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

from django.contrib.postgres.search import CombinedSearchQuery, SearchQuery, SearchRank
from django.db import connection
from django.db.models import Case, F, FloatField, Q, QuerySet, Value, When
from django.db.models.expressions import Combinable, OrderBy

from kb.core.search.backend import chosen_sources
from kb.core.search.filter_values import Choice
from kb.core.search.values import Condition, Sort, TextQuery
from kb.filters.filter_types import Values
from kb.filters.issues import IssueFilter
from kb.models import Issue

# Weights of the mirrored body (D), our own text (C), signatures and label names (B), title and heading (A).
RANK_WEIGHTS = [0.05, 0.35, 0.6, 1.0]
# ts_rank divides by 1 + log(length): a long log must not win by length alone.
NORMALISE_BY_LENGTH = 1
CURATED_BOOST, RESOLVED_BOOST = 1.5, 1.25

NEWEST = (F("opened_at").desc(nulls_last=True), F("id").desc())
# The orders that the text has no part in.
ORDERS: dict[Sort, tuple[OrderBy, ...]] = {
    Sort.NEWEST: NEWEST,
    Sort.DISCUSSED: (F("comment_count").desc(nulls_last=True), *NEWEST),
    Sort.QUICKEST: (F("open_duration").asc(nulls_last=True), *NEWEST),
}

ANY = "WITH found AS MATERIALIZED ({issues}) SELECT EXISTS (SELECT FROM found)"

TsQuery = CombinedSearchQuery | SearchQuery


class Conditions(IssueFilter):
    """The filters of pages and API, given an engine's conditions instead of typed values."""

    def __init__(self, conditions: Sequence[Condition]) -> None:
        # Only filters that are asked for are made; what was typed is never read.
        super().__init__({condition.key: "given" for condition in conditions}, Issue.objects.all())
        self._sources = chosen_sources(conditions)

    def choices(self) -> dict[str, Choice]:
        """The chosen sources: conditions on codes look at their labels alone."""
        return {"source": Choice(wanted=self._sources)} if self._sources else {}

    def apply(self, issues: QuerySet[Issue], condition: Condition) -> QuerySet[Issue]:
        """The issues that the condition leaves."""
        asked = self.filters[condition.key]
        if not isinstance(asked, Values):
            if condition.low is None and condition.high is None:
                return issues
            bounded: QuerySet[Issue] = asked.filter(issues, Choice(low=condition.low, high=condition.high))
            return bounded
        # The filter itself may ask for all of the wanted values; a condition always asks for any.
        if condition.wanted:
            issues = issues.filter(asked.any_of(condition.wanted))
        return issues.exclude(asked.any_of(condition.unwanted)) if condition.unwanted else issues

    def of_group(self, key: str, conditions: Sequence[Condition]) -> Q:
        """All conditions on one group of values, as one that can be asked of each issue."""
        asked, together = self.filters[key], Q(pk__isnull=False)
        if not isinstance(asked, Values):
            raise TypeError(f"{key} has no values.")
        for condition in conditions:
            if condition.key == key and condition.wanted:
                together &= asked.any_of(condition.wanted)
            if condition.key == key and condition.unwanted:
                together &= ~asked.any_of(condition.unwanted)
        return together


@dataclass(frozen=True)
class Matching:
    """The issues whose text matches, and what ranks them (None: nothing does)."""

    issues: QuerySet[Issue]
    ranked_by: TsQuery | None


def matching(text: TextQuery) -> Matching:
    """Decide on the text alone which issues match."""
    issues = Issue.objects.all()
    for phrase in text.unwanted:
        issues = issues.exclude(search_vector=_together(phrase))
    phrases = [_together(phrase) for phrase in text.phrases]
    for query in phrases:
        issues = issues.filter(search_vector=query)
    if not text.wanted:
        return Matching(issues, reduce(and_, phrases) if phrases else None)
    each: list[TsQuery] = []
    for wanted in text.wanted:
        if wanted.words:
            words = [word.replace("\x00", "") for word, _weight in wanted.words]
            each.append(reduce(or_, [SearchQuery(word, config="english", search_type="plain") for word in words]))
    if not each:
        # Not `none()`, of which Django makes no statement that could be counted over.
        return Matching(issues.filter(pk__lt=0), None)
    if text.least > 1:
        every = reduce(and_, each)
        having_all = issues.filter(search_vector=every)
        if text.least >= len(each) or _has_any(having_all):
            return Matching(having_all, every)
    some = reduce(or_, each)
    return Matching(issues.filter(search_vector=some), some)


def _has_any(issues: QuerySet[Issue]) -> bool:
    """Is there one? Asked so that the index is read: for the first of many, Postgres would rather try row after row."""
    sql, params = issues.order_by().values("pk").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(ANY.format(issues=sql), params)
        return bool(cursor.fetchone()[0])


def conditioned(issues: QuerySet[Issue], conditions: Sequence[Condition]) -> QuerySet[Issue]:
    """The issues that meet all conditions."""
    filters = Conditions(conditions)
    return reduce(filters.apply, conditions, issues)


def ordered(issues: QuerySet[Issue], ranked_by: TsQuery | None, sort: Sort) -> QuerySet[Issue, tuple[int, float]]:
    """Ids and scores in the order asked for."""
    score: Combinable = Value(0.0, output_field=FloatField())
    order: tuple[OrderBy, ...]
    if sort in ORDERS or ranked_by is None:
        order = ORDERS.get(sort, (F("is_curated").desc(), *NEWEST))
    else:
        score, order = _rank(ranked_by), (F("score").desc(), F("id").desc())
    return issues.annotate(score=score).order_by(*order).values_list("id", "score")


def _rank(tsquery: TsQuery) -> Combinable:
    rank = SearchRank(F("search_vector"), tsquery, weights=RANK_WEIGHTS, normalization=Value(NORMALISE_BY_LENGTH))
    boost = Case(
        When(resolution__gt="", then=Value(CURATED_BOOST * RESOLVED_BOOST)),
        When(is_curated=True, then=Value(CURATED_BOOST)),
        default=Value(1.0),
        output_field=FloatField(),
    )
    return rank * boost


def _together(words: tuple[str, ...]) -> SearchQuery:
    return SearchQuery(" ".join(words).replace("\x00", ""), config="english", search_type="phrase")
