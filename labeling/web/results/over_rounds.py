"""Agreement over the rounds: a table of all questions with a curve for each. Selectors compute the numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labeling.agreement.words import TENTATIVE
from labeling.selectors.results import Step
from labeling.web.results.agreement_rows import Number, number_of

# The curves' own units: a round's width, the height of alpha from 0 to 1, and room for a dot at the edges.
ROUND, HEIGHT, EDGE = 40, 48, 6


@dataclass(frozen=True)
class Dot:
    """A round's place on a curve; `top` and `bottom` are the ends of its interval, equal where there is none."""

    x: int
    y: float
    top: float
    bottom: float


@dataclass(frozen=True)
class Row:
    """A question: its alpha in each round, None where it has none, and the curve through those that have a value."""

    name: str
    cells: tuple[tuple[Step, Number | None], ...]
    dots: tuple[Dot, ...]

    @property
    def points(self) -> str:
        """The curve as SVG wants it; empty where there are fewer than two values to join."""
        return " ".join(f"{dot.x},{dot.y}" for dot in self.dots) if len(self.dots) > 1 else ""


@dataclass(frozen=True)
class OverRounds:
    """The table, by round from left to right. `has_curves`: there is more than one round to compare."""

    steps: Sequence[Step]
    rows: Sequence[Row]
    width: int
    height: int
    tentative: float

    @property
    def has_curves(self) -> bool:
        """Whether any question was asked more than once."""
        return any(row.points for row in self.rows)


def over_rounds(steps: Sequence[Step], names: Mapping[str, str]) -> OverRounds:
    """The table of these rounds; `names`: axis code -> name, in order."""
    rows = []
    for code, name in names.items():
        row = _row(name, code, steps)
        if any(number for _, number in row.cells):
            rows.append(row)
    width = ROUND * max(1, len(steps) - 1) + 2 * EDGE
    return OverRounds(steps, rows, width, HEIGHT + 2 * EDGE, _height(TENTATIVE))


def _row(name: str, code: str, steps: Sequence[Step]) -> Row:
    cells: list[tuple[Step, Number | None]] = []
    dots = []
    for place, step in enumerate(steps):
        report = step.report(code)
        number = number_of(report.alpha) if report else None
        cells.append((step, number))
        if number and number.line:
            line = number.line
            x = EDGE + ROUND * place
            dots.append(Dot(x, _height(line.value / 100), _height(line.high / 100), _height(line.low / 100)))
    return Row(name, tuple(cells), tuple(dots))


def _height(value: float) -> float:
    return round(EDGE + HEIGHT * (1 - value), 1)
