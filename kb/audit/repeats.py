"""Checks whether an issue that occurs more than once has the same answer each time."""

import numpy as np

from kb.audit.findings import About, Line, Reading, Share, Table, Verdict
from kb.audit.panels import NONE, Ints, Panel

ABOUT = About(
    key="repeats",
    title="Issues that occur more than once",
    question="Does an issue occur twice, and with the same final label and votes?",
    expected="Each issue occurs once. People who read a report twice mostly give the same answer.",
    proves="Another final label shows that the set contradicts itself, or gives an issue several answers on purpose.",
    proves_not="A repeated issue is not an error in a set that counts failures: one report may describe several.",
)


def check(panel: Panel) -> Reading:
    """Every later item about an issue is compared with the first one about it."""
    first, later = repeated(panel)
    measured = f"{len(later):,} of {panel.size:,} items are about an issue that the set has already."
    if not len(later):
        return Reading(ABOUT, Verdict.FINE, "No issue occurs twice.", measured=measured)
    known = (panel.finals[first] != NONE) & (panel.finals[later] != NONE)
    same = Share(int((panel.finals[first] == panel.finals[later])[known].sum()), int(known.sum()))
    lines = [Line("Final label", (same,))]
    for place, column in enumerate(panel.columns):
        a, b = panel.votes[first, place], panel.votes[later, place]
        voted = (a != NONE) & (b != NONE)
        lines.append(Line(column, (Share(int((a == b)[voted].sum()), int(voted.sum())),)))
    table = Table("The same answer both times", "Who", ("Same answer",), tuple(lines))
    times = "item is" if len(later) == 1 else "items are"
    if same.cases < same.of:
        sentence = f"{len(later):,} {times} repeated, and {same.of - same.cases:,} of them have another final label."
        return Reading(ABOUT, Verdict.LOOK_CLOSER, sentence, measured=measured, tables=(table,))
    sentence = f"{len(later):,} {times} repeated, always with the same final label."
    return Reading(ABOUT, Verdict.FINE, sentence, measured=measured, tables=(table,))


def repeated(panel: Panel) -> tuple[Ints, Ints]:
    """Places of the first items about issues that come again, and of the later ones, paired."""
    order = np.argsort(panel.issues, kind="stable")
    issues = panel.issues[order]
    starts = np.flatnonzero(np.concatenate(([True], issues[1:] != issues[:-1])))
    run = np.repeat(starts, np.diff(np.concatenate((starts, [len(issues)]))))
    again = np.flatnonzero(run != np.arange(len(issues)))
    return order[run[again]], order[again]
