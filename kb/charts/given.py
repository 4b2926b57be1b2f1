"""What is known once a symptom is given: its causes, and of each cause its fixes, stages, times and best examples.

Pure: issues and their categories in, plain values out. Where they come from is `kb.charts.cards`.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import NamedTuple

from kb.charts.chart import Heading
from kb.charts.counting import Tally
from kb.charts.figures import few_note, is_few, percent, percent_range
from kb.charts.intervals import Interval, wilson
from kb.charts.lift import Lift, lift
from kb.charts.median import Median, median

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
class Share:
    """A part of issues, with Wilson's interval at 95 %."""

    issues: int
    of: int

    @property
    def value(self) -> float:
        """From 0 to 1."""
        return self.issues / self.of

    @property
    def interval(self) -> Interval:
        """Between which shares the true one plausibly lies."""
        return wilson(self.issues, self.of)

    @property
    def percent(self) -> str:
        """As people read it."""
        return percent(self.value)

    @property
    def range(self) -> str:
        """The interval as people read it."""
        return percent_range(self.interval)

    @property
    def is_few(self) -> bool:
        """Does it rest on few issues?"""
        return is_few(self.of)

    @property
    def few(self) -> str:
        """The same in words; nothing where there are enough."""
        return few_note(self.of)


@dataclass(frozen=True)
class Likely:
    """A category with its share, and the query of its issues."""

    heading: Heading
    share: Share
    query: str = ""


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
    fixes: tuple[Likely, ...]
    stages: tuple[Likely, ...]
    hours: Median | None
    small: Share | None
    examples: tuple[int, ...]


@dataclass
class Gathered:
    """What the issues with one cause have, while they are counted."""

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
        self.with_fix += bool(report.fixes)
        for stage in report.stages:
            self.stages[stage] += 1
        self.with_stage += bool(report.stages)
        if report.hours is not None:
            self.hours.append(report.hours)
        if report.is_small is not None:
            self.sized += 1
            self.small += report.is_small
        self.ranked.append((report.rank, report.issue_id))


def gathered(reports: Iterable[Report]) -> tuple[dict[str, Gathered], int]:
    """What the issues have, by cause, and how many of them have any."""
    by_cause: dict[str, Gathered] = defaultdict(Gathered)
    known = 0
    for report in reports:
        known += bool(report.causes)
        for cause in report.causes:
            by_cause[cause].add(report)
    return by_cause, known


def causes(
    reports: Iterable[Report], base: Tally, headings: Mapping[str, Mapping[str, Heading]]
) -> tuple[tuple[Cause, ...], int]:
    """The causes of these issues, the likeliest first, and how many issues have a known one.

    `base` counts causes over all issues, with the symptom or without; `headings`: by key (`cause`, `fix`, `stage`),
    in the codebook's order, which settles equal shares.
    """
    by_cause, known = gathered(reports)
    places = {code: place for place, code in enumerate(headings["cause"])}
    ordered = sorted(by_cause, key=lambda code: (-by_cause[code].issues, places[code]))
    return tuple(_cause(headings, code, by_cause[code], known, base) for code in ordered), known


def _cause(headings: Mapping[str, Mapping[str, Heading]], code: str, found: Gathered, known: int, base: Tally) -> Cause:
    anywhere = Share(base.counts[code], base.answered)
    others = anywhere.issues - found.issues
    holds_all = others >= 0 and known + others <= anywhere.of
    return Cause(
        heading=headings["cause"][code],
        share=Share(found.issues, known),
        lift=lift(both=found.issues, one=known, other=anywhere.issues, of=anywhere.of) if holds_all else None,
        base=anywhere,
        query="",
        fixes=_likely(headings["fix"], found.fixes, found.with_fix, SHOWN_FIXES),
        stages=_likely(headings["stage"], found.stages, found.with_stage, SHOWN_STAGES),
        hours=median(found.hours),
        small=Share(found.small, found.sized) if found.sized else None,
        examples=tuple(pk for _, pk in nsmallest(EXAMPLES, found.ranked)),
    )


def _likely(headings: Mapping[str, Heading], counts: Mapping[str, int], of: int, most: int) -> tuple[Likely, ...]:
    places = {code: place for place, code in enumerate(headings)}
    ordered: Sequence[str] = sorted(counts, key=lambda code: (-counts[code], places[code]))
    return tuple(Likely(headings[code], Share(counts[code], of)) for code in ordered[:most])
