"""The protocol of a chart: its options, and the figure, table and records that it draws from evidence.

Addresses in figures and tables are query strings of the issues behind a number, without a path: the page adds it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from kb.charts.evidence import Evidence
from kb.charts.plotly import PlotlyJson
from kb.charts.samples import TOO_FEW, is_drawn, is_small, small_note

LABELLED = "labelled issues"
LABELLED_OR_NOT = "issues, labelled or not"

# A line of a chart's files, by the names of its columns.
Record = dict[str, str | int | float | bool | None]


@dataclass(frozen=True)
class Choice:
    """A value of an option, with its label and what it means."""

    value: str
    label: str
    explained: str = ""


@dataclass(frozen=True)
class Option:
    """A way to look at a chart; the first choice is the default."""

    name: str
    label: str
    choices: tuple[Choice, ...]

    def chosen(self, value: str | None) -> Choice:
        """The choice with this value, or the default."""
        for choice in self.choices:
            if choice.value == value:
                return choice
        return self.choices[0]


@dataclass(frozen=True)
class Heading:
    """A row's or column's category: its name, its page (if any), and how many issues carry it (None: not a count)."""

    code: str
    name: str
    issues: int | None = None
    url: str = ""

    @property
    def is_small(self) -> bool:
        """Whether it is a count of issues and a small sample."""
        return self.issues is not None and is_small(self.issues)

    @property
    def size(self) -> str:
        """The number of issues as text, in the words for a small sample where it is one; empty if it is no count."""
        return "" if self.issues is None else small_note(self.issues) or f"n = {self.issues:,}"


def named(*names: str) -> tuple[Heading, ...]:
    """Columns that are no categories."""
    return tuple(Heading(name, name) for name in names)


@dataclass(frozen=True)
class Cell:
    """A number with its text, details, the name of its background, and the query of its issues.

    A cell without a value holds a text alone.
    """

    value: float | None
    text: str
    details: tuple[str, ...] = ()
    shade: str = ""
    query: str = ""


@dataclass(frozen=True)
class Row:
    """A table's line with a cell for each column; a weak one rests on a small sample."""

    heading: Heading
    cells: tuple[Cell, ...] = ()
    is_weak: bool = False


@dataclass(frozen=True)
class Table:
    """The figure's numbers as a table; in a grid the columns are categories, as the rows are."""

    corner: str
    columns: tuple[Heading, ...]
    rows: tuple[Row, ...]
    is_grid: bool = False


@dataclass(frozen=True)
class Counted:
    """Number of issues in the figure, of all that pass the filters, and the condition for being in it, in words.

    `population` says of which issues all these are.
    """

    issues: int
    all_issues: int
    condition: str
    population: str = LABELLED


@dataclass(frozen=True)
class Ranked:
    """A place of a ranking: its name, its number as text and as a percentage of the largest, and its details."""

    name: str
    text: str
    width: int
    details: tuple[str, ...]
    query: str
    is_weak: bool


@dataclass(frozen=True)
class Drawn:
    """A chart with its numbers.

    `records` are the lines of its files, `notes` the caveats, `sources` the names of the sources that were counted with
    the number of issues of each; `sentence` is the finding in one line; `ranking` stands for a wide figure on a phone.
    """

    counted: Counted
    figure: PlotlyJson
    table: Table
    records: Sequence[Record]
    notes: tuple[str, ...] = ()
    sources: tuple[tuple[str, int], ...] = ()
    sentence: str = ""
    ranking: tuple[Ranked, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether no issue is counted."""
        return not self.counted.issues

    @property
    def instead(self) -> str:
        """The line that stands for a figure of too few issues, or of an answer without one; empty of a figure."""
        if self.figure or self.is_empty:
            return ""
        if not is_drawn(self.counted.issues):
            return f"Too few to draw: {small_note(self.counted.issues)}."
        return self.sentence or f"Too few to draw: no category has {TOO_FEW} issues."


class Chart(Protocol):
    """One chart of the catalogue."""

    @property
    def slug(self) -> str:
        """The name in addresses."""

    @property
    def title(self) -> str:
        """The heading."""

    @property
    def lead(self) -> str:
        """The question that it answers."""

    @property
    def method(self) -> str:
        """How the numbers are computed."""

    @property
    def options(self) -> tuple[Option, ...]:
        """What a reader can choose."""

    def draw(self, evidence: Evidence, chosen: Mapping[str, str]) -> Drawn:
        """Count the evidence in the database and draw; `chosen` holds a value for each option."""


def choices(chart: Chart, params: Mapping[str, str]) -> dict[str, str]:
    """A value for each of the chart's options: the one in the parameters, else the default."""
    return {option.name: option.chosen(params.get(option.name)).value for option in chart.options}
