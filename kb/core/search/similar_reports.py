"""The known issues that a whole report may be of, each with its probability and what speaks for it. Nothing is stored.

Candidates come by the report's words and by its error lines; `pairs` compares them with it, `same_fault` judges.
Where issues are kept is said by `KnownIssues`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from kb.core.frameworks import frameworks_named
from kb.core.search.backend import Backend
from kb.core.search.cards import Card
from kb.core.search.error_lines import ISSUES_KEPT, StoredTexts
from kb.core.search.error_matches import ErrorQuery, KnownIssues, error_matches
from kb.core.search.error_setups import LogSetup
from kb.core.search.line_weights import LineWeights
from kb.core.search.normalise import words
from kb.core.search.pairs import Pair, Told, pairs
from kb.core.search.same_fault import BASIS, LEAST_KIND, LEAST_SAME, SAME_FAULT, SAME_KIND, probability
from kb.core.search.sections import split
from kb.core.secrets import mask
from kb.core.setups.facts import Setup
from kb.core.similar import SimilarMatchData, SimilarReportData

BY_WORDS, BY_LINES, MOST_MATCHES = 20, 10, 10
# Of a long report, the beginning says what it is of.
NAMED_IN = 4_000
MOST_SHARED_WORDS = 6
Closest: TypeAlias = Callable[[str, str, int], Sequence[Card]]
NO_FRAMEWORK = "Which framework the report is of is not known: name it, and matches within it are more certain."
NO_ERROR = "No line of the report names an error: with the error's own line, matches are more certain."
NO_INDEX = "The search index is not ready, so no probability is known; matches are by words alone."


@dataclass(frozen=True)
class Report:
    """A report as it is handed over.

    `framework`: a slug, or empty; `setup`: what is known of its run; `url`: its own address where it has one, so that
    it is no match of itself.
    """

    title: str
    body: str
    framework: str = ""
    setup: Setup = field(default_factory=Setup)
    url: str = ""


def similar_to_report(
    report: Report, known: KnownIssues, closest: Closest, page_address: Callable[[str], str]
) -> SimilarReportData:
    """The known issues that may be the report's fault, the most probable first; none where nothing is near.

    `closest` searches for title and body, up to a number of cards; `page_address` makes a path of ours a whole address.
    """
    text = f"{report.title}\n{report.body[:NAMED_IN]}"
    slugs = (report.framework,) if report.framework else tuple(frameworks_named(text))
    own = Told.of((report.title,), report.body, frameworks=slugs)
    cards = _candidates(report, slugs, known, closest)
    engine = known.engine
    log_setup = LogSetup(dict.fromkeys(slugs, ""), report.setup, known.faults)
    found = (
        _judged(own, cards, log_setup, known.texts([card.id for card in cards]), engine)
        if engine
        else [_Match(card, Pair({}, ""), (), None, None) for card in cards]
    )
    offered = _folded([match for match in found if match.is_near])
    offered.sort(key=lambda match: match.order, reverse=True)
    unknown = [NO_INDEX] * (engine is None) + [NO_FRAMEWORK] * (not slugs) + [NO_ERROR] * (not own.lines)
    return {
        "matches": [_data(match, page_address) for match in offered[:MOST_MATCHES]],
        "frameworks": list(slugs),
        "basis": BASIS,
        "not_known": unknown,
    }


@dataclass(frozen=True)
class _Match:
    card: Card
    pair: Pair
    reasons: tuple[str, ...]
    same_fault: float | None
    same_kind: float | None

    @property
    def is_near(self) -> bool:
        """Whether it is worth an offer; what is not known is offered as the search found it."""
        if self.same_fault is None or self.same_kind is None:
            return True
        return self.same_fault >= LEAST_SAME or self.same_kind >= LEAST_KIND

    @property
    def order(self) -> tuple[float, float]:
        return self.same_fault or 0.0, self.same_kind or 0.0


def _candidates(report: Report, slugs: Iterable[str], known: KnownIssues, closest: Closest) -> list[Card]:
    """The cards worth a comparison, without the report itself."""
    lines = split(report.body).telling[::-1]
    by_lines = error_matches(ErrorQuery(lines, versions=dict.fromkeys(slugs, "")), BY_LINES, known)
    by_words = closest(report.title, report.body, BY_WORDS + 1)
    cards = {card.id: card for card in (*by_words, *(match.card for match in by_lines))}
    own = report.url.rstrip("/").lower()
    return [card for card in cards.values() if card.url.lower() != own]


def _judged(
    report: Told, cards: Sequence[Card], setup: LogSetup, stored: Mapping[int, StoredTexts], engine: Backend
) -> list[_Match]:
    kept = [card for card in cards if card.id in stored]
    issues = [_told(stored[card.id], card.framework) for card in kept]
    every_word = sorted(report.words.union(*(issue.words for issue in issues), *_of_lines(report, issues)))
    weights = LineWeights(engine.frequencies(every_word), engine.size())
    return [
        _Match(
            card,
            pair,
            tuple(_reasons(report, card, issue, pair, setup, weights)),
            round(probability(pair.measures, SAME_FAULT), 2),
            round(probability(pair.measures, SAME_KIND), 2),
        )
        for card, issue, pair in zip(kept, issues, pairs(report, issues, weights), strict=True)
    ]


def _of_lines(report: Told, issues: Sequence[Told]) -> list[frozenset[str]]:
    return [line for side in (report, *issues) for line in side.line_words]


@lru_cache(ISSUES_KEPT)
def _told(issue: StoredTexts, framework: str) -> Told:
    said = (issue.body, issue.summary, *issue.also_seen, issue.resolution)
    return Told.of(issue.titles, "\n".join(said), lines=issue.recognise, frameworks=(framework,))


def _reasons(report: Told, card: Card, issue: Told, pair: Pair, setup: LogSetup, weights: LineWeights) -> Iterable[str]:
    """What speaks for the match and against it, the most telling first."""
    if pair.line:
        yield (
            "same error line, as others have it" if pair.measures["line_of_others"] else "same error line, of no other"
        )
    in_both = sorted(_in_both(report, issue), key=lambda word: (-weights.of(word), word))[:MOST_SHARED_WORDS]
    if in_both:
        yield f"both titles have: {', '.join(in_both)}"
    if card.framework in report.frameworks:
        yield f"of {card.framework_name}, as the report"
    elif report.frameworks:
        yield f"of {card.framework_name}, which the report does not name"
    for _, told in (setup.on_version(card), setup.on_condition(card)):
        if told:
            yield told.lstrip(": ")


def _in_both(report: Told, issue: Told) -> frozenset[str]:
    """Words of the report's title that stand in one of the issue's, as the reporter wrote them."""
    theirs = frozenset().union(*issue.title_words)
    written = mask(" ".join(report.titles)).text.split()
    return frozenset(word for word in written if (stems := frozenset(words(word))) and stems <= theirs)


def _folded(matches: Sequence[_Match]) -> list[_Match]:
    """Without reports that a record among them answers, unless they are more probable than it."""
    pages = {match.card.page: match for match in matches}
    return [
        match
        for match in matches
        if not (
            match.card.answered_by
            and (record := pages.get(match.card.answered_by.page))
            and record.order >= match.order
        )
    ]


def _data(match: _Match, page_address: Callable[[str], str]) -> SimilarMatchData:
    card = match.card
    return {
        "url": card.url,
        "page": page_address(card.page),
        "name": card.name,
        "title": card.title,
        "framework": card.framework,
        "described": card.curated,
        "same_fault": match.same_fault,
        "same_kind": match.same_kind,
        "reasons": list(match.reasons),
        "line": match.pair.line or None,
        "measures": {name: round(value, 3) for name, value in match.pair.measures.items()},
        "symptoms": [node.name for node in card.symptoms],
        "causes": [node.name for node in card.causes],
        "fix_line": card.fix_line or None,
    }
