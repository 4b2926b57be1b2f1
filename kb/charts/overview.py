"""The cards of the overview: for each of six questions its most frequent categories, all counted in one statement.

A mark's query is the overview's own, narrowed by the question's filter: it filters every card alike. Reads the
database.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kb.charts.catalogue import BY_SLUG
from kb.charts.chart import Chart, Counted
from kb.charts.counting import Tally, group_apart, tally
from kb.charts.dimensions import CAUSE, COMPONENT, FIX, FRAMEWORK, SYMPTOM, YEAR, Dimension, categories
from kb.charts.drawings import SECONDS, holders_of
from kb.charts.evidence import Evidence
from kb.charts.ranking import Finding, finding, ranked
from kb.charts.samples import TOO_FEW, small_note
from kb.charts.scope import Scope
from kb.charts.shares import CategoryShare
from kb.selectors.remembered import remembered

SHOWN_BARS, SHOWN_COLUMNS = 8, 10


@dataclass(frozen=True)
class Question:
    """What a card answers, and the chart that answers it at length; `in_order`: its categories stand side by side."""

    dimension: Dimension
    slug: str
    in_order: bool = False

    @property
    def chart(self) -> Chart:
        """The chart."""
        return BY_SLUG[self.slug]


QUESTIONS = (
    Question(SYMPTOM, "symptoms"),
    Question(CAUSE, "root-causes"),
    Question(FIX, "fix-patterns"),
    Question(COMPONENT, "components"),
    Question(FRAMEWORK, "frameworks"),
    Question(YEAR, "issues-over-time", in_order=True),
)


@dataclass(frozen=True)
class Mark:
    """A category of a card, in the texts that the page writes: thousands of lookups and formats would be slow there.

    `query`: the overview narrowed to it, or without it where it is chosen already. `bar` and `interval` are paths on a
    plane of 100 by 10, or of 10 by 100 where bars are upright.
    """

    code: str
    name: str
    query: str
    is_chosen: bool
    issues: str
    share: str
    says: str
    bar: str
    interval: str


@dataclass(frozen=True)
class Card:
    """A question's most frequent categories; `more` of them are left to the chart."""

    question: Question
    counted: Counted
    finding: Finding
    marks: tuple[Mark, ...]
    more: int

    @property
    def is_too_few(self) -> bool:
        """Whether the issues are too few to be drawn."""
        return self.counted.issues < TOO_FEW

    @property
    def few(self) -> str:
        """A note that the issues are few; empty when they are not."""
        return small_note(self.counted.issues)


@dataclass(frozen=True)
class Overview:
    """All cards, the number of labelled issues that they count, and their sources with the issues of each."""

    cards: tuple[Card, ...]
    all_issues: int
    sources: tuple[tuple[str, int], ...]


def overview(evidence: Evidence) -> Overview:
    """The cards for these words and filters."""
    return remembered(f"overview:{evidence.key}", lambda: _overview(evidence), seconds=SECONDS)


def _overview(evidence: Evidence) -> Overview:
    categories(evidence, [question.dimension for question in QUESTIONS])  # one statement reads all trees
    scopes = [Scope(evidence, question.dimension) for question in QUESTIONS]
    groups = group_apart(evidence, [scope.column for scope in scopes])
    tallies = [tally(rows, scope.implied) for rows, scope in zip(groups, scopes, strict=True)]
    cards = []
    for question, scope, tallied in zip(QUESTIONS, scopes, tallies, strict=True):
        cards.append(_card(question, scope, tallied))
    all_issues = tallies[0].all_issues
    return Overview(tuple(cards), all_issues, holders_of(evidence, all_issues))


def _card(question: Question, scope: Scope, tallied: Tally) -> Card:
    shares = ranked(scope, tallied, query_of=scope.narrowed, in_order=question.in_order)
    shown = shares[-SHOWN_COLUMNS:] if question.in_order else shares[:SHOWN_BARS]
    return Card(
        question=question,
        counted=Counted(tallied.answered, tallied.all_issues, scope.condition()),
        finding=finding(question.dimension, shares),
        marks=_marks(scope.evidence, question, shown),
        more=len(shares) - len(shown),
    )


def _marks(evidence: Evidence, question: Question, shown: Sequence[CategoryShare]) -> tuple[Mark, ...]:
    key = question.dimension.key
    wanted = evidence.asked.wanted(key)
    scale = 100 / max((category.share.interval.high for category in shown), default=1)
    paths = _upright if question.in_order else _level
    marks = []
    for category in shown:
        code, share, query = category.heading.code, category.share, category.query
        is_chosen = code in wanted
        if is_chosen:
            query = evidence.asked.without_value(key, code).urlencode(safe="/,")
        low, middle, high = (round(part * scale) for part in (share.interval.low, share.value, share.interval.high))
        marks.append(
            Mark(
                code=code,
                name=category.heading.name,
                query=query,
                is_chosen=is_chosen,
                issues=f"{share.issues:,}",
                share=share.percent,
                says=share.sentence,
                **paths(low, middle, high),
            )
        )
    return tuple(marks)


def _level(low: int, middle: int, high: int) -> dict[str, str]:
    return {"bar": f"M0 0h{middle}v10H0z", "interval": f"M{low} 4.5h{high - low}v1H{low}z"}


def _upright(low: int, middle: int, high: int) -> dict[str, str]:
    return {"bar": f"M0 100v-{middle}h10V100z", "interval": f"M4.5 {100 - high}h1v{high - low}h-1z"}
