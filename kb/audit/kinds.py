"""Checks for pull requests among the issues: they share their numbers on GitHub."""

from collections.abc import Mapping

import numpy as np

from kb.audit.findings import About, Line, Reading, Share, Table, Verdict, untold
from kb.audit.panels import NONE, Panel
from kb.audit.votes import FEWEST, Flags, groups_of

BLOCK = 500
DENSE = 0.8
FEWEST_BLOCKS = 2
ABOUT = About(
    key="pull-requests",
    title="Pull requests among the items",
    question="How many items of known kind are pull requests, and how densely do all fill the numbers?",
    expected=(
        "A set of issues holds no pull request. Issues and pull requests of a repository share one sequence of "
        f"numbers, so issues alone seldom fill more than {100 * DENSE:.0f} % of it."
    ),
    proves="A pull request under an issue's address is not an issue: counts of issues that hold it are too high.",
    proves_not=(
        "A dense sequence is a strong hint and no count: a repository that works without pull requests is dense too. "
        "What is of unknown kind is in no share."
    ),
)


def check(panel: Panel) -> Reading:
    """Share of known pull requests with Wilson's interval, and the median share of filled numbers, of 500 in a row."""
    known = int((panel.kinds != 0).sum())
    pulls = Share(int((panel.kinds == 2).sum()), known)
    unknown = panel.size - known
    densities = {name: _density(panel, items) for name, items in groups_of(panel)}
    tables = _tables(panel, densities)
    measured = f"Pull requests of known kind: {pulls}; {unknown:,} of {panel.size:,} items are of unknown kind."
    full = [f"{name} ({100 * share:.0f} %)" for name, share in densities.items() if share is not None and share > DENSE]
    if known and pulls.cases == known and not unknown:
        sentence = "Every item is a pull request: count them as fixes, not as reports."
        return Reading(ABOUT, Verdict.FINE, sentence, measured=measured, tables=tables)
    if pulls.cases or full:
        parts = []
        if pulls.cases:
            parts.append(f"{pulls.cases:,} of {known:,} items of known kind are pull requests")
        if full:
            parts.append(f"the items fill nearly the whole sequence of numbers in {', '.join(full)}")
        sentence = "; ".join(parts)
        return Reading(
            ABOUT, Verdict.LOOK_CLOSER, f"{sentence[0].upper()}{sentence[1:]}.", measured=measured, tables=tables
        )
    if known < FEWEST:
        return untold(ABOUT, f"The kind of only {known:,} of {panel.size:,} items is known.", measured, tables)
    return Reading(ABOUT, Verdict.FINE, "No item is known to be a pull request.", measured=measured, tables=tables)


def _density(panel: Panel, items: Flags) -> float | None:
    """The median share of filled numbers over whole blocks of 500 between the first and the last; None of too few."""
    shares: list[float] = []
    for repository in np.unique(panel.repositories[items]).tolist():
        numbers = np.unique(panel.numbers[items & (panel.repositories == repository) & (panel.numbers != NONE)])
        if len(numbers):
            blocks = np.bincount(numbers // BLOCK)
            shares += (blocks[numbers[0] // BLOCK + 1 : -1] / BLOCK).tolist()
    return float(np.median(shares)) if len(shares) >= FEWEST_BLOCKS else None


def _tables(panel: Panel, densities: Mapping[str, float | None]) -> tuple[Table, ...]:
    lines = []
    for name, items in groups_of(panel):
        known = int((panel.kinds[items] != 0).sum())
        pulls = Share(int((panel.kinds[items] == 2).sum()), known)
        density = densities[name]
        filled = "too few numbers" if density is None else f"{100 * density:.0f} %"
        lines.append(Line(name, (int(items.sum()), pulls, int(items.sum()) - known, filled)))
    columns = ("Items", "Pull requests of known kind", "Unknown kind", f"Filled of {BLOCK} numbers in a row (median)")
    return (Table("Kinds in each group", "Group", columns, tuple(lines)),) if lines else ()
