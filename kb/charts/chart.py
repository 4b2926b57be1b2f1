"""What every chart is: options, and from the evidence to a figure, its table, its records and what was counted.

Addresses in figures and tables are queries of the issues behind a number, without a page: who shows them says where.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kb.charts.evidence import Evidence


@dataclass(frozen=True)
class Choice:
    """A value of an option: how it is called, and what it means."""

    value: str
    label: str
    explained: str = ""


@dataclass(frozen=True)
class Option:
    """A way to look at a chart; its first choice goes without saying."""

    name: str
    label: str
    choices: tuple[Choice, ...]

    def chosen(self, value: str | None) -> Choice:
        """The choice with this value, or the first one."""
        return next((choice for choice in self.choices if choice.value == value), self.choices[0])


@dataclass(frozen=True)
class Heading:
    """A row's or column's category: its name, its page (if any), and how many issues carry it (None: not a count)."""

    code: str
    name: str
    issues: int | None = None
    url: str = ""


@dataclass(frozen=True)
class Cell:
    """A number, how it is written, what stands behind it, a shade for the eye, and the query of its issues.

    A share or lift over few issues is marked with a star. A text is a cell without a value.
    """

    value: float | None
    text: str
    details: tuple[str, ...] = ()
    shade: str = ""
    query: str = ""


@dataclass(frozen=True)
class Row:
    """A table's line: what it is about, and a cell for each column. `is_weak`: it rests on few issues."""

    heading: Heading
    cells: tuple[Cell, ...] = ()
    is_weak: bool = False


@dataclass(frozen=True)
class Table:
    """A figure's twin: the same numbers. `is_grid`: columns are categories like the rows are."""

    corner: str
    columns: tuple[Heading, ...]
    rows: tuple[Row, ...]
    is_grid: bool = False


@dataclass(frozen=True)
class Counted:
    """How many issues are in the figure, of how many that the filters leave, and what it takes to be in it."""

    issues: int
    all_issues: int
    condition: str


@dataclass(frozen=True)
class Drawn:
    """A chart as it stands.

    `records`: the numbers one by one, for programs; `notes`: what a reader must know;
    `sources`: whose answers were counted, with the number of issues of each; `sentence`: what it shows, in one line.
    """

    counted: Counted
    figure: Mapping[str, Any]
    table: Table
    records: Sequence[Mapping[str, Any]]
    notes: tuple[str, ...] = ()
    sources: tuple[tuple[str, int], ...] = ()
    sentence: str = ""

    @property
    def is_empty(self) -> bool:
        """Is there nothing to draw?"""
        return not self.counted.issues


class Chart(Protocol):
    """One chart of the catalogue."""

    @property
    def slug(self) -> str:
        """Its name in addresses."""

    @property
    def title(self) -> str:
        """Its name for people."""

    @property
    def lead(self) -> str:
        """What question it answers."""

    @property
    def method(self) -> str:
        """How it is computed."""

    @property
    def options(self) -> tuple[Option, ...]:
        """The ways to look at it."""

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
        """Count and draw; `chosen` holds a value for each option."""


def choices(chart: Chart, asked: Mapping[str, str]) -> dict[str, str]:
    """A value for each of the chart's options: what is asked for, or what goes without saying."""
    return {option.name: option.chosen(asked.get(option.name)).value for option in chart.options}
