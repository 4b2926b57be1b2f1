"""The parts of a page of results: rows at a glance, chips of what is chosen, what was found, ways out of nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain

from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.utils.formats import date_format
from django.utils.functional import cached_property

from kb.core.advice import fix_order
from kb.filters.issues import IssueFilter
from kb.models import Source
from kb.search import (
    ANY,
    MOST_REACHABLE,
    Card,
    CardNode,
    FilterTerm,
    Match,
    ParsedSearch,
    Piece,
    Reason,
    SearchResult,
    fold_twins,
    passage,
    reasons,
    search,
)
from kb.selectors.glance import AxisName, NodeName
from kb.web.issue.answer import EXPECTED
from kb.web.search.facets import is_quick

RELAXED = 3
# A pasted text has many words, and the rare ones say more.
MARKED_WORDS = 8
TWO = 2


class CountedPaginator(Paginator):  # type: ignore[type-arg]
    """Numbers the pages of a search that has been counted and cut already."""

    def __init__(self, rows: Sequence[object], per_page: int, total: int) -> None:
        super().__init__(rows, per_page)
        self._total = total

    @cached_property
    def count(self) -> int:
        """The number of results that can be reached."""
        return min(self._total, MOST_REACHABLE)

    def page(self, number: int | str) -> Page:  # type: ignore[type-arg]
        """The page with the rows at hand, which are that page's."""
        return Page(self.object_list, self.validate_number(number), self)


class Outcome(Enum):
    """How much is known of what ended an issue."""

    FIXED = "fixed"
    ANSWERED = "answered"
    WORKAROUND = "workaround"
    UNKNOWN = "unknown"
    UNDESCRIBED = "undescribed"


@dataclass(frozen=True)
class ShownOutcome:
    """What ended an issue, or what to do until it is fixed: a short status, and what was done in our own words."""

    kind: Outcome
    status: str
    text: str


@dataclass(frozen=True)
class ResultRow:
    """A result as the page shows it; `twins` report the same and are folded under it."""

    card: Card
    outcome: ShownOutcome
    tags: tuple[NodeName, ...]
    suggested: tuple[NodeName, ...]
    passage: tuple[Piece, ...]
    reason: Reason
    twins: tuple[Card, ...]

    @property
    def is_expected(self) -> bool:
        """Does it work as designed?"""
        return any(cause.code == EXPECTED for cause in self.card.causes)


def rows(result: SearchResult) -> list[ResultRow]:
    """The shown results, those that report the same under the first of them."""
    cards = [row.card for row in result.rows]
    why = reasons(result)
    marked = _marked(result)
    return [_row(cards[folded.place], marked, why[folded.place], folded.twins) for folded in fold_twins(cards)]


def _marked(result: SearchResult) -> list[frozenset[str]]:
    """Which words make a passage, best first: the rarest that were asked for, all of them, other words for the same."""
    every: list[str] = []
    own: list[str] = []
    for wanted in result.plan.text.wanted:
        every += [word for word, _ in wanted.words]
        own += [word for word, weight in wanted.words if weight >= 1]
    rarest = sorted(own, key=lambda word: -result.plan.need.weights.get(word, 0.0))[:MARKED_WORDS]
    phrases = list(chain.from_iterable(result.plan.text.phrases))
    return list(dict.fromkeys(frozenset((*words, *phrases)) for words in (rarest, own, every)))


def _row(card: Card, marked: Sequence[frozenset[str]], reason: Reason, twins: tuple[Card, ...]) -> ResultRow:
    pieces: tuple[Piece, ...] = ()
    for words in marked:
        pieces = pieces or passage(card.text, words)
    return ResultRow(
        card=card,
        outcome=_outcome(card),
        tags=(
            *_named("symptom", card.symptoms),
            *_named("root_cause", card.causes),
            *_named("fix_pattern", card.patterns),
        ),
        suggested=_named("symptom", card.suggested),
        passage=pieces,
        reason=reason,
        twins=twins,
    )


def _outcome(card: Card) -> ShownOutcome:
    """What ended it; where a fix line stands above it, without its text."""
    outcome = _known_outcome(card)
    if not card.fix_line:
        return outcome
    status = outcome.status if card.fix else outcome.status.partition(";")[0].rstrip(":")
    return replace(outcome, status=status, text="")


