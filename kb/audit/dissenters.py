"""Where exactly two people dissent: do they agree with each other more than dice would?"""

from math import sqrt

import numpy as np

from kb.audit.findings import About, Line, Reading, Share, Table, Verdict, untold
from kb.audit.panels import Panel
from kb.audit.votes import FEWEST, NO_VOTES, TOO_FEW_VOTES, dissents, family_places, reference
from kb.core.chances import normal_above

# By how much people's confusions are to exceed those of dice, at the very least.
MARGIN = 1.25
FEWEST_VOTES = 5
ABOUT = About(
    key="dissenters-agree",
    title="Do dissenters agree with each other?",
    question="Where exactly two votes differ from the final label, within its group, are those two the same?",
    expected=(
        "People confuse what is alike: two who dissent read the same report and often end at the same other answer, "
        f"clearly more often than dice that choose evenly among the siblings. “Clearly” is {MARGIN}× here."
    ),
    proves=f"A small chance shows that dissenters agree less than {MARGIN}× as often as dice would.",
    proves_not=(
        "It does not show that dice were thrown. Slips of the hand are spread evenly too, and so are answers between "
        "which nothing in the report decides."
    ),
)


def check(panel: Panel) -> Reading:
    """Observed pairs against 1.25 × uniform choice, summed over families; normal approximation, lower tail.

    A family with m siblings besides the final answer has a chance of 1/m for two even, independent choices to be equal.
    """
    if not panel.columns:
        return untold(ABOUT, NO_VOTES)
    rows = pairs_by_family(panel)
    tables: tuple[Table, ...] = ()
    if rows:
        lines = tuple(Line(name, (share, f"{100 / m:.1f} %", m)) for name, share, m in rows)
        columns = ("The two agree", "Even choice", "Siblings")
        title = "Items with exactly two dissents within the final answer's group"
        tables = (Table(title, "Group", columns, lines),)
    tested = [(share, m) for _, share, m in rows if m > 1]
    n = sum(share.of for share, _ in tested)
    if n < FEWEST:
        why = TOO_FEW_VOTES if rows else "No item has exactly two dissents among five votes or more."
        return untold(ABOUT, why, tables=tables)
    seen = sum(share.cases for share, _ in tested)
    dice = sum(share.of / m for share, m in tested)
    least = [(share.of, min(0.99, MARGIN / m)) for share, m in tested]
    spread = sqrt(sum(of * p * (1 - p) for of, p in least))
    z = (sum(of * p for of, p in least) - seen - 0.5) / spread
    summary = f"{seen:,} of {n:,} pairs of dissenters agree; dice would in {dice:,.0f}"
    return Reading(
        ABOUT,
        Verdict.LOOK_CLOSER,
        quiet=f"{summary}. That is what shared confusions look like, or too close to them to tell.",
        loud=f"{summary}: they dissent like dice, not like people who share a confusion.",
        measured=f"{Share(seen, n)}, {seen / dice:.2f}× what even choice gives.",
        p=normal_above(z),
        tables=tables,
    )


def pairs_by_family(panel: Panel) -> list[tuple[str, Share, int]]:
    """Family, the share of its pairs of lone dissenters that agree, and its siblings; both dissents are within it."""
    differs, compared = dissents(panel)
    final = reference(panel)
    names, place = family_places(panel)
    # Among fewer votes two who agree would have been the majority, or half of it.
    pairs = np.flatnonzero((differs.sum(axis=1) == 2) & (compared.sum(axis=1) >= FEWEST_VOTES))
    if not len(pairs):
        return []
    both = panel.votes[pairs][differs[pairs]].reshape(-1, 2)
    families = place[final[pairs]]
    within = (place[both] == families[:, None]).all(axis=1)
    rows = []
    for number, name in enumerate(names):
        chosen = within & (families == number)
        if chosen.any():
            same = int((both[chosen, 0] == both[chosen, 1]).sum())
            rows.append((name, Share(same, int(chosen.sum())), int((place == number).sum()) - 1))
    return rows
