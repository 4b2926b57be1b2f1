"""Issues over time by issue type: stacked bars for years or quarters."""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from kb.charts.bars import Bar, Series, bars
from kb.charts.chart import Cell, Choice, Counted, Drawn, Heading, Option, Record, Row, Table
from kb.charts.counting import Crossed, combinations, cross
from kb.charts.dimensions import TYPE, Categories, Queries, categories
from kb.charts.evidence import Evidence
from kb.charts.figures import issues_text
from kb.charts.periods import Period, period_of, without_gaps
from kb.charts.samples import is_drawn
from kb.charts.shares import Share

# By period and type.
Cells = dict[tuple[str, str], Cell]

STEP = Option("step", "Step", (Choice("year", "Years"), Choice("quarter", "Quarters")))


@dataclass(frozen=True)
class OverTime:
    """How many issues of each type were opened when."""

    slug: str = "issues-over-time"
    title: str = "Issues over time"
    lead: str = "How many issues of which type were opened when?"
    method: str = (
        "Each issue counts once in the period in which it was opened (UTC), for each issue type it has. Periods "
        "without an issue are shown empty. Numbers follow what was labelled, which is not all that was reported: a "
        "tall bar may mean a period that was read more thoroughly. Shares are of the period's issues, with Wilson's "
        "interval at 95 %."
    )
    options: tuple[Option, ...] = (STEP,)

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
        """Count the evidence and draw."""
        step = chosen["step"]
        types = categories(evidence, (TYPE,))["type"]
        counted = _by_period(evidence, step)
        crossed = cross(counted, _codes, types.implied)
        days = [period.first for period, held, _ in counted if period and types.implied(held)]
        periods = tuple(without_gaps(days, step))
        shown = tuple(
            replace(each, issues=crossed.columns[each.code]) for each in types.headings if crossed.columns[each.code]
        )
        places = [Heading(period.code, period.code, crossed.rows[period.code]) for period in periods]
        cells = _cells(evidence, types, crossed, periods)
        rows = []
        for place in places:
            rows.append(Row(place, tuple(cells.get((place.code, kind.code), Cell(None, "0")) for kind in shown)))
        undated = sum(issues for period, held, issues in counted if period is None and types.implied(held))
        notes = []
        if undated:
            notes.append(f"Not shown, because the day of opening is not known: {issues_text(undated)}.")
        sentence = ""
        if places:
            most = max(places, key=lambda place: place.issues or 0)
            sentence = f"Most were opened in {most.name}: {most.issues} of {crossed.answered} issues."
        return Drawn(
            counted=Counted(crossed.answered, crossed.all_issues, "whose issue type and day of opening are both known"),
            figure=bars(places, [_series(kind, places, cells) for kind in shown], upright=True)
            if is_drawn(crossed.answered)
            else {},
            table=Table(step.capitalize(), shown, tuple(rows), is_grid=True),
            records=_records(places, shown, cells),
            notes=tuple(notes),
            sentence=sentence,
        )


def _by_period(evidence: Evidence, step: str) -> list[tuple[Period | None, str, int]]:
    """Period (None without a date), types as the facts hold them, and the number of issues."""
    rows = []
    for opened, types, issues in combinations(evidence, (step, "type")):
        period = None
        if opened:
            # A year is a number in the statement's answer, a quarter its first day.
            day = dt.date(opened, 1, 1) if isinstance(opened, int) else opened
            period = period_of(day, step)
        rows.append((period, types, issues))
    return rows


def _codes(period: Period | None) -> Collection[str]:
    return (period.code,) if period else ()


def _cells(evidence: Evidence, types: Categories, crossed: Crossed, periods: Sequence[Period]) -> Cells:
    cells = {}
    for period in periods:
        queries = Queries(evidence.opened(period.first, period.last), types)
        for kind in types.headings:
            share = Share(crossed.pairs[period.code, kind.code], crossed.rows[period.code])
            if share.issues:
                details = (f"{share.percent} of {share.of}", share.range)
                cell = Cell(share.issues, str(share.issues), details, query=queries.at(kind.code))
                cells[period.code, kind.code] = cell
    return cells


def _series(kind: Heading, places: Sequence[Heading], cells: Cells) -> Series:
    kind_bars = {}
    for place in places:
        cell = cells.get((place.code, kind.code))
        if cell:
            share, interval = cell.details
            text = f"{cell.text} issues of the type {kind.name}: {share} (95 % interval {interval})"
            kind_bars[place.code] = Bar(cell.value or 0, hover=(text, "Click to see them"), query=cell.query)
    return Series(kind.name, kind_bars)


def _records(places: Sequence[Heading], types: Sequence[Heading], cells: Cells) -> list[Record]:
    records: list[Record] = []
    for place in places:
        for kind in types:
            cell = cells.get((place.code, kind.code))
            if cell is None:
                continue
            share = Share(int(cell.value or 0), place.issues or 0)
            records.append(
                {
                    "period": place.code,
                    "type": kind.code,
                    "type_name": kind.name,
                    "issues": share.issues,
                    "period_issues": share.of,
                    **share.record(),
                    "query": cell.query,
                }
            )
    return records
