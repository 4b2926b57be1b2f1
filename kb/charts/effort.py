"""Effort by category: medians of time open, comments, and sizes of fixes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kb.charts.chart import Cell, Choice, Counted, Drawn, Heading, Option, Record, Row, Table, named
from kb.charts.crossed import LEVELS
from kb.charts.dimensions import CAUSE, COMPONENT, FIX, FRAMEWORK, SYMPTOM, Dimension
from kb.charts.dots import Dot, dots
from kb.charts.effort_counting import Spread, labelled_note, population, spreads
from kb.charts.evidence import Evidence
from kb.charts.log_axis import log_axis, place
from kb.charts.median import FEWEST_FOR_INTERVAL
from kb.charts.quantities import QUANTITIES, Quantity
from kb.charts.samples import in_order, is_small, left_out, small_note
from kb.charts.scope import Scope, every_issue
from kb.core.intervals import Interval, bounds

DIMENSIONS = {dimension.key: dimension for dimension in (CAUSE, FIX, SYMPTOM, COMPONENT, FRAMEWORK)}
WHAT = Option("what", "Show", tuple(Choice(quantity.name, quantity.label) for quantity in QUANTITIES.values()))
NO_INTERVAL = f"no interval: fewer than {FEWEST_FOR_INTERVAL}"
STILL_OPEN = (
    "Issues that are still open have no time yet and are left out, so times are those of issues that got closed."
)
COLUMNS = named("Issues", "Median", "95 % interval", "Middle half")


def by(*dimensions: Dimension) -> Option:
    """The option of the question whose categories are the rows."""
    choices = tuple(Choice(dimension.key, dimension.one.capitalize()) for dimension in dimensions)
    return Option("by", "By", choices)


@dataclass(frozen=True)
class Line:
    """A category with its numbers and the query of its issues."""

    heading: Heading
    spread: Spread
    query: str

    @property
    def n(self) -> int:
        """The number of issues whose number is known."""
        return self.spread.sample.n

    @property
    def of(self) -> str:
        """The same of all issues, as text."""
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
        """Count the evidence and draw."""
        quantity, dimension = QUANTITIES[chosen["what"]], DIMENSIONS[chosen["by"]]
        basis = every_issue(evidence, dimension) if quantity.is_of_host else evidence
        scope = Scope(basis, dimension, int(chosen["level"]))
        counted = spreads(scope, quantity)
        lines = []
        for heading in scope.headings:
            spread = counted.by_code.get(heading.code)
            if spread and spread.sample.n:
                lines.append(Line(heading, spread, scope.query(heading.code, **quantity.any_known)))
        lines.sort(key=lambda line: (-line.spread.sample.median, line.heading.name.casefold()))
        shown = in_order(lines, lambda line: line.n)
        ends = [line.spread.sample.quartiles.high for line in shown]
        ends += [line.spread.sample.median_interval.high for line in shown if line.spread.sample.median_interval]
        n = counted.together.sample.n
        axis = log_axis(quantity.title, quantity.ticks, max(ends, default=1))
        return Drawn(
            counted=Counted(n, counted.all_issues, scope.condition(quantity.known), population(basis)),
            figure=dots([_dot(line, quantity) for line in shown], axis),
            table=Table(dimension.one.capitalize(), COLUMNS, tuple(_row(line, quantity) for line in shown)),
            records=[_record(line, dimension, quantity) for line in lines],
            notes=(
                *labelled_note(evidence, basis, f"{quantity.column} IS NOT NULL", n),
                *_notes(lines, counted.together, quantity),
            ),
            sentence=_sentence(shown, quantity),
        )


def _dot(line: Line, quantity: Quantity) -> Dot:
    sample = line.spread.sample
    interval, quartiles = sample.median_interval, sample.quartiles
    return Dot(
        line.heading.code,
        line.heading.name,
        place(sample.median),
        Interval(place(interval.low), place(interval.high)) if interval else None,
        Interval(place(quartiles.low), place(quartiles.high)),
        (
            f"{quantity.known} known of {line.of} issues",
            f"median {quantity.written(sample.median)} ({_interval(line.spread, quantity)})",
            f"middle half {quantity.between(quartiles)}",
        ),
        line.query,
        line.n,
    )


def _interval(spread: Spread, quantity: Quantity) -> str:
    bounds = spread.sample.median_interval
    return f"95 % interval {quantity.between(bounds)}" if bounds else NO_INTERVAL


def _row(line: Line, quantity: Quantity) -> Row:
    sample = line.spread.sample
    interval = sample.median_interval
    small = small_note(line.n)
    cells = (
        Cell(line.n, line.of, query=line.query),
        Cell(sample.median, quantity.written(sample.median), details=(small,) if small else ()),
        Cell(None, quantity.between(interval) if interval else NO_INTERVAL),
        Cell(None, quantity.between(sample.quartiles)),
    )
    return Row(line.heading, cells, is_weak=is_small(line.n))


def _record(line: Line, dimension: Dimension, quantity: Quantity) -> Record:
    """`issues`: as many as the query finds; `unit` is that of the numbers behind it."""
    sample = line.spread.sample
    low, high = bounds(sample.median_interval)
    return {
        dimension.key: line.heading.code,
        f"{dimension.key}_name": line.heading.name,
        "issues": line.n,
        "known": line.n,
        "unknown": line.spread.unknown,
        "unit": quantity.name,
        "median": sample.median,
        "median_low": low,
        "median_high": high,
        "quartile_low": sample.quartiles.low,
        "quartile_high": sample.quartiles.high,
        "small_sample": is_small(line.n),
        "query": line.query,
    }


def _sentence(shown: Sequence[Line], quantity: Quantity) -> str:
    """The category with the highest median, in words."""
    if not shown:
        return ""
    most = shown[0]
    return (
        f"Highest median: {most.heading.name}, {quantity.written(most.spread.sample.median)} "
        f"({_interval(most.spread, quantity)}, n = {most.n:,})."
    )


def _notes(lines: Sequence[Line], together: Spread, quantity: Quantity) -> tuple[str, ...]:
    notes = [summary(together, quantity)]
    if quantity.name == "hours":
        notes.append(STILL_OPEN)
    notes += left_out([(line.heading.name, line.n) for line in lines])
    return (*notes, "Categories differ in more than their name: a longer time need not be the category's doing.")


def summary(spread: Spread, quantity: Quantity) -> str:
    """One sentence about all issues together, each once."""
    sample = spread.sample
    if not sample.n:
        return f"The {quantity.known} is not known of any of these {spread.issues:,} issues."
    more = f"; not known of {spread.unknown:,} more" if spread.unknown else ""
    return (
        f"All together, each issue once: median {quantity.written(sample.median)} ({_interval(spread, quantity)}, "
        f"n = {sample.n:,}){more}."
    )
