"""Checks how often each column differs from the final label: in all, column by column, and in each group."""

from itertools import combinations, pairwise

from kb.audit.findings import About, Line, Reading, Share, Table, Verdict, chance, untold
from kb.audit.panels import Panel
from kb.audit.votes import FEWEST, NO_VOTES, TOO_FEW_VOTES, Flags, dissents, groups_of, whole_items
from kb.core.chances import chi_square_above, inversions_at_most

FEWEST_COLUMNS = 5
ABOUT = About(
    key="dissent-by-column",
    title="Dissent of each annotator column",
    question="How often does each column differ from the final label, and does that follow the columns' order?",
    expected=(
        "People differ in how often they dissent, but the order in which their columns stand in a file says nothing "
        "about it: any order of the rates is as likely as any other."
    ),
    proves=(
        "A small chance shows that the columns do not stand in an order that is independent of how often they dissent."
    ),
    proves_not=(
        "It does not show that votes were made up. Columns may have been sorted by experience, or a later annotator "
        "may have joined in harder times."
    ),
)


def check(panel: Panel) -> Reading:
    """Exact chance (Kendall 1938) that rates of columns in any order rise or fall at least this steadily.

    Cochran's Q (Cochran 1950) is reported, not judged: that people differ from one another is no fault.
    """
    if not panel.columns:
        return untold(ABOUT, NO_VOTES)
    differs, compared = dissents(panel)
    cases, of = differs.sum(axis=0), compared.sum(axis=0)
    if not of.min() >= FEWEST:
        return untold(ABOUT, TOO_FEW_VOTES)
    rates = [int(x) / int(n) for x, n in zip(cases, of, strict=True)]
    lines = (Line(name, (Share(int(x), int(n)),)) for name, x, n in zip(panel.columns, cases, of, strict=True))
    tables: tuple[Table, ...] = (Table("Dissent by column", "Column", ("Differs from the final label",), tuple(lines)),)
    tables += _by_group(panel, differs, compared)
    low, high = min(rates), max(rates)
    q = cochran(differs[whole_items(panel)])
    measured = f"From {100 * low:.1f} to {100 * high:.1f} % of a column's votes, n = {int(of.max()):,} items."
    measured += f" Cochran's Q over items with all votes: {chance(q)}, if all columns dissented alike."
    spread = f"Columns dissent in {100 * low:.1f} to {100 * high:.1f} % of their votes"
    if len(rates) < FEWEST_COLUMNS:
        why = f"{spread}. Whether that follows their order cannot be told of {len(rates)} columns."
        return untold(ABOUT, why, measured, tables)
    word = "rises" if sum(b > a for a, b in pairwise(rates)) * 2 >= len(rates) - 1 else "falls"
    return Reading(
        ABOUT,
        Verdict.LOOK_CLOSER,
        quiet=f"{spread}, in no particular order.",
        loud=f"{spread}, and it {word} from the first column to the last.",
        measured=measured,
        p=trend(rates),
        tables=tables,
    )


def trend(rates: list[float]) -> float:
    """Two-sided exact chance of a random order being at least as steady; ties count against steadiness."""
    pairs = list(combinations(rates, 2))
    steady = max(sum(b > a for a, b in pairs), sum(b < a for a, b in pairs))
    return min(1.0, 2 * inversions_at_most(len(pairs) - steady, len(rates)))


def cochran(differs: Flags) -> float:
    """P-value of Cochran's Q: do columns dissent alike on the same items?"""
    k = differs.shape[1]
    columns, rows = differs.sum(axis=0).astype(float), differs.sum(axis=1).astype(float)
    below = k * rows.sum() - (rows**2).sum()
    if k < 2 or below <= 0:
        return 1.0
    return chi_square_above(float((k - 1) * (k * (columns**2).sum() - columns.sum() ** 2) / below), k - 1)


def _by_group(panel: Panel, differs: Flags, compared: Flags) -> tuple[Table, ...]:
    groups = groups_of(panel)
    if len(groups) < 2:
        return ()
    whole = whole_items(panel)
    lines = []
    for name, items in groups:
        cases, of = differs[items].sum(axis=0), compared[items].sum(axis=0)
        shares = tuple(Share(int(x), int(n)) for x, n in zip(cases, of, strict=True))
        lines.append(Line(name, (int(items.sum()), *shares, shape(shares, cochran(differs[items & whole])))))
    return (Table("Dissent by column in each group", "Group", ("Items", *panel.columns, "Shape"), tuple(lines)),)


def shape(shares: tuple[Share, ...], unlike: float) -> str:
    """A group's rates in words; `unlike` is the p-value of Cochran's Q."""
    rates = [share.value for share in shares if share.value is not None]
    if len(rates) < 2 or max(share.of for share in shares) < FEWEST:
        return "too few"
    if unlike >= 0.05:
        return "flat"
    if all(b > a for a, b in pairwise(rates)):
        return "rises at every step" + (", the first never dissents" if rates[0] == 0 else "")
    if all(b < a for a, b in pairwise(rates)):
        return "falls at every step"
    return "differs"
