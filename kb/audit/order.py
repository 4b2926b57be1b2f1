"""Checks agreement in the order of the items: drift, and easy and hard items that alternate too neatly."""

from math import erfc, sqrt

import numpy as np
from numpy.typing import NDArray

from kb.audit.findings import About, Line, Reading, Share, Table, Verdict, chance, untold
from kb.audit.panels import Panel
from kb.audit.votes import FEWEST, NO_VOTES, TOO_FEW_VOTES, Flags, dissents, groups_of, whole_items
from kb.core.chances import normal_above

PARTS = 10
ABOUT = About(
    key="item-order",
    title="Agreement in the order of the items",
    question="Does agreement change from the first item to the last, and does dissent come in runs?",
    expected=(
        "People learn, tire and discuss, so that agreement may drift and dissent may come in runs. What they do not do "
        "is alternate: items with and without dissent do not take turns more neatly than chance."
    ),
    proves="A small chance shows that dissent was shared out over neighbouring items more evenly than chance does.",
    proves_not=(
        "A drift proves nothing: items are often sorted by date, and reports change. The order is that of the "
        "published file, which need not be the order in which anybody read."
    ),
)


def check(panel: Panel) -> Reading:
    """Wald–Wolfowitz runs within groups (Wald & Wolfowitz 1940), upper tail: too many runs are too neat.

    Drift is the slope of dissents on the place within the group; it is reported, not judged.
    """
    if not panel.columns:
        return untold(ABOUT, NO_VOTES)
    whole = whole_items(panel)
    if whole.sum() < FEWEST:
        return untold(ABOUT, TOO_FEW_VOTES)
    numbers = dissents(panel)[0].sum(axis=1)
    excess = variance = slope = spread = 0.0
    place = np.zeros(panel.size)
    for _, items in groups_of(panel):
        chosen = np.flatnonzero(items & whole)
        if len(chosen) < 2:
            continue
        xs, ys = np.linspace(0, 1, len(chosen)), numbers[chosen].astype(float)
        place[chosen] = xs
        slope += float(((xs - 0.5) * (ys - ys.mean())).sum())
        spread += float(((xs - 0.5) ** 2).sum() * ys.var())
        group_excess, group_variance = runs(numbers[chosen] > 0)
        excess += group_excess
        variance += group_variance
    if not variance:
        return untold(ABOUT, "All items are with dissent, or all without: their order cannot be tested.")
    drift = slope / sqrt(spread) if spread else 0.0
    falls = "falls" if drift < 0 else "rises"
    summary = f"Dissent {falls} along the items ({chance(erfc(abs(drift) / sqrt(2)))} for no drift)"
    z = excess / sqrt(variance)
    return Reading(
        ABOUT,
        Verdict.LOOK_CLOSER,
        quiet=f"{summary}; items with and without dissent do not alternate.",
        loud=f"{summary}, and items with and without dissent take turns more neatly than chance.",
        measured=f"Runs differ from chance by {z:+.1f} standard deviations, n = {int(whole.sum()):,} whole items.",
        p=normal_above(z),
        tables=(_tenths(numbers > 0, place, whole),),
    )


def runs(flags: Flags) -> tuple[float, float]:
    """The number of runs above the expected one, and the variance of their number."""
    n, a = len(flags), int(flags.sum())
    b = n - a
    if not a or not b:
        return 0.0, 0.0
    mean = 2 * a * b / n + 1
    return 1 + float((flags[1:] != flags[:-1]).sum()) - mean, (mean - 1) * (mean - 2) / (n - 1)


def _tenths(any_dissent: Flags, place: NDArray[np.float64], whole: Flags) -> Table:
    part = np.minimum((place * PARTS).astype(int), PARTS - 1)
    lines = []
    for number in range(PARTS):
        chosen = whole & (part == number)
        share = Share(int(any_dissent[chosen].sum()), int(chosen.sum()))
        lines.append(Line(f"{number + 1} of {PARTS}", (share,)))
    return Table("Items with any dissent, by tenths of each group's order", "Tenth", ("Any dissent",), tuple(lines))
