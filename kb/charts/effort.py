"""How much effort issues take, by category: how long they were open, how much was said, how much was changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kb.charts.chart import Cell, Choice, Counted, Drawn, Heading, Option, Row, Table
from kb.charts.crossed import LEVELS
from kb.charts.dimensions import CAUSE, COMPONENT, FIX, FRAMEWORK, SYMPTOM, Dimension
from kb.charts.dots import Dot, dots
from kb.charts.effort_counting import Spread, spreads
from kb.charts.evidence import Evidence
from kb.charts.figures import few_note, is_few
from kb.charts.intervals import Interval
from kb.charts.log_axis import log_axis, place
from kb.charts.median import FEWEST_FOR_INTERVAL
from kb.charts.quantities import QUANTITIES, Quantity
from kb.charts.scope import Scope

DIMENSIONS = {one.key: one for one in (CAUSE, FIX, SYMPTOM, COMPONENT, FRAMEWORK)}
WHAT = Option("what", "Show", tuple(Choice(one.name, one.label) for one in QUANTITIES.values()))
NO_INTERVAL = f"no interval: fewer than {FEWEST_FOR_INTERVAL}"
STILL_OPEN = (
    "Issues that are still open have no time yet and are left out, so times are those of issues that got closed."
)
COLUMNS = ("Issues", "Median", "95 % interval", "Middle half")


def by(*dimensions: Dimension) -> Option:
    """The option by which question issues are told apart."""
    return Option("by", "By", tuple(Choice(one.key, one.one.capitalize()) for one in dimensions))


@dataclass(frozen=True)
class Line:
    """A category with its numbers and the query of its issues."""

    heading: Heading
    spread: Spread
    query: str

    @property
    def n(self) -> int:
        """Of so many issues the number is known."""
        return self.spread.sample.n

    @property
    def of(self) -> str:
        """How many that are of how many."""
        return f"{self.n:,} of {self.spread.issues:,}"


@dataclass(frozen=True)
class EffortChart:
    """Medians, intervals and quartiles of one number by category."""

    slug: str = "effort"
    title: str = "Effort by category"
    lead: str = "What takes long, is talked about most, or needs the largest changes?"
    method: str = (
        "A row is a category; an issue counts in each of its categories. The diamond is the median, the line its 95 % "
        "interval, which assumes nothing of the distribution (order statistics, Conover 1999, section 3.2); the "
        "striped bar is the middle half, from quartile to quartile (definition 7 of Hyndman and Fan 1996). The axis is "
        "logarithmic; 0 stands apart at its left. Lines and files are those of an issue's smallest known fix. “12 of "
        "20” means: of 20 issues, the number is known of 12. A row leads to those 12."
    )

    @property
    def options(self) -> tuple[Option, ...]:
        """Which number, by what, and how fine."""
        return WHAT, by(*DIMENSIONS.values()), LEVELS

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
        """Count and draw."""
        quantity, dimension = QUANTITIES[chosen["what"]], DIMENSIONS[chosen["by"]]
        scope = Scope(evidence, dimension, int(chosen["level"]))
        found = spreads(scope, quantity)
        lines = sorted(
            (
                Line(heading, found.by_code[heading.code], scope.query(heading.code, **quantity.any_known))
                for heading in scope.headings
                if heading.code in found.by_code and found.by_code[heading.code].sample.n
            ),
            key=lambda line: (-line.spread.sample.median, line.heading.name.casefold()),
        )
        return Drawn(
            counted=Counted(found.together.sample.n, found.all_issues, scope.condition(quantity.known)),
            figure=dots([_dot(line, quantity) for line in lines], _axis(lines, quantity)),
            table=_table(lines, dimension, quantity),
            records=[_record(line, dimension, quantity) for line in lines],
            notes=_notes(lines, found.together, quantity),
        )


def _dot(line: Line, quantity: Quantity) -> Dot:
    taken = line.spread.sample
    return Dot(
        line.heading.code,
        line.heading.name,
        place(taken.median),
        _places(taken.median_interval),
        _places(taken.quartiles),
        (
            f"{quantity.known} known of {line.of} issues",
            f"median {quantity.written(taken.median)} ({_interval(line.spread, quantity)})",
            f"middle half {quantity.between(taken.quartiles)}",
        ),
        line.query,
    )


def _places(bounds: Interval | None) -> Interval | None:
    return Interval(place(bounds.low), place(bounds.high)) if bounds else None


def _interval(spread: Spread, quantity: Quantity) -> str:
    bounds = spread.sample.median_interval
    return f"95 % interval {quantity.between(bounds)}" if bounds else NO_INTERVAL


def _axis(lines: Sequence[Line], quantity: Quantity) -> dict[str, Any]:
    ends = [bounds.high for line in lines for bounds in _all_bounds(line.spread)]
    return log_axis(quantity.title, quantity.ticks, max(ends, default=1))


def _all_bounds(spread: Spread) -> list[Interval]:
    interval = spread.sample.median_interval
    return [spread.sample.quartiles, *([interval] if interval else [])]


def _table(lines: Sequence[Line], dimension: Dimension, quantity: Quantity) -> Table:
    columns = tuple(Heading(name, name) for name in COLUMNS)
    rows = (Row(line.heading, _cells(line, quantity), is_weak=is_few(line.n)) for line in lines)
    return Table(dimension.one.capitalize(), columns, tuple(rows))


def _cells(line: Line, quantity: Quantity) -> tuple[Cell, ...]:
    taken, few = line.spread.sample, few_note(line.n)
    interval = taken.median_interval
    return (
        Cell(line.n, line.of, query=line.query),
        Cell(taken.median, quantity.written(taken.median), details=(few,) if few else ()),
        Cell(None, quantity.between(interval) if interval else NO_INTERVAL),
        Cell(None, quantity.between(taken.quartiles)),
    )


def _record(line: Line, dimension: Dimension, quantity: Quantity) -> dict[str, Any]:
    """`issues`: as many as the query finds; `unit` is that of the numbers behind it."""
    taken = line.spread.sample
    interval = taken.median_interval
    return {
        dimension.key: line.heading.code,
        f"{dimension.key}_name": line.heading.name,
        "issues": line.n,
        "known": line.n,
        "unknown": line.spread.unknown,
        "unit": quantity.name,
        "median": taken.median,
        "median_low": interval.low if interval else None,
        "median_high": interval.high if interval else None,
        "quartile_low": taken.quartiles.low,
        "quartile_high": taken.quartiles.high,
        "query": line.query,
    }


def _notes(lines: Sequence[Line], together: Spread, quantity: Quantity) -> tuple[str, ...]:
    notes = [summary(together, quantity)]
    if quantity.name == "hours":
        notes.append(STILL_OPEN)
    without = [f"{line.heading.name} (n = {line.n})" for line in lines if line.n < FEWEST_FOR_INTERVAL]
    if without:
        notes.append(
            f"Without an interval, since {FEWEST_FOR_INTERVAL} issues are the fewest that allow one: "
            f"{', '.join(without)}."
        )
    return (*notes, "Categories differ in more than their name: a longer time need not be the category's doing.")


def summary(spread: Spread, quantity: Quantity) -> str:
    """One sentence about all issues together, each once."""
    taken = spread.sample
    if not taken.n:
        return f"The {quantity.known} is not known of any of these {spread.issues:,} issues."
    return (
        f"All together, each issue once: median {quantity.written(taken.median)} ({_interval(spread, quantity)}, "
        f"n = {taken.n:,}){f'; not known of {spread.unknown:,} more' if spread.unknown else ''}."
    )
