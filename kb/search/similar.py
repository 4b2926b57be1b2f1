"""Which known issues are like a text: a draft's title and body, or another issue.

How a text becomes a search is `kb.core.search.drafts`. Nothing in it is an operator or a filter, and an issue that
shares only some of the words may still be the same fault. An issue's relatives are also looked for by its categories:
people find very different words for one cause.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from django.core.cache import cache
from django.http import QueryDict

from kb.core.search.cards import Card, CardNode
from kb.core.search.drafts import draft_text
from kb.core.search.language import MAX_CHARACTERS, Query
from kb.core.search.values import Condition
from kb.core.secrets import without_our_words
from kb.filters.issues import AXIS_KEYS
from kb.models import Issue
from kb.search import backends
from kb.search.request import read
from kb.search.service import SearchResult, answer
from kb.selectors.issues import labels_by_axis, suggestions

DRAFT_RESULTS = 10
# So many of the closest texts, and of the issues with the same categories, are weighed.
CANDIDATES, IN_CATEGORY = 40, 60
HOUSE = "house"
# The place of a text among the closest ones, smoothed (reciprocal rank fusion, Cormack and others 2009).
SMOOTHING = 20
SHARED_WORTH, MOST_SHARED = 0.02, 2
DESCRIBED_WORTH = 0.004
# Many read the page of one issue, and what is like it changes seldom.
KEPT_SECONDS = 300
Conditions = tuple[Condition, ...]
SOLVED = (Condition("resolved", wanted=("true",)),)


@dataclass(frozen=True)
class Similar:
    """An issue that is like another one, and the names of the categories that both have."""

    card: Card
    shared: tuple[str, ...]


def search_draft(title: str, body: str, *, limit: int = DRAFT_RESULTS) -> SearchResult:
    """The known issues that come closest to a draft."""
    return _closest(draft_text(title[:MAX_CHARACTERS], body[:MAX_CHARACTERS]), limit)


def similar_issues(issue: Issue, *, limit: int = 5, solved: bool = False) -> Sequence[Similar]:
    """The issues that are closest to this one by their texts and their categories; the described ones before equals.

    With `solved`, only those whose resolution is known: for an issue that nobody described, by its title and by what
    rules suggest, and none by a title that nothing comes close to.

    The issue's labels must be prefetched. Where only Postgres' full text answers, which would have to count every
    word, categories alone decide. The answer is cached for some minutes.
    """
    has_index = backends.has_index()
    key = f"similar:{issue.pk}:{limit}:{has_index}:{solved}"
    similar: Sequence[Similar] | None = cache.get(key)
    if similar is None:
        similar = _similar(issue, limit, SOLVED if solved else (), has_index=has_index)
        cache.set(key, similar, KEPT_SECONDS)
    return similar


def _similar(issue: Issue, limit: int, among: Conditions, *, has_index: bool) -> Sequence[Similar]:
    codes = _codes(issue, suggested=bool(among) and not issue.summary)
    near, is_close = _by_text(issue, among) if has_index else ([], True)
    places = {card.id: place for place, card in enumerate(near)}
    found = (*(near if is_close else ()), *_by_category(codes, among))
    cards = {card.id: card for card in found if card.id != issue.pk}

    def worth(card: Card) -> float:
        closeness = 1 / (SMOOTHING + places[card.id]) if card.id in places else 0.0
        shared = min(len(_shared(card, codes)), MOST_SHARED)
        return closeness + SHARED_WORTH * shared + DESCRIBED_WORTH * card.curated

    ranked = sorted(cards.values(), key=worth, reverse=True)
    return [Similar(card, tuple(node.name for node in _shared(card, codes))) for card in ranked[:limit]]


def _by_text(issue: Issue, among: Conditions) -> tuple[list[Card], bool]:
    """The issues with the closest texts, to our own if we wrote one, else to the report; and whether they are close."""
    body = "\n".join((issue.summary, *issue.recognise)) if issue.summary else issue.shown_body
    text = draft_text(f"{issue.heading} {issue.shown_title}", body)
    by_title = bool(among) and not issue.summary
    found = _closest(without_our_words(issue.shown_title if by_title else text), CANDIDATES, among)
    return [row.card for row in found.rows], found.is_close or not by_title


def _by_category(codes: Mapping[str, Collection[str]], among: Conditions) -> list[Card]:
    """The issues with one of these categories, the described ones first."""
    paths: list[str] = []
    for of_one_key in codes.values():
        paths += [f"{HOUSE}/{code}" for code in sorted(of_one_key)]
    if not paths:
        return []
    asked = replace(read(QueryDict()), conditions=(Condition("node", wanted=tuple(paths)), *among))
    result = answer(asked, limit=IN_CATEGORY, with_facets=False, with_total=False)
    return [row.card for row in result.rows]


def _closest(text: str, limit: int, among: Conditions = ()) -> SearchResult:
    """What a text finds, all of it taken as words, and none for a misspelt one: that is costly, and texts are long."""
    asked = replace(read(QueryDict()), query=Query(text, words=text, is_paste=True), conditions=among)
    return answer(asked, limit=limit if text else 0, with_facets=False, with_total=False)


def _codes(issue: Issue, *, suggested: bool) -> dict[str, set[str]]:
    """The codes of the issue's house categories that tell faults apart, by filter key; with `suggested`, rules' too."""
    groups = labels_by_axis(issue, house=True)
    labels = {group.axis.code: group.labels for group in (*groups, *(suggestions(issue) if suggested else ()))}
    return {key: {label.node.code for label in labels.get(AXIS_KEYS[key], ())} for key in ("symptom", "cause")}


def _shared(card: Card, codes: Mapping[str, Collection[str]]) -> list[CardNode]:
    symptoms = [node for node in card.symptoms if node.code in codes["symptom"]]
    return symptoms + [node for node in card.causes if node.code in codes["cause"]]
