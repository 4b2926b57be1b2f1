"""Shares of issues with Wilson's interval at 95 %, as text, table cells, records and bars."""

from collections.abc import Sequence
from dataclasses import dataclass

from kb.charts.bars import Bar, Series, bars
from kb.charts.chart import Cell, Heading, Record, Row
from kb.charts.figures import issues_text, percent, percent_range
from kb.charts.plotly import CLICK, PlotlyJson
from kb.charts.samples import in_order, is_drawn, is_small, small_note
from kb.core.intervals import Interval, wilson

COLUMNS = (Heading("issues", "Issues"), Heading("share", "Share"), Heading("interval", "95 % interval"))


@dataclass(frozen=True)
class Share:
    """A part of issues: `issues` of `of`. Without any issue there is no value and no interval."""

    issues: int
    of: int

    @property
    def value(self) -> float:
        """From 0 to 1. Raises `ZeroDivisionError` for a part of nothing."""
        return self.issues / self.of

    @property
    def interval(self) -> Interval:
        """Wilson's interval at 95 %. Raises `ValueError` for a part of nothing."""
        return wilson(self.issues, self.of)

    @property
    def percent(self) -> str:
        """The value as text."""
        return percent(self.value)

    @property
    def range(self) -> str:
        """The interval as text."""
        return percent_range(self.interval)

    @property
    def text(self) -> str:
        """The value and its interval as text."""
        return f"{self.percent} (95 % interval {self.range})"

    @property
    def sentence(self) -> str:
        """The counts, the value and its interval as text."""
        return f"{self.issues} of {issues_text(self.of)}, {self.text}"

    @property
    def is_drawn(self) -> bool:
        """Whether its sample is large enough to show the value."""
        return is_drawn(self.of)

    @property
    def is_small(self) -> bool:
        """Whether its sample is small."""
        return is_small(self.of)

    @property
    def small(self) -> str:
        """The words for a small sample; empty for one that is large enough."""
        return small_note(self.of)

    @property
    def small_details(self) -> tuple[str, ...]:
        """The same words as details of a cell."""
        return (self.small,) if self.is_small else ()

    def cells(self, query: str) -> tuple[Cell, Cell, Cell]:
        """The counts, the value and the interval."""
        return (
            Cell(self.issues, f"{self.issues} of {self.of}", query=query),
            Cell(self.value, self.percent),
            Cell(None, self.range, details=self.small_details),
        )

    def record(self, prefix: str = "") -> Record:
        """The value and its interval, for programs."""
        return {
            f"{prefix}share": self.value,
            f"{prefix}share_low": self.interval.low,
            f"{prefix}share_high": self.interval.high,
            f"{prefix}small_sample": self.is_small,
        }


@dataclass(frozen=True)
class CategoryShare:
    """The share of issues that have a category, and the query of these issues."""

    heading: Heading
    share: Share
    query: str = ""

    @property
    def bar(self) -> Bar:
        """A bar with the interval."""
        hover = [self.share.sentence, *self.share.small_details]
        if self.query:
            hover.append(CLICK)
        share = self.share
        return Bar(share.value, "", tuple(hover), self.query, share.interval, is_small=share.is_small)

    @property
    def row(self) -> Row:
        """A line of a table with `COLUMNS`."""
        return Row(self.heading, self.share.cells(self.query), is_weak=self.share.is_small)

    def record(self, key: str) -> Record:
        """The share for programs; `key` names the kind of category."""
        return {
            key: self.heading.code,
            f"{key}_name": self.heading.name,
            "issues": self.share.issues,
            "all_issues": self.share.of,
            **self.share.record(),
            "query": self.query,
        }


def drawn(shares: Sequence[CategoryShare]) -> list[CategoryShare]:
    """Those whose sample is large enough, small samples last."""
    return in_order(shares, lambda share: share.share.of)


def share_bars(shares: Sequence[CategoryShare]) -> PlotlyJson:
    """A bar for each share, as a figure; none of no share."""
    if not shares:
        return {}
    series = Series("Share", {share.heading.code: share.bar for share in shares})
    return bars([share.heading for share in shares], [series], share=True)
