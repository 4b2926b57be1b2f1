"""The distribution of one measure of effort: a histogram on a logarithmic axis with median and small fixes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kb.charts.chart import Cell, Counted, Drawn, Heading, Option, Record, Row, Table, named
from kb.charts.effort import STILL_OPEN, WHAT, summary
from kb.charts.effort_counting import Spread, binned, labelled_note, population
from kb.charts.evidence import Evidence
from kb.charts.histogram import Bar, MedianMark, histogram
from kb.charts.log_axis import log_axis, place
from kb.charts.plotly import PlotlyJson
from kb.charts.quantities import QUANTITIES, SMALL, Quantity
from kb.charts.samples import is_drawn
from kb.charts.scope import Scope, every_issue
from kb.charts.shares import Share
from kb.charts.spread import Bin, bins
from kb.core.intervals import Interval
from kb.models.fixes import SMALL_FIX_LINES

COLUMNS = named("Issues", "Share", "95 % interval")
UNITS = {"hours": "day", "lines": "line", "files": "file", "comments": "comment"}


@dataclass(frozen=True)
class Slice:
    """A bin with the share of issues in it and their query."""

    bin: Bin
    share: Share
    query: str


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
        """Count the evidence and draw."""
        quantity = QUANTITIES[chosen["what"]]
        basis = every_issue(evidence) if quantity.is_of_host else evidence
        scope = Scope(basis)
        spread, in_bins, all_issues = binned(scope, quantity)
        slices = _slices(scope, quantity, in_bins)
        known = f"{quantity.column} IS NOT NULL"
        notes = [summary(spread, quantity), *labelled_note(evidence, basis, known, spread.sample.n)]
        if quantity.name == "lines" and spread.sample.n:
            small = Share(spread.sample.within(0, SMALL_FIX_LINES), spread.sample.n)
            notes.append(f"Small fixes ({SMALL}): {small.issues:,} of {small.of:,}, {small.text}.")
        if quantity.name == "hours":
            notes.append(STILL_OPEN)
        return Drawn(
            counted=Counted(spread.sample.n, all_issues, scope.condition(quantity.known), population(basis)),
            figure=_figure(slices, spread, quantity) if is_drawn(spread.sample.n) else {},
            table=Table(quantity.title, COLUMNS, tuple(_row(each, quantity) for each in slices)),
            records=[_record(each, quantity) for each in slices if each.share.issues],
            notes=tuple(notes),
            sentence=notes[0] if spread.sample.n else "",
        )


def _slices(scope: Scope, quantity: Quantity, in_bins: Counter[int]) -> list[Slice]:
    """The bins from the first to the last that has issues."""
    if not in_bins:
        return []
    slices = []
    for each in bins(max(in_bins), ends_round=quantity.ends_round):
        if each.high >= min(in_bins):
            issues = sum(in_bins[number] for number in in_bins if each.low <= number <= each.high)
            query = scope.query(**{quantity.key: each.asked})
            slices.append(Slice(each, Share(issues, in_bins.total()), query))
    return slices


def _figure(slices: Sequence[Slice], spread: Spread, quantity: Quantity) -> PlotlyJson:
    drawn = []
    for each in slices:
        share = each.share
        ends = Interval(place(each.bin.low * quantity.each), place((each.bin.high + 1) * quantity.each))
        text = f"{share.issues:,} of {share.of:,} issues: {share.text}"
        query = each.query if share.issues else ""
        is_small = quantity.name == "lines" and each.bin.high <= SMALL_FIX_LINES
        drawn.append(Bar(_name(each.bin, quantity), ends, share.issues, (text,), query, is_small))
    interval = spread.sample.median_interval
    if interval:
        interval = Interval(place(interval.low), place(interval.high))
    median = MedianMark(place(spread.sample.median), interval, summary(spread, quantity))
    axis = log_axis(quantity.title, quantity.ticks, (slices[-1].bin.high + 1) * quantity.each)
    return histogram(drawn, median, axis)


def _name(each: Bin, quantity: Quantity) -> str:
    if quantity.name == "hours" and each.high == 0:
        return "less than a day"
    unit = UNITS[quantity.name]
    return f"{each.text} {unit}" if each.high == 1 else f"{each.text} {unit}s"


def _row(each: Slice, quantity: Quantity) -> Row:
    share = each.share
    cells = (
        Cell(share.issues, f"{share.issues:,} of {share.of:,}", query=each.query if share.issues else ""),
        Cell(share.value, share.percent),
        Cell(None, share.range, details=share.small_details),
    )
    return Row(Heading(each.bin.asked, _name(each.bin, quantity)), cells)


def _record(each: Slice, quantity: Quantity) -> Record:
    return {
        "unit": quantity.key,
        "low": each.bin.low,
        "high": each.bin.high,
        "issues": each.share.issues,
        "all_issues": each.share.of,
        **each.share.record(),
        "query": each.query,
    }
