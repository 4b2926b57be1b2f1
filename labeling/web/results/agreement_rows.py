"""Reports of agreement as the page shows them: formatted numbers, explanations, intervals as lines, shaded cells."""

from collections.abc import Sequence
from dataclasses import dataclass

from labeling.agreement import AxisReport, Coefficient, Confusion
from labeling.agreement.words import percent

SHADES = 6
MOST_CODES = 40
MOST_PAIRS = 10
# The numbers that a paper would name.
HEADLINE = ("Percent agreement", "Fleiss' kappa", "Krippendorff's alpha", "Gwet's AC1")

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
        "votes and any number of annotators. Usually trusted from 0.8, not below 0.667."
    ),
    "alpha_ordinal": (
        "The same for steps of a scale: neighbouring steps differ less than far ones. Votes that the report does not "
        "say are left out, as for the weighted kappas."
    ),
    "alpha_interval": "The same for numbers: by the square of their difference. Votes without a number are left out.",
    "cohen_linear_mean": "The same, but a vote one step away counts as partly equal, in proportion to the steps.",
    "cohen_quadratic_mean": "The same with the square of the steps: far ones count much more than near ones.",
    "alpha_jaccard": "The same for several answers at once: sets that share most of their answers are nearly equal.",
    "alpha_masi": (
        "The same, and kinder to a set that contains the other than to sets that only overlap. "
        "The fairest number where an issue may have several answers."
    ),
    "cohen_mean": "Kappa of each pair of annotators, averaged: chance draws from each annotator's own habits.",
}


@dataclass(frozen=True)
class Line:
    """An interval in per cent of the scale from 0 to 1; what is outside the scale is drawn at its end."""

    low: float
    value: float
    high: float

    @property
    def width(self) -> float:
        """How long the line is."""
        return self.high - self.low


@dataclass(frozen=True)
class Number:
    """A coefficient as text: a value, or the reason why there is none."""

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


def number_of(coefficient: Coefficient) -> Number:
    """The coefficient with `0.612 to 0.701` as its interval, and a note on samples without a value."""
    value, bounds = coefficient.value, coefficient.interval
    interval = note = ""
    reason = coefficient.reason
    if bounds is not None:
        reason = reason or bounds.reason
        if bounds.low is not None and bounds.high is not None:
            interval = f"{bounds.low:.3f} to {bounds.high:.3f}"
        if bounds.low is not None and bounds.undefined:
            note = f"{bounds.undefined:,} of {bounds.samples:,} samples have no value"
    return Number(
        name=coefficient.name,
        value="" if value is None else f"{value:.3f}",
        interval=interval,
        note=note,
        reason=reason,
        expected="" if coefficient.expected is None else percent(coefficient.expected),
        units=coefficient.units,
        votes=coefficient.votes,
        missing=coefficient.missing,
        line=_line(coefficient),
        meaning=EXPLAINED.get(coefficient.key, ""),
    )


def _line(coefficient: Coefficient) -> Line | None:
    value, bounds = coefficient.value, coefficient.interval
    if value is None:
        return None
    low = high = value
    if bounds is not None and bounds.low is not None and bounds.high is not None:
        low, high = bounds.low, bounds.high
    return Line(_percent_of_scale(low), _percent_of_scale(value), _percent_of_scale(high))


def _percent_of_scale(value: float) -> float:
    return round(100 * min(1.0, max(0.0, value)), 1)


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
    """The weak categories first, the weakest at the top; then the others by code."""
    nodes = {node.code: node for node in report.nodes}
    reasons = {weak.code: weak.words for weak in report.weak}
    rows = []
    for code in [*reasons, *sorted(nodes.keys() - reasons.keys())]:
        node = nodes[code]
        rows.append(
            NodeRow(
                name=code,
                votes=node.votes,
                units=node.units,
                alpha=number_of(node.alpha),
                ac1=number_of(node.ac1),
                again=number_of(node.chosen_again),
                words=reasons.get(code, ""),
            )
        )
    return rows


@dataclass(frozen=True)
class Shaded:
    """A cell of the table of confusions: the share in per cent, and how dark it is, from 0 to `SHADES`."""

    text: str
    shade: int


@dataclass(frozen=True)
class Mixed:
    """Two categories that are mixed up: of the comparisons of votes for the first, the share with the second."""

    code: str
    other: str
    share: str


@dataclass(frozen=True)
class ConfusionTable:
    """Codes, a row of cells for each, and the pairs that are mixed up most; `left_out`: how many codes have no row."""

    codes: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Shaded]]]
    worst: Sequence[Mixed]
    left_out: int


def confusion_table(confusion: Confusion) -> ConfusionTable:
    """The table with at most `MOST_CODES` categories, those with the most votes, and the `MOST_PAIRS` worst pairs."""
    index = {code: at for at, code in enumerate(confusion.codes)}
    totals = {code: sum(confusion.matrix[at]) + confusion.alone[at] for code, at in index.items()}
    codes = sorted(sorted(confusion.codes, key=lambda code: -totals[code])[:MOST_CODES])
    rows = []
    for code in codes:
        weights = confusion.matrix[index[code]]
        rows.append((code, [_shaded(weights[index[other]], totals[code]) for other in codes]))
    pairs = []
    for code in confusion.codes:
        pairs += [(code, partner) for partner in confusion.partners(code)]
    pairs.sort(key=lambda pair: (-pair[1].share, pair[0], pair[1].code))
    worst = [Mixed(code, partner.code, percent(partner.share)) for code, partner in pairs[:MOST_PAIRS]]
    return ConfusionTable(codes, rows, worst, len(confusion.codes) - len(codes))


def _shaded(weight: float, total: float) -> Shaded:
    if not weight or not total:
        return Shaded("", 0)
    share = weight / total
    return Shaded(f"{round(100 * share)}", min(SHADES, 1 + int(share * SHADES)))


def headline(reports: Sequence[AxisReport]) -> list[tuple[AxisReport, list[Number]]]:
    """For each axis the numbers of `HEADLINE`; of the variants, those that fit the axis."""
    rows = []
    for report in reports:
        coefficients = {coefficient.key: coefficient for coefficient in report.coefficients}
        fleiss = coefficients.get("fleiss")
        keys = ("percent", "fleiss_varying" if fleiss and fleiss.reason else "fleiss", report.alpha_key, "ac1")
        numbers = []
        for key, name in zip(keys, HEADLINE, strict=True):
            numbers.append(number_of(coefficients[key]) if key in coefficients else _not_for_numbers(name))
        rows.append((report, numbers))
    return rows


def _not_for_numbers(name: str) -> Number:
    return Number(name, "", "", "", "Not for numbers", "", 0, 0, 0, None)
