"""Which categories have small fixes, and which have hard issues: shares with intervals, by category."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kb.charts.chart import Cell, Counted, Drawn, Heading, Option, Row, Table
from kb.charts.crossed import LEVELS
from kb.charts.dimensions import CAUSE, COMPONENT, FIX, FRAMEWORK, SYMPTOM, Dimension
from kb.charts.dots import Dot, dots, share_axis
from kb.charts.effort import DIMENSIONS, by
from kb.charts.effort_counting import Share, Shares, shares
from kb.charts.evidence import Evidence
from kb.charts.figures import few_note, is_few, percent, percent_range
from kb.charts.intervals import Interval
from kb.charts.quantities import SMALL
from kb.charts.scope import Scope
from kb.models.issues import HARD_COMMENTS, HARD_OPEN_DAYS

INTERVALS = "Intervals are Wilson's at 95 %."
NAMED = 3


@dataclass(frozen=True)
class Line:
    """A category with its share, and of all cases the share that is in it; the query finds the cases."""

    heading: Heading
    share: Share
    of_cases: Share
    query: str


@dataclass(frozen=True)
class SharesChart:
    """The share of cases by category.

    `known` and `case` are conditions on facts `f`; `asked` is the filter that asks for a case; `needs` says what must
    be known, `cases` what a case is called. `ways`: the rows are ways to do it, so the commonest are named.
    """

    slug: str
    title: str
    lead: str
    method: str
    dimensions: tuple[Dimension, ...]
    known: str
    case: str
    asked: str
    needs: tuple[str, ...]
    cases: str
    caveats: tuple[str, ...] = ()
    ways: bool = False

    @property
    def options(self) -> tuple[Option, ...]:
        """By what, and how fine."""
        return by(*self.dimensions), LEVELS

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
        """Count and draw."""
        dimension = DIMENSIONS[chosen["by"]]
        scope = Scope(evidence, dimension, int(chosen["level"]))
        found = shares(scope, self.known, self.case)
        lines = self._lines(scope, found)
        return Drawn(
            counted=Counted(found.together.known, found.all_issues, scope.condition(*self.needs)),
            figure=dots([self._dot(line) for line in lines], share_axis(f"Share of {self.cases}")),
            table=self._table(lines, dimension),
            records=[self._record(line, dimension) for line in lines],
            notes=(*self._told(lines, found.together), *self.caveats),
        )

    def _lines(self, scope: Scope, found: Shares) -> list[Line]:
        """The largest share first."""
        lines = [
            Line(
                heading,
                share,
                Share(share.cases, found.together.cases),
                scope.query(heading.code, **{self.asked: "true"}),
            )
            for heading in scope.headings
            if (share := found.by_code.get(heading.code))
        ]
        return sorted(lines, key=lambda line: (-line.share.value, -line.share.known, line.heading.name.casefold()))

    def _dot(self, line: Line) -> Dot:
        share = line.share
        few = few_note(share.known)
        return Dot(
            line.heading.code,
            line.heading.name,
            share.value,
            Interval(share.interval.low, share.interval.high),
            None,
            (
                f"{share.cases:,} of {share.known:,} are {self.cases}: {percent(share.value)} "
                f"(95 % interval {percent_range(share.interval)})",
                *((few,) if few else ()),
            ),
            line.query if share.cases else "",
        )

    def _table(self, lines: Sequence[Line], dimension: Dimension) -> Table:
        names = (self.cases.capitalize(), "Share", "95 % interval", f"Of all {self.cases}")
        rows = (Row(line.heading, _cells(line), is_weak=is_few(line.share.known)) for line in lines)
        return Table(dimension.one.capitalize(), tuple(Heading(name, name) for name in names), tuple(rows))

    def _record(self, line: Line, dimension: Dimension) -> dict[str, Any]:
        interval = line.share.interval
        return {
            dimension.key: line.heading.code,
            f"{dimension.key}_name": line.heading.name,
            "issues": line.share.cases,
            "known": line.share.known,
            "share": line.share.value,
            "share_low": interval.low,
            "share_high": interval.high,
            "of_all": line.of_cases.value if line.of_cases.known else None,
            "query": line.query,
        }

    def _told(self, lines: Sequence[Line], together: Share) -> list[str]:
        if not together.known:
            return [f"Enough is known of no issue here to call it one of the {self.cases} or not."]
        told = [
            f"All together, each issue once: {together.cases:,} of {together.known:,} are {self.cases}, "
            f"{percent(together.value)} (95 % interval {percent_range(together.interval)})."
        ]
        most = sorted((line for line in lines if line.share.cases), key=lambda line: -line.share.cases)[:NAMED]
        if self.ways and most:
            named = (f"{line.heading.name} ({line.share.cases:,} of {together.cases:,})" for line in most)
            told.append(f"What most {self.cases} do: {'; '.join(named)}. An issue can be in several of these.")
        return told


def _cells(line: Line) -> tuple[Cell, ...]:
    share, few = line.share, few_note(line.share.known)
    return (
        Cell(share.cases, f"{share.cases:,} of {share.known:,}", query=line.query if share.cases else ""),
        Cell(share.value, percent(share.value), details=(few,) if few else ()),
        Cell(None, percent_range(share.interval)),
        Cell(None, percent(line.of_cases.value) if line.of_cases.known else "–"),
    )


SMALL_FIXES = SharesChart(
    slug="small-fixes",
    title="Small fixes",
    lead="What can be fixed with ten lines or fewer, and how?",
    method=(
        f"A fix is small with {SMALL}, as in study P1; an issue's smallest known fix counts. The share is of the "
        f"issues of which a fix's size is known. {INTERVALS} “Of all small fixes” tells how many of them have the "
        "category: an issue can have several, so these do not add up to 100 %."
    ),
    dimensions=(FIX, CAUSE, SYMPTOM, COMPONENT, FRAMEWORK),
    known="f.small_fix IS NOT NULL",
    case="f.small_fix",
    asked="small_fix",
    needs=("size of a fix",),
    cases="small fixes",
    caveats=("A fix whose size is known was found and linked; those that were not may be of another size.",),
    ways=True,
)
HARD = SharesChart(
    slug="hard",
    title="Hard issues",
    lead="What stays open for long and is much talked about?",
    method=(
        f"Hard is an issue that was open for more than {HARD_OPEN_DAYS} days with at least {HARD_COMMENTS} comments, "
        "as in study P1. Only issues of which the days of opening and closing and the number of comments are known are "
        f"counted. {INTERVALS}"
    ),
    dimensions=(SYMPTOM, CAUSE, COMPONENT, FRAMEWORK),
    known="f.hours_open IS NOT NULL AND f.comments IS NOT NULL",
    case="f.hard",
    asked="hard",
    needs=("time open", "number of comments"),
    cases="hard issues",
    caveats=("Issues that are still open are left out: how long they will stay so is not known.",),
)
