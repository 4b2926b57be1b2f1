"""The shares of small fixes and of hard issues, by category."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kb.charts.chart import Cell, Counted, Drawn, Heading, Option, Record, Row, Table, named
from kb.charts.crossed import LEVELS
from kb.charts.dimensions import CAUSE, COMPONENT, FIX, FRAMEWORK, SYMPTOM, Dimension
from kb.charts.dots import Dot, dots, share_axis
from kb.charts.effort import DIMENSIONS, by
from kb.charts.effort_counting import labelled_note, population, shares
from kb.charts.evidence import Evidence
from kb.charts.quantities import SMALL
from kb.charts.samples import in_order, left_out
from kb.charts.scope import Scope, every_issue
from kb.charts.shares import Share
from kb.models.issues import HARD_COMMENTS, HARD_OPEN_DAYS

INTERVALS = "Intervals are Wilson's at 95 %."
NAMED = 3


@dataclass(frozen=True)
class Line:
    """A category with its share of cases, the share of all cases that are in it, and the query of the cases."""

    heading: Heading
    share: Share
    of_cases: Share
    query: str


@dataclass(frozen=True)
class SharesChart:
    """The share of cases by category.

    `known` and `case` are conditions on facts `f`; `asked` is the filter that asks for a case; `needs` names what must
    be known, `cases` is the plural of a case. `ways`: the rows are ways to do it, so the commonest are named;
    `is_of_host`: the host states it of every issue, labelled or not.
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
    is_of_host: bool = False

    @property
    def options(self) -> tuple[Option, ...]:
        """By what, and how fine."""
        return by(*self.dimensions), LEVELS

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
        """Count the evidence and draw."""
        dimension = DIMENSIONS[chosen["by"]]
        basis = every_issue(evidence, dimension) if self.is_of_host else evidence
        scope = Scope(basis, dimension, int(chosen["level"]))
        counted = shares(scope, self.known, self.case)
        lines = []
        for heading in scope.headings:
            share = counted.by_code.get(heading.code)
            if share:
                query = scope.query(heading.code, **{self.asked: "true"})
                lines.append(Line(heading, share, Share(share.issues, counted.together.issues), query))
        lines.sort(key=lambda line: (-line.share.value, -line.share.of, line.heading.name.casefold()))
        shown = in_order(lines, lambda line: line.share.of)
        columns = named(self.cases.capitalize(), "Share", "95 % interval", f"Of all {self.cases}")
        return Drawn(
            counted=Counted(counted.together.of, counted.all_issues, scope.condition(*self.needs), population(basis)),
            figure=dots([self._dot(line) for line in shown], share_axis(f"Share of {self.cases}")),
            table=Table(dimension.one.capitalize(), columns, tuple(_row(line) for line in shown)),
            records=[_record(line, dimension) for line in lines],
            notes=(
                *self._summary(lines, counted.together),
                *labelled_note(evidence, basis, self.known, counted.together.of),
                *left_out([(line.heading.name, line.share.of) for line in lines]),
                *self.caveats,
            ),
            sentence=self._sentence(counted.together),
        )

    def _dot(self, line: Line) -> Dot:
        share = line.share
        text = f"{share.issues:,} of {share.of:,} are {self.cases}: {share.text}"
        return Dot(
            line.heading.code,
            line.heading.name,
            share.value,
            share.interval,
            None,
            (text, *share.small_details),
            line.query if share.issues else "",
            share.of,
        )

    def _sentence(self, together: Share) -> str:
        if not together.of:
            return ""
        return (
            f"All together, each issue once: {together.issues:,} of {together.of:,} are {self.cases}, {together.text}."
        )

    def _summary(self, lines: Sequence[Line], together: Share) -> list[str]:
        if not together.of:
            return [f"Enough is known of no issue here to call it one of the {self.cases} or not."]
        notes = [self._sentence(together)]
        with_cases = [line for line in lines if line.share.issues]
        if self.ways and with_cases:
            with_cases.sort(key=lambda line: -line.share.issues)
            names = [
                f"{line.heading.name} ({line.share.issues:,} of {together.issues:,})" for line in with_cases[:NAMED]
            ]
            notes.append(f"What most {self.cases} do: {'; '.join(names)}. An issue can be in several of these.")
        return notes


def _row(line: Line) -> Row:
    share = line.share
    cells = (
        Cell(share.issues, f"{share.issues:,} of {share.of:,}", query=line.query if share.issues else ""),
        Cell(share.value, share.percent, details=share.small_details),
        Cell(None, share.range),
        Cell(None, line.of_cases.percent if line.of_cases.of else "–"),
    )
    return Row(line.heading, cells, is_weak=share.is_small)


def _record(line: Line, dimension: Dimension) -> Record:
    return {
        dimension.key: line.heading.code,
        f"{dimension.key}_name": line.heading.name,
        "issues": line.share.issues,
        "known": line.share.of,
        **line.share.record(),
        "of_all": line.of_cases.value if line.of_cases.of else None,
        "query": line.query,
    }


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
    is_of_host=True,
)
