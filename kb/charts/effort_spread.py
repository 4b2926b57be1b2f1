"""How one number of effort is spread over issues: a histogram on a logarithmic axis with median and small fixes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kb.charts.chart import Cell, Counted, Drawn, Heading, Option, Row, Table
from kb.charts.effort import STILL_OPEN, WHAT, summary
from kb.charts.effort_counting import Share, Spread, binned
from kb.charts.evidence import Evidence
from kb.charts.figures import few_note, percent, percent_range
from kb.charts.histogram import Bar, histogram
from kb.charts.intervals import Interval, wilson
from kb.charts.log_axis import place
from kb.charts.quantities import QUANTITIES, SMALL, Quantity
from kb.charts.scope import Scope
from kb.charts.spread import Bin, bins
from kb.models.issues import SMALL_FIX_LINES

COLUMNS = ("Issues", "Share", "95 % interval")


@dataclass(frozen=True)
class Slice:
    """A bin with its issues, of all whose number is known."""

    bin: Bin
    issues: int
    of: int
    query: str

    @property
    def share(self) -> Share:
        """The bin's share of all."""
        return Share(self.issues, self.of)


@dataclass(frozen=True)
class SpreadChart:
    """A histogram of one number."""

    slug: str = "effort-spread"
    title: str = "Spread of effort"
    lead: str = "How long, how much talk, how large: is most of it small, with a few that are very large?"
    method: str = (
        "A bar is a range of numbers, and each range is 2 to 2.5 times as wide as the one before; its height is the "
        "number of issues, not a density. Times are in whole days that have passed, as the filter `days` has them. The "
        "line above is the median with its 95 % interval (order statistics, Conover 1999, section 3.2). Shares have "
        "Wilson's intervals at 95 %. Lines and files are those of an issue's smallest known fix. Striped bars "
        "are small fixes: at most 10 changed lines (study P1)."
    )

    @property
    def options(self) -> tuple[Option, ...]:
        """Which number."""
        return (WHAT,)

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
        """Count and draw."""
        quantity, scope = QUANTITIES[chosen["what"]], Scope(evidence)
        spread, in_bins, all_issues = binned(scope, quantity)
        slices = _slices(scope, quantity, in_bins)
        return Drawn(
            counted=Counted(spread.sample.n, all_issues, scope.condition(quantity.known)),
            figure=_figure(slices, spread, quantity) if slices else {},
            table=_table(slices, quantity),
            records=[_record(one, quantity) for one in slices if one.issues],
            notes=_notes(spread, quantity),
        )


def _slices(scope: Scope, quantity: Quantity, in_bins: Counter[int]) -> list[Slice]:
    """The bins from the first to the last that has issues."""
    if not in_bins:
        return []
    of, least = in_bins.total(), min(in_bins)
    shown = [one for one in bins(max(in_bins), ends_round=quantity.ends_round) if one.high >= least]
    return [
        Slice(
            one,
            sum(issues for number, issues in in_bins.items() if one.low <= number <= one.high),
            of,
            scope.query(**{quantity.key: one.asked}),
        )
        for one in shown
    ]


def _is_small(one: Bin, quantity: Quantity) -> bool:
    return quantity.name == "lines" and one.high <= SMALL_FIX_LINES


def _figure(slices: Sequence[Slice], spread: Spread, quantity: Quantity) -> dict[str, Any]:
    bars = [
        Bar(
            _name(one.bin, quantity),
            Interval(place(one.bin.low * quantity.each), place((one.bin.high + 1) * quantity.each)),
            one.issues,
            (
                f"{one.issues:,} of {one.of:,} issues: {percent(one.share.value)} "
                f"(95 % interval {percent_range(one.share.interval)})",
            ),
            one.query if one.issues else "",
            _is_small(one.bin, quantity),
        )
        for one in slices
    ]
    interval = spread.sample.median_interval
    return histogram(
        bars,
        place(spread.sample.median),
        Interval(place(interval.low), place(interval.high)) if interval else None,
        summary(spread, quantity),
        quantity.title,
        quantity.ticks,
        (slices[-1].bin.high + 1) * quantity.each,
    )


def _name(one: Bin, quantity: Quantity) -> str:
    unit = {"hours": "day", "lines": "line", "files": "file", "comments": "comment"}[quantity.name]
    if quantity.name == "hours" and one.high == 0:
        return "less than a day"
    return f"{one.text} {unit}{'' if one.high == 1 else 's'}"


def _table(slices: Sequence[Slice], quantity: Quantity) -> Table:
    rows = (Row(Heading(one.bin.asked, _name(one.bin, quantity)), _cells(one)) for one in slices)
    return Table(quantity.title, tuple(Heading(name, name) for name in COLUMNS), tuple(rows))


def _cells(one: Slice) -> tuple[Cell, ...]:
    few = few_note(one.of)
    return (
        Cell(one.issues, f"{one.issues:,} of {one.of:,}", query=one.query if one.issues else ""),
        Cell(one.share.value, percent(one.share.value)),
        Cell(None, percent_range(one.share.interval), details=(few,) if few else ()),
    )


def _record(one: Slice, quantity: Quantity) -> dict[str, Any]:
    interval = one.share.interval
    return {
        "unit": quantity.key,
        "low": one.bin.low,
        "high": one.bin.high,
        "issues": one.issues,
        "all_issues": one.of,
        "share": one.share.value,
        "share_low": interval.low,
        "share_high": interval.high,
        "query": one.query,
    }


def _notes(spread: Spread, quantity: Quantity) -> tuple[str, ...]:
    notes = [summary(spread, quantity)]
    if quantity.name == "lines" and spread.sample.n:
        small, n = spread.sample.within(0, SMALL_FIX_LINES), spread.sample.n
        notes.append(
            f"Small fixes ({SMALL}): {small:,} of {n:,}, {percent(small / n)} "
            f"(95 % interval {percent_range(wilson(small, n))})."
        )
    return (*notes, STILL_OPEN) if quantity.name == "hours" else tuple(notes)
