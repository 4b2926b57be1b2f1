"""Several groups of issues compared: their shares of each category, and which differ beyond chance. No database.

A difference is called where Newcombe's interval of it leaves out 0. The intervals are as wide as Bonferroni's
correction asks for over all pairs of groups and all categories, so that of a whole comparison without any true
difference at most one in twenty calls one.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist

from kb.charts.chart import Heading
from kb.charts.samples import in_order, is_drawn
from kb.charts.shares import Share
from kb.core.intervals import newcombe

LEVEL = 0.05


@dataclass(frozen=True)
class Difference:
    """Two sides that differ: the one with the higher share, and the other, by their places."""

    higher: int
    lower: int


@dataclass(frozen=True)
class Line:
    """A category with its share on each side, in the sides' order; the clearest difference, if there is one."""

    heading: Heading
    shares: tuple[Share, ...]
    difference: Difference | None

    @property
    def mean(self) -> float:
        """The mean of the shares."""
        return sum(share.value for share in self.shares) / len(self.shares)


@dataclass(frozen=True)
class Sides:
    """The sides that are compared, small samples last; `left_out` have too few issues for it."""

    sides: tuple[Heading, ...]
    left_out: tuple[Heading, ...]
    lines: tuple[Line, ...]
    tallies: "Tallies"

    @property
    def answered(self) -> int:
        """The number of issues on the sides."""
        return sum(side.issues or 0 for side in self.sides)

    @property
    def differing(self) -> tuple[Line, ...]:
        """The categories in which sides differ."""
        return tuple(line for line in self.lines if line.difference)


@dataclass(frozen=True)
class Tallies:
    """Issues by side and by side and category; `shared` issues are on several sides and counted on none."""

    sides: Counter[str]
    pairs: Counter[tuple[str, str]]
    shared: int
    all_issues: int


def tally_sides(groups: Iterable[tuple[Collection[str], Collection[str], int]], wanted: Sequence[str]) -> Tallies:
    """Fold (sides, categories, number of issues): those on exactly one of the wanted sides that have a category."""
    sides: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    shared = all_issues = 0
    for codes, categories, issues in groups:
        on = [code for code in wanted if code in codes]
        if not on:
            continue
        all_issues += issues
        if not categories:
            continue
        if len(on) > 1:
            shared += issues
            continue
        sides[on[0]] += issues
        for category in categories:
            pairs[on[0], category] += issues
    return Tallies(sides, pairs, shared, all_issues)


def compare(tallies: Tallies, wanted: Sequence[Heading], categories: Sequence[Heading]) -> Sides:
    """The wanted sides with enough issues, over the categories that occur on any of them.

    Categories in which sides differ are first, then those with the highest shares.
    """
    counted = [Heading(side.code, side.name, tallies.sides[side.code], side.url) for side in wanted]
    sides = tuple(in_order(counted, lambda side: side.issues or 0))
    occurring = {category for side, category in tallies.pairs if any(side == each.code for each in sides)}
    present = [heading for heading in categories if heading.code in occurring]
    pairs = list(combinations(range(len(sides)), 2))
    z = NormalDist().inv_cdf(1 - LEVEL / 2 / max(1, len(pairs) * len(present)))
    lines = []
    for heading in present:
        shares = tuple(Share(tallies.pairs[side.code, heading.code], side.issues or 0) for side in sides)
        lines.append(Line(heading, shares, _clearest(shares, pairs, z)))
    lines.sort(key=lambda line: (line.difference is None, -line.mean))
    left_out = tuple(side for side in counted if not is_drawn(side.issues or 0))
    return Sides(sides, left_out, tuple(lines), tallies)


def _clearest(shares: Sequence[Share], pairs: Sequence[tuple[int, int]], z: float) -> Difference | None:
    """The pair whose difference is farthest from 0, of those whose interval leaves it out."""
    margins = {}
    for first, second in pairs:
        one, other = shares[first], shares[second]
        interval = newcombe(one.issues, one.of, other.issues, other.of, z=z)
        if interval.low > 0:
            margins[Difference(first, second)] = interval.low
        elif interval.high < 0:
            margins[Difference(second, first)] = -interval.high
    return max(margins, key=margins.__getitem__, default=None)
