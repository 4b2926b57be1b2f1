"""Shares of issues as bars, records and table cells: `cases` of `of`, with Wilson's interval. Pure."""

from dataclasses import dataclass
from typing import Any

from kb.charts.bars import Bar
from kb.charts.chart import Cell, Heading, Row
from kb.charts.figures import few_note, is_few, percent, percent_range
from kb.charts.intervals import Interval, wilson

COLUMNS = (Heading("issues", "Issues"), Heading("share", "Share"), Heading("interval", "95 % interval"))


@dataclass(frozen=True)
class Share:
    """A category, how many issues of how many have it, and the query of these."""

    heading: Heading
    cases: int
    of: int
    query: str

    @property
    def value(self) -> float:
        """The share itself."""
        return self.cases / self.of

    @property
    def interval(self) -> Interval:
        """Wilson's interval at 95 %."""
        return wilson(self.cases, self.of)

    @property
    def text(self) -> str:
        """The share with its basis and interval, as a sentence holds it."""
        of = f"{self.cases} of {self.of} issue{'' if self.of == 1 else 's'}"
        return f"{of}, {percent(self.value)} (95 % interval {percent_range(self.interval)})"

    @property
    def bar(self) -> Bar:
        """Its bar, with the interval."""
        few = few_note(self.of)
        hover = (self.text, *([few] if few else []), *(["Click to see these issues"] if self.query else []))
        return Bar(self.value, hover=hover, query=self.query, interval=self.interval)

    @property
    def row(self) -> Row:
        """Its line in a table with `COLUMNS`."""
        few = few_note(self.of)
        cells = (
            Cell(self.cases, f"{self.cases} of {self.of}", query=self.query),
            Cell(self.value, percent(self.value)),
            Cell(None, percent_range(self.interval), details=(few,) if few else ()),
        )
        return Row(self.heading, cells, is_weak=is_few(self.of))

    def record(self, key: str) -> dict[str, Any]:
        """It for programs; `key` says what the category is."""
        return {
            key: self.heading.code,
            f"{key}_name": self.heading.name,
            "issues": self.cases,
            "all_issues": self.of,
            "share": self.value,
            "share_low": self.interval.low,
            "share_high": self.interval.high,
            "query": self.query,
        }
