"""Checks whether one column is a copy of another."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from kb.audit.findings import About, Line, Reading, Share, Table, Verdict, untold
from kb.audit.panels import NONE, Ints, Panel
from kb.audit.votes import FEWEST, NO_VOTES, TOO_FEW_VOTES, Tally, majority_of_others, tally
from kb.core.chances import binomial_at_least

FEWEST_COLUMNS = 4
MOST_SHOWN = 45
ABOUT = About(
    key="column-copies",
    title="Is one column a copy of another?",
    question="Where one of two columns stands against most of the others, does the other give the same answer?",
    expected=(
        "Two people share some confusions, but each also errs alone: they stand together against most of the others in "
        "at most half of the items where either of them does."
    ),
    proves="A small chance shows that two columns were not made independently of each other.",
    proves_not="It does not say which was copied, or whether two people simply worked side by side.",
)


class Pair(NamedTuple):
    """Two columns: the chance of their agreement, how often they are equal, and how often they stand together."""

    p: float
    names: str
    equal: Share
    together: Share


def check(panel: Panel) -> Reading:
    """Exact binomial against one half, upper tail, Bonferroni over pairs; the rest must have a majority of two."""
    k = len(panel.columns)
    if not k:
        return untold(ABOUT, NO_VOTES)
    if k < FEWEST_COLUMNS:
        return untold(ABOUT, f"With {k} columns there are no two others to measure a pair against.")
    pairs = list(combinations(range(k), 2))
    counts = tally(panel.votes, len(panel.answers))
    # Where all say the same nobody stands against anybody.
    split = np.flatnonzero((counts > 0).sum(axis=1) > 1)
    votes, counts = panel.votes[split], counts[split]
    rows = []
    for first, second in pairs:
        a, b = panel.votes[:, first], panel.votes[:, second]
        both = (a != NONE) & (b != NONE)
        equal = Share(int((a == b)[both].sum()), int(both.sum()))
        together = _together(votes, counts, first, second)
        p = binomial_at_least(together.cases, together.of, 0.5) if together.of else 1.0
        rows.append(Pair(p, f"{panel.columns[first]} and {panel.columns[second]}", equal, together))
    if sum(row.together.of for row in rows) < FEWEST:
        return untold(ABOUT, TOO_FEW_VOTES)
    rows.sort(key=lambda row: (row.p, -(row.equal.value or 0), row.names))
    worst = rows[0]
    values = [row.equal.value for row in rows if row.equal.value is not None]
    lines = tuple(Line(row.names, (row.equal, row.together)) for row in rows[:MOST_SHOWN])
    columns = ("Same answer", "Together against most others, where either is")
    return Reading(
        ABOUT,
        Verdict.NOT_INDEPENDENT,
        quiet="No two columns stand together more than people who share confusions.",
        loud=f"{worst.names} give the same answer in {worst.together.cases:,} of the {worst.together.of:,} items where "
        "either stands against most of the others.",
        measured=f"Pairs of columns agree in {100 * min(values):.1f} to {100 * max(values):.1f} % "
        f"(median {100 * float(np.median(values)):.1f} %), {len(rows)} pairs.",
        p=min(1.0, len(pairs) * worst.p),
        tables=(Table("Pairs of columns, the most alike first", "Pair", columns, lines),),
    )


def _together(votes: Ints, counts: Tally, first: int, second: int) -> Share:
    """How often two columns say the same, of the items where either stands against most of the others."""
    a, b = votes[:, first], votes[:, second]
    rest = majority_of_others(votes, counts, (first, second))
    either = (a != NONE) & (b != NONE) & (rest != NONE) & ((a != rest) | (b != rest))
    return Share(int((either & (a == b)).sum()), int(either.sum()))
