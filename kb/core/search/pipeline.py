"""One text put to one engine: plan, ask step by step, rank, judge whether the best is close.

What else a request asks for (filters, facets, pages) and where results are shown is `kb.search`'s or the client's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from kb.core.search import closeness
from kb.core.search.backend import Backend
from kb.core.search.cards import Card
from kb.core.search.language import Query
from kb.core.search.lexicon import PhraseBook
from kb.core.search.plan import Plan, Vocabulary, make_plan, telling_words, words_to_count
from kb.core.search.ranking import Judged, rank
from kb.core.search.repair import Dictionary
from kb.core.search.speech import Speech
from kb.core.search.values import Candidate, Hits, Request, Sort


@dataclass(frozen=True)
class Row:
    """A result: what is shown of the issue, and what its place rests on."""

    card: Card
    judged: Judged


class Answered(Protocol):
    """A question with its results, for what explains them."""

    @property
    def query(self) -> Query:
        """What was asked."""

    @property
    def plan(self) -> Plan:
        """What was looked for."""

    @property
    def rows(self) -> Sequence[Row]:
        """What was found."""


@dataclass(frozen=True)
class Reply:
    """An engine's hits for the first step of a plan that found any; `least`: so many wanted things are in each."""

    plan: Plan
    hits: Hits
    least: int = 1


def ask(
    engine: Backend, query: Query, request: Request, speech: Callable[[], Speech], *, any_word: bool = False
) -> Reply:
    """Try the plan's steps until one finds anything, with or without the filters."""
    plan = _plan(engine, query, speech)
    if any_word:
        plan = replace(plan, least=(1,))
    for least in plan.least:
        text = replace(plan.text, least=least)
        hits = engine.find(replace(request, text=text))
        if hits.total or (request.conditions and engine.find(Request(text, limit=0)).total):
            break
    return Reply(replace(plan, text=text), hits, least)


def empty_plan(dictionary: Dictionary) -> Plan:
    """The plan for no words."""
    return make_plan(Query(""), Vocabulary(), dictionary, PhraseBook(()))


def _plan(engine: Backend, query: Query, speech: Callable[[], Speech]) -> Plan:
    if query.is_empty:
        return make_plan(query, Vocabulary(), engine, PhraseBook(()))
    spoken = speech()
    vocabulary = Vocabulary(aliases=spoken.aliases)
    words = words_to_count(query, vocabulary)
    vocabulary = replace(vocabulary, frequencies=engine.frequencies(words), size=engine.size())
    return make_plan(query, vocabulary, engine, spoken.frameworks)


def ranked(plan: Plan, candidates: Sequence[Candidate], sort: Sort) -> list[Judged]:
    """The candidates in order: by relevance as ranking has it, else as the engine has it."""
    has_features = any(candidate.features for candidate in candidates)
    if sort is Sort.RELEVANCE and not plan.text.is_empty and has_features:
        return rank(plan.need, candidates)
    return [Judged(candidate, candidate.score, {}) for candidate in candidates]


def is_close(reply: Reply, judged: Sequence[Judged], sort: Sort, query: Query) -> bool:
    """Is the best match near enough? Only an order by relevance puts the best first.

    What was asked for in quotes stands in every match, so that a phrase alone leaves nothing to judge.
    """
    if query.reference or not reply.hits.total:
        return bool(reply.hits.total) or query.is_empty
    is_phrase = bool(query.phrases) and not query.words
    if is_phrase or sort is not Sort.RELEVANCE or reply.plan.text.is_empty or not judged:
        return True
    return closeness.is_close(reply.plan.need, judged, telling_words(query))
