"""The result of a check: its tables, its sentence, its verdict, and what that does and does not prove."""

from collections.abc import Callable
from dataclasses import dataclass

from kb.audit.panels import Panel
from kb.core.intervals import Interval, wilson
from kb.core.labelled import Labelled


class Verdict(Labelled):
    """How a check came out, worst first."""

    NOT_INDEPENDENT = "not-independent", "not independent"
    LOOK_CLOSER = "look-closer", "look closer"
    CANNOT_TELL = "cannot-tell", "cannot be told"
    FINE = "fine", "fine"


@dataclass(frozen=True)
class Share:
    """Some cases of all, with Wilson's 95 % interval."""

    cases: int
    of: int

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return self.cases / self.of if self.of else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's interval at 95 %; None of nothing."""
        return wilson(self.cases, self.of) if self.of else None

    def __str__(self) -> str:
        """`12.3 % (123 of 1,000; 95 % interval 10.4–14.5 %)`."""
        span = self.interval
        if span is None:
            return "of nothing"
        share = f"{100 * self.cases / self.of:.1f} %"
        return f"{share} ({self.cases:,} of {self.of:,}; 95 % interval {100 * span.low:.1f}–{100 * span.high:.1f} %)"


Cell = Share | int | str | None


@dataclass(frozen=True)
class Line:
    """A row of a table: its name and its cells."""

    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Table:
    """Numbers behind a finding. `first` heads the names of the lines."""

    title: str
    first: str
    columns: tuple[str, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class About:
    """The description of a check; `expected`: what one would expect of people."""

    key: str
    title: str
    question: str
    expected: str
    proves: str
    proves_not: str


@dataclass(frozen=True)
class Reading:
    """What a check measured, before it is weighed with the others.

    With a chance `p` the verdict is `alarm` where p is small among all checks, else fine; `loud` and `quiet` are the
    sentences for either. Without one, `alarm` is the verdict and `quiet` its sentence.
    """

    about: About
    alarm: Verdict
    quiet: str
    loud: str = ""
    measured: str = ""
    p: float | None = None
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True)
class Finding:
    """A check's result. `p` is its chance if people were independent, `adjusted` the same by Holm over all checks."""

    about: About
    verdict: Verdict
    said: str
    measured: str
    p: float | None
    adjusted: float | None
    tables: tuple[Table, ...]


Check = Callable[[Panel], Reading]


def untold(about: About, why: str, measured: str = "", tables: tuple[Table, ...] = ()) -> Reading:
    """The reading of a check that cannot tell anything about this panel, with the reason."""
    return Reading(about, Verdict.CANNOT_TELL, why, measured=measured, tables=tables)


def chance(p: float) -> str:
    """Write a p-value: `p = 0.031`, `p < 0.0001`."""
    if p < 0.0001:
        return "p < 0.0001"
    return f"p = {p:.2g}" if p < 0.001 else f"p = {p:.3f}"
