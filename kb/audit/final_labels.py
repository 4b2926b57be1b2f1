"""Checks whether the final label is a copy of one column."""

from typing import NamedTuple

import numpy as np

from kb.audit.findings import About, Line, Reading, Share, Table, Verdict, untold
from kb.audit.panels import NONE, Panel
from kb.audit.votes import (
    CAREFUL,
    FEWEST,
    NO_VOTES,
    dissents,
    groups_of,
    majority_of_others,
    strict_majority,
    tally,
)
from kb.core.chances import binomial_at_least, binomial_at_most

ABOUT = About(
    key="final-is-a-column",
    title="Is the final label a copy of one column?",
    question="Does one column equal the final label, where the others show that the question was hard?",
    expected=(
        f"Everybody dissents now and then: the most careful annotator at least a fifth (1/{CAREFUL}) as often as the "
        "average one. Where somebody stands alone against most of the others, the final label follows them in at most "
        "half of the cases."
    ),
    proves="A small chance shows that the final label and that column were not made independently of each other.",
    proves_not=(
        "It does not say which was copied from which, nor that it was done in secret: the column may be a lead's, "
        "whose word was final, or may have been brought in line after a discussion."
    ),
)


class Suspect(NamedTuple):
    """A column, in words, and the chance that a careful person would dissent as little."""

    p: float
    text: str


def check(panel: Panel) -> Reading:
    """Exact binomial tests, corrected by Bonferroni for columns and groups, of two signs.

    Of D dissents in all, a column of k that is five times as careful as the average would have a share of 1/(5k).
    Of the items where a column stands against the strict majority of the others, the final label follows it in half.
    """
    if len(panel.columns) < 2:
        return untold(ABOUT, NO_VOTES)
    settled = int((panel.finals != NONE).sum())
    if settled < FEWEST:
        return untold(ABOUT, f"{settled:,} items have a final label: too few to tell.")
    silent, never = _least_dissent(panel)
    follows, table = _followed(panel)
    worst = min(silent, follows)
    counts = tally(panel.votes, len(panel.answers))
    most = strict_majority(counts)
    known = (most != NONE) & (panel.finals != NONE)
    same = Share(int((most == panel.finals)[known].sum()), int(known.sum()))
    return Reading(
        ABOUT,
        Verdict.NOT_INDEPENDENT,
        quiet="No column equals the final label more than a careful person would.",
        loud=worst.text,
        measured=f"The final label is what more than half of the columns say in {same}.",
        p=min(1.0, 2 * worst.p),
        tables=(table, *never),
    )


def _least_dissent(panel: Panel) -> tuple[Suspect, tuple[Table, ...]]:
    """The column that dissents least for its chance, anywhere or in one group, and a table of all that do."""
    differs, compared = dissents(panel)
    scopes = [("", np.ones(panel.size, dtype=np.bool_))]
    groups = groups_of(panel)
    if len(groups) > 1:
        scopes += groups
    suspects, lines = [], []
    tests = len(scopes) * len(panel.columns)
    for name, items in scopes:
        cases, of = differs[items].sum(axis=0), compared[items].sum(axis=0)
        total = int(cases.sum())
        if total < FEWEST:
            continue
        for column, x, n in zip(panel.columns, cases.tolist(), of.tolist(), strict=True):
            if not n:
                continue
            p = min(1.0, tests * binomial_at_most(x, total, n / int(of.sum()) / CAREFUL))
            where = f" in {name}" if name else ""
            rarely = "never differs" if x == 0 else f"differs only {x:,} times"
            suspects.append(Suspect(p, f"{column} {rarely} from the final label on {n:,} items{where}."))
            if p <= 0.05:
                lines.append(Line(f"{column}, {name or 'all items'}", (Share(x, n), total)))
    columns = ("Differs from the final label", "Dissents of all columns there")
    table = Table("Columns that dissent less than a careful person would", "Column and group", columns, tuple(lines))
    return min(suspects, default=Suspect(1.0, "")), (table,) if lines else ()


def _followed(panel: Panel) -> tuple[Suspect, Table]:
    """The column that the final label follows most against the others, and a table of all columns."""
    suspects, lines = [], []
    counts = tally(panel.votes, len(panel.answers))
    for place, column in enumerate(panel.columns):
        others = majority_of_others(panel.votes, counts, (place,))
        vote = panel.votes[:, place]
        alone = (vote != NONE) & (others != NONE) & (panel.finals != NONE) & (vote != others)
        n, x = int(alone.sum()), int((panel.finals == vote)[alone].sum())
        p = min(1.0, len(panel.columns) * binomial_at_least(x, n, 0.5)) if n else 1.0
        text = f"The final label follows {column} in {x:,} of the {n:,} items where it stands alone."
        suspects.append(Suspect(p, text))
        voted = (vote != NONE) & (panel.finals != NONE)
        lines.append(Line(column, (Share(int((panel.finals == vote)[voted].sum()), int(voted.sum())), Share(x, n))))
    columns = ("Equals the final label", "Final label follows it against most others")
    return min(suspects), Table("Each column and the final label", "Column", columns, tuple(lines))
