"""Checks how often each column gives each answer, and whether one column has all that the others gave."""

from math import sqrt
from typing import NamedTuple

import numpy as np

from kb.audit.findings import About, Line, Reading, Share, Table, Verdict, untold
from kb.audit.panels import NONE, Ints, Panel
from kb.audit.votes import CAREFUL, FEWEST, NO_VOTES, TOO_FEW_VOTES, tally
from kb.core.chances import binomial_at_most

MOST_SHOWN = 40
ABOUT = About(
    key="prevalence",
    title="Answers by column",
    question="Does every column give each answer about as often, and does one column hold whatever any other says?",
    expected=(
        "People differ in how readily they give an answer. But everybody misses some items that another one gives it "
        f"to: at least a fifth (1/{CAREFUL}) as often as the other columns do."
    ),
    proves="A small chance shows that the others gave an answer only where one column had given it.",
    proves_not=(
        "It does not show copying: items may have been screened by one person first, so that the others saw only what "
        "that person had marked."
    ),
)


class Suspect(NamedTuple):
    """A column that misses little of an answer, in words, and the chance of missing so little."""

    p: float
    text: str


def check(panel: Panel) -> Reading:
    """Exact binomial, Bonferroni over answers and columns: misses of a column against a fifth of the others' rate.

    A column misses an item where another one gives the answer and it gives another. Cramér's V (Cramér 1946) is shown.
    """
    if len(panel.columns) < 2:
        return untold(ABOUT, NO_VOTES)
    voted = (panel.votes != NONE).sum(axis=0)
    if voted.min() < FEWEST:
        return untold(ABOUT, TOO_FEW_VOTES)
    by_column = np.array([np.bincount(votes[votes != NONE], minlength=len(panel.answers)) for votes in panel.votes.T])
    worst = _worst(panel, by_column)
    v = cramer(by_column)
    alike = "give the answers about as often as one another" if v < 0.1 else "differ in how often they give the answers"
    return Reading(
        ABOUT,
        Verdict.LOOK_CLOSER,
        quiet=f"Columns {alike}: Cramér's V is {v:.3f} (0 alike, 1 apart).",
        loud=worst.text,
        measured=f"Cramér's V {v:.3f}, n = {int(by_column.sum()):,} votes.",
        p=worst.p,
        tables=(_table(panel, by_column),),
    )


def cramer(counts: Ints) -> float:
    """Cramér's V of a table of counts; 0 where it has less than two rows or columns."""
    kept = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0].astype(float)
    if min(kept.shape) < 2:
        return 0.0
    even = kept.sum(axis=1, keepdims=True) * kept.sum(axis=0) / kept.sum()
    return sqrt(float(((kept - even) ** 2 / even).sum()) / kept.sum() / (min(kept.shape) - 1))


def _worst(panel: Panel, by_column: Ints) -> Suspect:
    counts = tally(panel.votes, len(panel.answers))
    tests: list[Suspect] = []
    for place, answer in enumerate(panel.answers):
        # An answer of most votes is the usual one: that it is nowhere missed says little.
        if by_column[:, place].sum() * 2 > by_column.sum() or counts[:, place].sum() < FEWEST:
            continue
        items = np.flatnonzero(counts[:, place])
        gives = panel.votes[items] == place
        comparable = (counts[items, place, None] - gives > 0) & (panel.votes[items] != NONE)
        n, x = comparable.sum(axis=0), (comparable & ~gives).sum(axis=0)
        for column in range(len(panel.columns)):
            rest_n, rest_x = int(n.sum() - n[column]), int(x.sum() - x[column])
            if n[column] < FEWEST or not rest_n:
                continue
            p = binomial_at_most(int(x[column]), int(n[column]), rest_x / rest_n / CAREFUL)
            misses = "all" if x[column] == 0 else f"all but {int(x[column]):,}"
            tests.append(
                Suspect(
                    p,
                    f"{panel.columns[column]} gives “{answer}” in {misses} of {int(n[column]):,} items where another "
                    f"does; the others miss it in {100 * rest_x / rest_n:.0f} %.",
                )
            )
    worst = min(tests, default=Suspect(1.0, ""))
    return Suspect(min(1.0, worst.p * max(1, len(tests))), worst.text)


def _table(panel: Panel, by_column: Ints) -> Table:
    order = np.argsort(-by_column.sum(axis=0), kind="stable")
    lines = []
    for place in order[:MOST_SHOWN].tolist():
        if by_column[:, place].any():
            shares = (Share(int(n), int(of)) for n, of in zip(by_column[:, place], by_column.sum(axis=1), strict=True))
            lines.append(Line(panel.answers[place], tuple(shares)))
    return Table("Share of each column's votes", "Answer", panel.columns, tuple(lines))
