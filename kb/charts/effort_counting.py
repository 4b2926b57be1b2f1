"""Counts how much effort issues took: one statement over the facts, then plain folding.

Postgres says all numbers of the issues with the same answers; which categories these imply is folded here, so that an
issue counts once in every category, however many of its answers lead there.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from kb.charts.counting import Implied, Row, asked_of
from kb.charts.intervals import Interval, wilson
from kb.charts.quantities import Quantity
from kb.charts.scope import Scope
from kb.charts.spread import Sample, sample


@dataclass(frozen=True)
class Spread:
    """The known numbers of some issues, and how many issues there are with the others."""

    sample: Sample
    issues: int

    @property
    def unknown(self) -> int:
        """Of so many issues the number is not known."""
        return self.issues - self.sample.n


@dataclass(frozen=True)
class Spreads:
    """Spreads by category, and of all issues together, each once; `all_issues` also of those in no category."""

    by_code: Mapping[str, Spread]
    together: Spread
    all_issues: int


@dataclass(frozen=True)
class Share:
    """So many `cases` of the issues with what must be `known`."""

    cases: int
    known: int

    @property
    def value(self) -> float:
        """The share. Raises `ZeroDivisionError` when nothing is known."""
        return self.cases / self.known

    @property
    def interval(self) -> Interval:
        """Wilson's interval at 95 %. Raises `ValueError` when nothing is known."""
        return wilson(self.cases, self.known)


@dataclass(frozen=True)
class Shares:
    """Shares by category, and of all issues together, each once; `all_issues` also of those in no category."""

    by_code: Mapping[str, Share]
    together: Share
    all_issues: int


def spreads(scope: Scope, quantity: Quantity) -> Spreads:
    """The quantity's spread in each of the scope's categories."""
    column = quantity.column
    known = f"array_agg({column}) FILTER (WHERE {column} IS NOT NULL)"
    return fold_spreads(asked_of(scope.evidence, scope.column, 1, f"count(*), {known}"), scope.implied)


def fold_spreads(rows: Iterable[Row], implied: Implied) -> Spreads:
    """Fold (what issues hold, how many there are, their known numbers or None). Pure."""
    counts: dict[str, Counter[int]] = {}
    issues: Counter[str] = Counter()
    together: Counter[int] = Counter()
    answered = all_issues = 0
    for held, number, values in rows:
        all_issues += number
        codes = implied(held)
        if not codes:
            continue
        answered += number
        together.update(values or ())
        for code in codes:
            issues[code] += number
            counts.setdefault(code, Counter()).update(values or ())
    by_code = {code: Spread(sample(counts[code]), issues[code]) for code in issues}
    return Spreads(by_code, Spread(sample(together), answered), all_issues)


def binned(scope: Scope, quantity: Quantity) -> tuple[Spread, Counter[int], int]:
    """The quantity's spread, how many issues have which number of the bins, and how many issues there are at all."""
    rows = asked_of(scope.evidence, f"{scope.column}, {quantity.column}", 2)
    return fold_binned(rows, scope.implied, quantity.each)


def fold_binned(rows: Iterable[Row], implied: Implied, each: int) -> tuple[Spread, Counter[int], int]:
    """Fold (what issues hold, their number, how many); so many of the number are one of the bins' numbers. Pure."""
    numbers: Counter[int] = Counter()
    in_bins: Counter[int] = Counter()
    answered = all_issues = 0
    for held, number, issues in rows:
        all_issues += issues
        if not implied(held):
            continue
        answered += issues
        if number is not None:
            numbers[number] += issues
            in_bins[number // each] += issues
    return Spread(sample(numbers), answered), in_bins, all_issues


def shares(scope: Scope, known: str, case: str) -> Shares:
    """In each of the scope's categories, the share of `case` among the issues that meet `known`: conditions on `f`."""
    more = f"count(*), count(*) FILTER (WHERE {known}), count(*) FILTER (WHERE ({known}) AND ({case}))"
    return fold_shares(asked_of(scope.evidence, scope.column, 1, more), scope.implied)


def fold_shares(rows: Iterable[Row], implied: Implied) -> Shares:
    """Fold (what issues hold, how many, of how many enough is known, how many are cases). Pure."""
    knowns: Counter[str] = Counter()
    cases: Counter[str] = Counter()
    all_known = all_cases = all_issues = 0
    for held, issues, known, here in rows:
        all_issues += issues
        codes: Collection[str] = implied(held)
        if not codes:
            continue
        all_known += known
        all_cases += here
        for code in codes:
            knowns[code] += known
            cases[code] += here
    by_code = {code: Share(cases[code], known) for code, known in knowns.items() if known}
    return Shares(by_code, Share(all_cases, all_known), all_issues)
