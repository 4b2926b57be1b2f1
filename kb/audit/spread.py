"""Checks over which siblings dissent is spread: towards a few that are alike, or evenly over all."""

from math import sqrt
from typing import NamedTuple

import numpy as np

from kb.audit.dissenters import MARGIN
from kb.audit.findings import About, Line, Reading, Table, Verdict, chance, untold
from kb.audit.panels import Ints, Panel
from kb.audit.votes import FEWEST, NO_VOTES, dissents, family_places, reference
from kb.core.chances import chi_square_above, normal_above

ABOUT = About(
    key="spread-of-dissent",
    title="Spread of dissent over the siblings",
    question="Do the votes that differ from a final answer go to a few siblings, or evenly to all?",
    expected=(
        "People confuse some pairs of answers far more than others. Two dissents from the same answer, picked at "
        f"random, name the same sibling at least {MARGIN}× as often as an even spread would make them."
    ),
    proves=f"A small chance shows a spread that is flatter than {MARGIN}× even choice.",
    proves_not="It does not say why. Answers that are all equally near to one another give a flat spread too.",
)


class Spread(NamedTuple):
    """Dissents from one final answer by sibling; `ratio`: chance of two being the same over that of an even spread."""

    answer: str
    siblings: tuple[str, ...]
    votes: tuple[int, ...]
    ratio: float
    variance: float
    flat: float

    @property
    def of(self) -> int:
        """All dissents from the answer within its family."""
        return sum(self.votes)


def check(panel: Panel) -> Reading:
    """Simpson's concentration (Simpson 1949) times the number of siblings, weighted over answers by their dissents.

    Tested against 1.25 by its large-sample variance, lower tail. Chi-square to the flat spread stands in the table.
    """
    if not panel.columns:
        return untold(ABOUT, NO_VOTES)
    rows = [row for row in spreads(panel) if row.of >= FEWEST]
    if not rows:
        return untold(ABOUT, f"No final answer has {FEWEST} dissents among at least two siblings.")
    total = sum(row.of for row in rows)
    ratio = sum(row.of * row.ratio for row in rows) / total
    error = sqrt(sum(row.of**2 * row.variance for row in rows)) / total
    summary = f"Two dissents from the same answer name the same sibling {ratio:.2f}× as often as an even spread would"
    return Reading(
        ABOUT,
        Verdict.LOOK_CLOSER,
        quiet=f"{summary} (n = {total:,} dissents).",
        loud=f"{summary}: the spread is nearly flat (n = {total:,} dissents).",
        measured=f"{ratio:.2f}× (95 % interval {ratio - 1.96 * error:.2f}–{ratio + 1.96 * error:.2f}×).",
        p=normal_above((MARGIN - ratio) / error),
        tables=(_table(rows),),
    )


def spreads(panel: Panel) -> list[Spread]:
    """Every final answer with at least two siblings and the dissents from it within its family."""
    differs, _ = dissents(panel)
    items, columns = np.nonzero(differs)
    size = len(panel.answers)
    pairs = np.bincount(reference(panel)[items] * size + panel.votes[items, columns], minlength=size * size)
    counts = pairs.reshape(size, size)
    _, family = family_places(panel)
    rows = []
    for place, answer in enumerate(panel.answers):
        siblings = np.flatnonzero((family == family[place]) & (np.arange(size) != place))
        votes = counts[place, siblings]
        if len(siblings) > 1 and votes.sum() > 1:
            names = tuple(panel.answers[sibling] for sibling in siblings)
            rows.append(Spread(answer, names, tuple(votes.tolist()), *_concentration(votes)))
    return rows


def _concentration(votes: Ints) -> tuple[float, float, float]:
    """Ratio to an even spread, its variance, and the p-value of chi-square to flat."""
    m, n = len(votes), int(votes.sum())
    q = votes / n
    same = float((votes * (votes - 1)).sum() / (n * (n - 1)))
    # Where the spread is flat its own variance vanishes; then that of one favoured sibling, at the margin, stands.
    excess = sqrt((MARGIN - 1) * (m - 1)) / m
    edge = np.array([1 / m + excess, *[1 / m - excess / (m - 1)] * (m - 1)])
    first = max(float((p**3).sum() - (p**2).sum() ** 2) for p in (q, edge))
    variance = m**2 * (4 * first / n + 2 * same * (1 - same) / (n * (n - 1)))
    return m * same, variance, chi_square_above(float(((votes - n / m) ** 2 / (n / m)).sum()), m - 1)


def _table(rows: list[Spread]) -> Table:
    lines = []
    for row in rows:
        siblings = ", ".join(f"{name} {n:,}" for name, n in zip(row.siblings, row.votes, strict=True))
        lines.append(Line(row.answer, (row.of, siblings, f"{row.ratio:.2f}×", chance(row.flat))))
    columns = ("Dissents", "To", "Same sibling, against even", "Flat?")
    return Table("Dissents from each final answer", "Final answer", columns, tuple(lines))
