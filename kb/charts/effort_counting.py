"""Counts how much effort issues took: one statement over the facts, then folding.

Postgres returns all numbers of the issues with the same answers; which categories these imply is folded here, so that
an issue counts once in every category, however many of its answers lead there. Reads the database.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kb.charts.chart import LABELLED, LABELLED_OR_NOT
from kb.charts.counting import Implied, Row, group_issues
from kb.charts.evidence import Evidence
from kb.charts.quantities import Quantity
from kb.charts.scope import Scope
from kb.charts.shares import Share
from kb.charts.spread import Sample, sample


@dataclass(frozen=True)
class Spread:
    """The known numbers of some issues; `issues` counts also those whose number is unknown."""

    sample: Sample
    issues: int

    @property
    def unknown(self) -> int:
        """How many issues have an unknown number."""
        return self.issues - self.sample.n


@dataclass(frozen=True)
class Spreads:
    """Spreads by category, and of all issues together, each once; `all_issues` also of those in no category."""

    by_code: Mapping[str, Spread]
    together: Spread
    all_issues: int


@dataclass(frozen=True)
class Shares:
    """Shares by category, and of all issues together, each once; `all_issues` also of those in no category."""

    by_code: Mapping[str, Share]
    together: Share
    all_issues: int


def labelled_note(evidence: Evidence, counted: Evidence, known: str, n: int) -> tuple[str, ...]:
    """How many of the `n` issues that meet `known` are labelled, where others are counted, too."""
    if not counted.with_unlabelled:
        return ()
    ((labelled,),) = group_issues(evidence, "", 0, f"count(*) FILTER (WHERE {known})")
    numbers = f"{labelled:,} of these {n:,} issues are labelled, {n - labelled:,} only mirrored"
    return (f"No label is needed here: {numbers}.",)


def population(counted: Evidence) -> str:
    """Of which issues those are that are counted."""
    return LABELLED_OR_NOT if counted.with_unlabelled else LABELLED


def spreads(scope: Scope, quantity: Quantity) -> Spreads:
    """The quantity's spread in each of the scope's categories."""
    column = quantity.column
    known = f"array_agg({column}) FILTER (WHERE {column} IS NOT NULL)"
    return fold_spreads(group_issues(scope.evidence, scope.column, 1, f"count(*), {known}"), scope.implied)


def fold_spreads(rows: Iterable[Row], implied: Implied) -> Spreads:
    """Fold (value of the scope's column, number of issues, their known numbers or None)."""
    counts: dict[str, Counter[int]] = {}
    issues: Counter[str] = Counter()
    together: Counter[int] = Counter()
    answered = all_issues = 0
    for value, number, known in rows:
        all_issues += number
        codes = implied(value)
        if not codes:
            continue
        answered += number
        together.update(known or ())
        for code in codes:
            issues[code] += number
            counts.setdefault(code, Counter()).update(known or ())
    by_code = {code: Spread(sample(counts[code]), issues[code]) for code in issues}
    return Spreads(by_code, Spread(sample(together), answered), all_issues)


def binned(scope: Scope, quantity: Quantity) -> tuple[Spread, Counter[int], int]:
    """The quantity's spread, the number of issues by the quantity in units of its filter, and that of all issues."""
    rows = group_issues(scope.evidence, f"{scope.column}, {quantity.column}", 2)
    return fold_binned(rows, scope.implied, quantity.each)


def fold_binned(rows: Iterable[Row], implied: Implied, each: int) -> tuple[Spread, Counter[int], int]:
    """Fold (value of the scope's column, the quantity, number of issues); `each`: the size of the filter's unit."""
    numbers: Counter[int] = Counter()
    in_bins: Counter[int] = Counter()
    answered = all_issues = 0
    for value, number, issues in rows:
        all_issues += issues
        if not implied(value):
            continue
        answered += issues
        if number is not None:
            numbers[number] += issues
            in_bins[number // each] += issues
    return Spread(sample(numbers), answered), in_bins, all_issues


def shares(scope: Scope, known: str, case: str) -> Shares:
    """In each of the scope's categories, the share of `case` among the issues that meet `known`: conditions on `f`."""
    aggregates = f"count(*), count(*) FILTER (WHERE {known}), count(*) FILTER (WHERE ({known}) AND ({case}))"
    return fold_shares(group_issues(scope.evidence, scope.column, 1, aggregates), scope.implied)


def fold_shares(rows: Iterable[Row], implied: Implied) -> Shares:
    """Fold (value of the scope's column, number of issues, of those that meet `known`, of cases)."""
    knowns: Counter[str] = Counter()
    cases: Counter[str] = Counter()
    all_known = all_cases = all_issues = 0
    for value, issues, known, matching in rows:
        all_issues += issues
        codes = implied(value)
        if not codes:
            continue
        all_known += known
        all_cases += matching
        for code in codes:
            knowns[code] += known
            cases[code] += matching
    by_code = {code: Share(cases[code], known) for code, known in knowns.items() if known}
    return Shares(by_code, Share(all_cases, all_known), all_issues)