def _known_outcome(card: Card) -> ShownOutcome:
    """A fix before a workaround; of an issue that nobody described, only that."""
    if card.fixed_version:
        order = fix_order(card.framework_name, fixed_version=card.fixed_version, fixes=())
        return ShownOutcome(Outcome.FIXED, order, card.resolution)
    if card.fix:
        merged = f" merged {date_format(card.fix.merged_on, 'j M Y')}" if card.fix.merged_on else ""
        return ShownOutcome(Outcome.FIXED, f"Fix{merged}:", card.resolution)
    if card.resolution:
        return ShownOutcome(Outcome.ANSWERED, "No change linked:", card.resolution)
    if card.workaround:
        return ShownOutcome(Outcome.WORKAROUND, "No fix known; workaround:", card.workaround)
    if card.curated:
        return ShownOutcome(Outcome.UNKNOWN, "No fix known", "")
    return ShownOutcome(Outcome.UNDESCRIBED, "Not described yet", "")


def _named(axis: str, nodes: Sequence[CardNode]) -> tuple[NodeName, ...]:
    return tuple(NodeName(AxisName(axis), node.code, node.name) for node in nodes)


def fit(result: SearchResult) -> str:
    """How the results fit the words, as it stands behind their number; nothing when no words were asked for.

    An issue with a synonym counts too, and then the words say that.
    """
    if result.match is Match.NONE:
        return ""
    has_others = any(weight < 1 for wanted in result.plan.text.wanted for _, weight in wanted.words)
    return f"{_counted(result)}, or synonyms" if has_others else _counted(result)


def _counted(result: SearchResult) -> str:
    if result.match is Match.SOME:
        if result.least > 1:
            return f"with at least {result.least} of your {result.wanted} words"
        return "with either of your words" if result.wanted == TWO else f"with any of your {result.wanted} words"
    if not result.wanted:
        return "with the phrase"
    if result.plan.unknown:
        return "with the other word" if result.wanted == 1 else "with all the other words"
    return {1: "with this word", TWO: "with both words"}.get(result.wanted, "with all of the words")


@dataclass(frozen=True)
class Chip:
    """A choice that narrows the search, and the address of the same search without it."""

    group: str
    name: str
    without_url: str


def chips(asked: ParsedSearch) -> list[Chip]:
    """Everything that narrows the search besides its words, wrong values included, so that each can be taken away.

    What is asked for in the box and in the address too is one choice. The row of quick filters shows its own.
    """
    same: dict[tuple[object, ...], list[FilterTerm]] = {}
    for term in (term for term in asked.terms if term.value.unwanted or not is_quick(term.key, term.meant)):
        same.setdefault((term.key, term.meant or term.value.text, term.value.unwanted), []).append(term)
    shown = []
    for several in same.values():
        first = several[0]
        name = first.name.lower() if first.meant in (("true",), ("false",)) else first.name
        if first.value.unwanted:
            name = f"not {name}"
        shown.append(Chip(_label(first.key), name, _address(asked.without_terms(several))))
    return shown


def _label(key: str) -> str:
    return str(IssueFilter.base_filters[key].label)


def _address(params: QueryDict) -> str:
    return "?" + params.urlencode(safe=",/")


def kept_fields(params: QueryDict) -> list[tuple[str, str]]:
    """What a new search from the box keeps: filters and order."""
    return [(key, params.get(key, "")) for key in (*IssueFilter.base_filters, "sort") if params.get(key)]


@dataclass(frozen=True)
class WayOut:
    """What could be given up, and how many issues there would be then."""

    name: str
    total: int
    url: str


def ways_out(result: SearchResult) -> list[WayOut]:
    """What finds something when the present search finds nothing: without each filter in turn, or fewer words."""
    if result.total or result.errors:
        return []
    asked = result.asked
    narrowing = list(dict.fromkeys(term.key for term in asked.terms))
    ways = [(f"without the filter “{_label(key)}”", asked.without(key)) for key in narrowing[:RELAXED]]
    if len(narrowing) > 1:
        ways.append(("without any filter", asked.without()))
    if result.least > 1:
        loose = asked.params.copy()
        loose.pop("page", None)
        loose["match"] = ANY
        ways.append((f"with any of your {result.wanted} words", loose))
    if result.query.reference:
        as_words = asked.params.copy()
        as_words["q"] = f'"{result.query.text}"'
        ways.append(("as words of a text", as_words))
    counted = []
    for name, params in ways:
        total = search(params, limit=0, with_facets=False).total
        if total:
            counted.append(WayOut(name, total, _address(params)))
    return counted


def said_errors(errors: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """What was not understood: where it stands, and what is wrong with it. The box's own need no name."""
    return [("" if key == "q" else key, " ".join(messages)) for key, messages in errors.items()]


def suggestions_url(asked: ParsedSearch) -> str:
    """The same search over what rules suggest, where it asks for issues with suggestions but not what these say."""
    kind = Source.Kind.RULE.value
    if asked.wanted("trust") != (kind,) or asked.wanted("source"):
        return ""
    params = asked.without("trust")
    params["source"] = kind
    return _address(params)
