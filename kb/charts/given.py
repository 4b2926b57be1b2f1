"""What is known once a symptom is given: its causes, and of each cause its fixes, stages, times and best examples.

`kb.charts.cards` reads the issues.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import NamedTuple

from kb.charts.chart import Heading
from kb.charts.counting import Tally
from kb.charts.lift import Lift, lift
from kb.charts.median import Median, median
from kb.charts.shares import CategoryShare, Share

EXAMPLES = 3
SHOWN_FIXES, SHOWN_STAGES = 5, 3


class Report(NamedTuple):
    """An issue with the symptom, and the categories that it belongs to.

    `hours` from opening to closing and `is_small` of its fix are None where not known. `rank` orders examples: the
    lowest is shown first.
    """

    issue_id: int
    causes: Collection[str]
    fixes: Collection[str]
    stages: Collection[str]
    hours: int | None
    is_small: bool | None
    rank: tuple[int, ...]


@dataclass(frozen=True)
class Cause:
    """A cause of the symptom, and what is known of the issues that have both.

    `fixes` and `stages` are shares of those whose fix pattern or stage is known; `hours` are of those that are closed
    and whose dates are known; `small` of those whose fix's size is known; `examples` are ids of issues. There is no
    `lift` where the base does not hold all of these issues: of words that find very many, charts count the newest.
    """

    heading: Heading
    share: Share
    lift: Lift | None
    base: Share
    query: str
    fixes: tuple[CategoryShare, ...]
    stages: tuple[CategoryShare, ...]
    hours: Median | None
    small: Share | None
    examples: tuple[int, ...]


# Headings by code, in the codebook's order.
Headings = Mapping[str, Heading]


class KnownHeadings(NamedTuple):
    """The headings of what is counted."""

    causes: Headings
    fixes: Headings
    stages: Headings


@dataclass
class Accumulator:
    """Counts of the issues with one cause."""

    issues: int = 0
    fixes: Counter[str] = field(default_factory=Counter)
    with_fix: int = 0
    stages: Counter[str] = field(default_factory=Counter)
    with_stage: int = 0
    hours: list[int] = field(default_factory=list)
    small: int = 0
    sized: int = 0
    ranked: list[tuple[tuple[int, ...], int]] = field(default_factory=list)

    def add(self, report: Report) -> None:
        """Count an issue once in each of its categories."""
        self.issues += 1
        # Of very few at a time, this takes half as long as `Counter.update`.
        for fix in report.fixes:
            self.fixes[fix] += 1
        for stage in report.stages:
            self.stages[stage] += 1
        if report.fixes:
            self.with_fix += 1
        if report.stages:
            self.with_stage += 1
        if report.hours is not None:
            self.hours.append(report.hours)
        if report.is_small is not None:
            self.sized += 1
            self.small += report.is_small
        self.ranked.append((report.rank, report.issue_id))


def causes(reports: Iterable[Report], base: Tally, headings: KnownHeadings) -> tuple[tuple[Cause, ...], int]:
    """The causes of these issues, the likeliest first, and how many issues have a known one.

    `base` counts causes over all issues, with the symptom or without. The order of the headings settles equal shares.
    """
    by_cause: dict[str, Accumulator] = defaultdict(Accumulator)
    known = 0
    for report in reports:
        if report.causes:
            known += 1
        for cause in report.causes:
            by_cause[cause].add(report)
    places = {code: place for place, code in enumerate(headings.causes)}
    ordered = sorted(by_cause, key=lambda code: (-by_cause[code].issues, places[code]))
    return tuple(_cause(headings, code, by_cause[code], known, base) for code in ordered), known


def _cause(headings: KnownHeadings, code: str, counted: Accumulator, known: int, base: Tally) -> Cause:
    anywhere = Share(base.counts[code], base.answered)
    others = anywhere.issues - counted.issues
    cause_lift = None
    if others >= 0 and known + others <= anywhere.of:
        cause_lift = lift(both=counted.issues, one=known, other=anywhere.issues, of=anywhere.of)
    return Cause(
        heading=headings.causes[code],
        share=Share(counted.issues, known),
        lift=cause_lift,
        base=anywhere,
        query="",
        fixes=largest(headings.fixes, counted.fixes, counted.with_fix, SHOWN_FIXES),
        stages=largest(headings.stages, counted.stages, counted.with_stage, SHOWN_STAGES),
        hours=median(counted.hours),
        small=Share(counted.small, counted.sized) if counted.sized else None,
        examples=tuple(pk for _, pk in nsmallest(EXAMPLES, counted.ranked)),
    )


def largest(headings: Headings, counts: Mapping[str, int], of: int, most: int) -> tuple[CategoryShare, ...]:
    """The most frequent categories with their shares; the order of the headings settles equal ones."""
    places = {code: place for place, code in enumerate(headings)}
    ordered = sorted(counts, key=lambda code: (-counts[code], places[code]))
    return tuple(CategoryShare(headings[code], Share(counts[code], of)) for code in ordered[:most])
