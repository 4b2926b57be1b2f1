"""Issues over time by issue type: stacked bars for years or quarters."""

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kb.charts.bars import Bar, Series, bars
from kb.charts.chart import Cell, Choice, Counted, Drawn, Heading, Option, Row, Table
from kb.charts.counting import Crossed, combinations, cross
from kb.charts.dimensions import TYPE, Categories, Queries, categories
from kb.charts.evidence import Evidence
from kb.charts.figures import percent, percent_range
from kb.charts.intervals import wilson
from kb.charts.periods import Period, period_of, without_gaps

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
        """Count and draw."""
        step = chosen["step"]
        types = categories(evidence, (TYPE,))["type"]
        counted = [(_first(day, step), held, n) for day, held, n in _read(evidence, step)]
        crossed = cross(counted, _code(step), types.implied)
        periods = tuple(without_gaps([day for day, held, _ in counted if day and types.implied(held)], step))
        shown = tuple(
            replace(one, issues=crossed.columns[one.code]) for one in types.headings if crossed.columns[one.code]
        )
        places = {one.code: Heading(one.code, one.code, crossed.rows[one.code]) for one in periods}
        cells = _cells(evidence, types, crossed, periods)
        undated = sum(n for day, held, n in counted if day is None and types.implied(held))
        series = [
            Series(
                one.name, {p.code: _bar(one, cells[p.code, one.code]) for p in periods if (p.code, one.code) in cells}
            )
            for one in shown
        ]
        rows = [
            Row(place, tuple(cells.get((code, t.code), Cell(None, "0")) for t in shown))
            for code, place in places.items()
        ]
        return Drawn(
            counted=Counted(crossed.answered, crossed.all_issues, "whose issue type and day of opening are both known"),
            figure=bars(tuple(places.values()), series, upright=True),
            table=Table(step.capitalize(), shown, tuple(rows), is_grid=True),
            records=[
                _record(places[period], t, cells[period, t.code])
                for period in places
                for t in shown
                if (period, t.code) in cells
            ],
            notes=_notes(undated),
            sentence=_sentence(list(places.values()), crossed.answered),
        )


def _read(evidence: Evidence, step: str) -> list[tuple[dt.date | int | None, str, int]]:
    return [(day, held, n) for day, held, n in combinations(evidence, (step, "type"))]


def _first(day: dt.date | int | None, step: str) -> dt.date | None:
    """Any day of the period, as the statement told it: a year is a number there."""
    return dt.date(day, 1, 1) if isinstance(day, int) else period_of(day, step).first if day else None


def _code(step: str) -> Any:
    def implied(day: dt.date | None) -> Collection[str]:
        return (period_of(day, step).code,) if day else ()

    return implied


def _cells(
    evidence: Evidence, types: Categories, crossed: Crossed, periods: tuple[Period, ...]
) -> dict[tuple[str, str], Cell]:
    found = {}
    for period in periods:
        queries = Queries(evidence.opened(period.first, period.last), types)
        of = crossed.rows[period.code]
        for kind in types.headings:
            if n := crossed.pairs[period.code, kind.code]:
                details = (f"{percent(n / of)} of {of}", percent_range(wilson(n, of)))
                found[period.code, kind.code] = Cell(n, str(n), details, query=queries.at(kind.code))
    return found


def _bar(kind: Heading, cell: Cell) -> Bar:
    share, interval = cell.details
    hover = (f"{cell.text} issues of the type {kind.name}: {share} (95 % interval {interval})", "Click to see them")
    return Bar(cell.value or 0, hover=hover, query=cell.query)


def _record(period: Heading, kind: Heading, cell: Cell) -> dict[str, Any]:
    issues, of = int(cell.value or 0), period.issues or 0
    interval = wilson(issues, of)
    return {
        "period": period.code,
        "type": kind.code,
        "type_name": kind.name,
        "issues": issues,
        "period_issues": of,
        "share": issues / of,
        "share_low": interval.low,
        "share_high": interval.high,
        "query": cell.query,
    }


def _notes(undated: int) -> tuple[str, ...]:
    if not undated:
        return ()
    return (f"Not shown, because the day of opening is not known: {undated} issue{'' if undated == 1 else 's'}.",)


def _sentence(periods: list[Heading], n: int) -> str:
    if not periods:
        return ""
    most = max(periods, key=lambda one: one.issues or 0)
    return f"Most were opened in {most.name}: {most.issues} of {n} issues."
