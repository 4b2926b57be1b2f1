"""From reports of agreement to what the page shows: numbers written out, explanations, shades and intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

from labeling.agreement import AxisReport, BootstrapInterval, Coefficient, Confusion
from labeling.agreement.words import percent

SHADES = 6
MOST_CODES = 40
MOST_PAIRS = 10

EXPLAINED = {
    "percent": (
        "The share of pairs of votes on an issue that are equal, averaged over issues. Easy to read, but high by "
        "chance alone where one answer is common."
    ),
    "fleiss": (
        "How much of the agreement beyond chance was reached, where chance draws from all votes together. "
        "It needs as many votes on every issue."
    ),
    "fleiss_varying": "The same, for issues with different numbers of votes.",
    "ac1": (
        "Also beyond chance, but with less agreement expected by chance where one answer is common. Compare it with "
        "kappa when that looks too low."
    ),
    "alpha_nominal": (
        "One minus the disagreement that was seen over the disagreement that chance would make. It takes missing "
        "votes and any number of annotators. From 0.8 on it is usually trusted, below 0.667 it is not."
    ),
    "alpha_jaccard": "The same for several answers at once: sets that share most of their answers are nearly equal.",
    "alpha_masi": (
        "The same, and kinder to a set that contains the other than to sets that only overlap. "
        "The fairest number where an issue may have several answers."
    ),
    "cohen_mean": "Kappa of each two annotators, averaged over all pairs: chance draws from each one's own habits.",
}


@dataclass(frozen=True)
class Line:
    """An interval as a drawing, from 0 to 100; what is below nothing is drawn at nothing."""

    low: float
    value: float
    high: float

    @property
    def width(self) -> float:
        """How long the line is."""
        return self.high - self.low


@dataclass(frozen=True)
class Number:
    """A coefficient as it is read: a value or the reason why there is none."""

    name: str
    value: str
    interval: str
    note: str
    reason: str
    expected: str
    units: int
    votes: int
    missing: int
    line: Line | None
    meaning: str = ""


def number(one: Coefficient) -> Number:
    """A coefficient as it is read."""
    return Number(
        name=one.name,
        value="" if one.value is None else f"{one.value:.3f}",
        interval=interval(one.interval),
        note=_without_value(one.interval),
        reason=one.reason or (one.interval.reason if one.interval else ""),
        expected="" if one.expected is None else percent(one.expected),
        units=one.units,
        votes=one.votes,
        missing=one.missing,
        line=_line(one),
        meaning=EXPLAINED.get(one.key, ""),
    )


def interval(one: BootstrapInterval | None) -> str:
    """`0.612 to 0.701`; nothing where there is none."""
    if one is None or one.low is None or one.high is None:
        return ""
    return f"{one.low:.3f} to {one.high:.3f}"


def _without_value(one: BootstrapInterval | None) -> str:
    if one is None or not one.undefined or one.low is None:
        return ""
    return f"{one.undefined:,} of {one.samples:,} samples have no value"


def _line(one: Coefficient) -> Line | None:
    if one.value is None:
        return None
    low, high = one.value, one.value
    if one.interval and one.interval.low is not None and one.interval.high is not None:
        low, high = one.interval.low, one.interval.high
    return Line(*(round(100 * min(1.0, max(0.0, bound)), 1) for bound in (low, one.value, high)))


@dataclass(frozen=True)
class NodeRow:
    """A category's agreement; `words` say why it is weak, if it is."""

    name: str
    votes: int
    units: int
    alpha: Number
    ac1: Number
    again: Number
    words: str


def node_rows(report: AxisReport) -> list[NodeRow]:
    """The weak categories first, the weakest at the top; then the others by name."""
    weak = {one.code: (place, one.words) for place, one in enumerate(report.weak)}
    ordered = sorted(report.nodes, key=lambda one: (weak.get(one.code, (len(weak), ""))[0], one.code))
    return [
        NodeRow(
            one.code, one.votes, one.units, number(one.alpha), number(one.ac1), number(one.chosen_again),
            weak.get(one.code, (0, ""))[1],
        )
        for one in ordered
    ]  # fmt: skip


@dataclass(frozen=True)
class Shaded:
    """A cell of the table of confusions: how often, as text, and how dark."""

    text: str
    shade: int


@dataclass(frozen=True)
class Mixed:
    """Two categories that stand for each other: of the votes for the first, the share that others gave the second."""

    code: str
    other: str
    share: str


@dataclass(frozen=True)
class Confused:
    """The table of confusions: codes, a row of cells for each, and the pairs that are mixed up most."""

    codes: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Shaded, ...]], ...]
    worst: tuple[Mixed, ...]
    left_out: int


def confused(found: Confusion) -> Confused:
    """As the page shows it: at most `MOST_CODES` categories, those with the most votes."""
    totals = {code: sum(row) + alone for code, row, alone in zip(found.codes, found.matrix, found.alone, strict=True)}
    shown = sorted(sorted(found.codes, key=lambda code: -totals[code])[:MOST_CODES])
    at = {code: place for place, code in enumerate(found.codes)}
    rows = tuple(
        (code, tuple(_shaded(found.matrix[at[code]][at[other]], totals[code]) for other in shown)) for code in shown
    )
    return Confused(tuple(shown), rows, _worst(found), len(found.codes) - len(shown))


def _shaded(weight: float, total: float) -> Shaded:
    share = weight / total if total else 0.0
    if not share:
        return Shaded("", 0)
    return Shaded(f"{round(100 * share)}", min(SHADES, 1 + int(share * SHADES)))


def _worst(found: Confusion) -> tuple[Mixed, ...]:
    pairs = [(partner.share, code, partner.code) for code in found.codes for partner in found.partners(code)]
    pairs.sort(key=lambda one: (-one[0], one[1], one[2]))
    return tuple(Mixed(code, other, percent(share)) for share, code, other in pairs[:MOST_PAIRS])


def headline(reports: Sequence[AxisReport]) -> list[tuple[AxisReport, list[Number]]]:
    """For each axis the four numbers that a paper would name."""
    wanted = ("percent", "fleiss", "fleiss_varying", "alpha_masi", "alpha_nominal", "ac1")
    found = []
    for report in reports:
        by_key = {one.key: one for one in report.coefficients}
        keys = [key for key in wanted if key in by_key]
        if not by_key["fleiss"].reason:
            keys.remove("fleiss_varying")
        else:
            keys.remove("fleiss")
        if "alpha_masi" in keys:
            keys.remove("alpha_nominal")
        found.append((report, [number(by_key[key]) for key in keys]))
    return found
