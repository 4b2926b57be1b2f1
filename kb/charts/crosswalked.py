"""Two studies' categories as shares of one house category, and what the interval of their difference allows.

A relation reads as in SKOS (Reference, section 10): exact and close matches mean the house category; with a broad match
the study's category is a part of it; with a narrow match it holds more than it.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from kb.core.intervals import Interval, newcombe, wilson

# Less than studies' own categories are blurred by.
MARGIN = 0.10
# Of the smaller sample. Above it two samples are not independent, and the interval of a difference would be wrong.
MOST_SHARED = 0.05
SAME = frozenset({"exact", "close"})


@dataclass(frozen=True)
class Category:
    """A study's category: what it counted and its relations, house category → relation."""

    code: str
    name: str
    parent: str | None
    count: int | None
    relations: Mapping[str, str]
    is_computed: bool = False


class Standing(Enum):
    """How a study's categories are related to a house category."""

    MEANT = "meant"
    PART = "part"
    BROADER = "broader"
    STRADDLES = "straddles"
    UNCOUNTED = "uncounted"
    NONE = "none"


@dataclass(frozen=True)
class Side:
    """A study's share of a house category: `cases` of `of`, in the categories `names`."""

    standing: Standing
    cases: int | None = None
    of: int | None = None
    names: tuple[str, ...] = ()
    is_computed: bool = False

    @property
    def share(self) -> float | None:
        """Between 0 and 1; None where it is not known."""
        if self.cases is None or not self.of:
            return None
        return self.cases / self.of

    @property
    def interval(self) -> Interval | None:
        """Wilson's interval at 95 %; None where the share is not known."""
        if self.cases is None or not self.of:
            return None
        return wilson(self.cases, self.of)


class Verdict(Enum):
    """What two shares say together."""

    WITHIN = "within 10 points"
    DIFFER = "differ"
    UNCLEAR = "too few to tell"
    NOT_COMPARABLE = "cannot be compared"


@dataclass(frozen=True)
class Difference:
    """The first study's share less the second's, in -1..1, with its 95 % interval; or why there is none."""

    verdict: Verdict
    share: float | None = None
    interval: Interval | None = None
    why: str = ""

    @property
    def allows(self) -> str:
        """What the interval allows, in one sentence; empty without one."""
        if self.interval is None:
            return ""
        low, high = self.interval.low * 100, self.interval.high * 100
        if self.verdict is Verdict.DIFFER:
            higher = "first" if low > 0 else "second"
            least, most = sorted((abs(low), abs(high)))
            return f"The {higher} is higher by {least:.1f} to {most:.1f} points."
        return f"The first may be up to {-low:.1f} points lower or {high:.1f} higher: they need not be equal."


def side(house: str, *, within: Collection[str], categories: Iterable[Category], of: int | None) -> Side:
    """The share of a house category by a study's `categories` of one axis; `within`: its code and those below it.

    A category below one that is counted is not counted again.
    """
    by_code = {category.code: category for category in categories}
    meant, parts, broader = [], [], []
    for category in by_code.values():
        if category.relations.get(house) in SAME:
            meant.append(category)
        elif _is_part(category, within):
            parts.append(category)
        elif category.relations.get(house) == "narrow":
            broader.append(category)
    if not meant and parts:
        return Side(Standing.PART, names=_names(parts))
    if not meant and broader:
        return Side(Standing.BROADER, names=_names(broader))
    if not meant:
        return Side(Standing.NONE)
    if any(_straddles(category, within) for category in meant):
        return Side(Standing.STRADDLES, names=_names(meant))
    counted = _topmost([*meant, *parts], by_code)
    cases = sum(category.count or 0 for category in counted)
    if of is None or cases > of or any(category.count is None for category in counted):
        return Side(Standing.UNCOUNTED, names=_names(counted))
    return Side(Standing.MEANT, cases, of, _names(counted), any(category.is_computed for category in counted))


def _is_part(category: Category, within: Collection[str]) -> bool:
    """Whether the category lies within the house category, or means something below it."""
    return any(to in within and relation in SAME | {"broad"} for to, relation in category.relations.items())


def _straddles(category: Category, within: Collection[str]) -> bool:
    """Whether the category also means another house category, one that does not lie within this one."""
    return any(to not in within for to, relation in category.relations.items() if relation in SAME)


def _topmost(categories: list[Category], by_code: Mapping[str, Category]) -> list[Category]:
    """Those that stand below none of the others."""
    codes = {category.code for category in categories}
    topmost = []
    for category in categories:
        parent = category.parent
        while parent is not None and parent not in codes:
            parent = by_code[parent].parent if parent in by_code else None
        if parent is None:
            topmost.append(category)
    return topmost


def _names(categories: Iterable[Category]) -> tuple[str, ...]:
    return tuple(category.name for category in categories)


def differ(first: Side, second: Side, *, hindrance: str = "") -> Difference:
    """Compare two shares; `hindrance`: why nothing of the two studies can be compared."""
    for study_side, study in ((first, "the first study"), (second, "the second study")):
        if study_side.standing is not Standing.MEANT:
            return Difference(Verdict.NOT_COMPARABLE, why=_why(study_side, study))
    if hindrance:
        return Difference(Verdict.NOT_COMPARABLE, why=hindrance)
    if first.cases is None or second.cases is None or not first.of or not second.of:
        raise ValueError("a share that is meant has its counts")
    interval = newcombe(first.cases, first.of, second.cases, second.of)
    share = first.cases / first.of - second.cases / second.of
    if interval.low > 0 or interval.high < 0:
        verdict = Verdict.DIFFER
    elif interval.low >= -MARGIN and interval.high <= MARGIN:
        verdict = Verdict.WITHIN
    else:
        verdict = Verdict.UNCLEAR
    return Difference(verdict, share, interval)


def _why(study_side: Side, study: str) -> str:
    """Why a side without a share has none."""
    names = ", ".join(study_side.names)
    return {
        Standing.NONE: f"{study} has no category that is related to it",
        Standing.PART: f"{study} has only parts of it: {names}",
        Standing.BROADER: f"in {study} it is a part of something broader: {names}",
        Standing.STRADDLES: f"{study} counts it together with something else: {names}",
        Standing.UNCOUNTED: f"no count of it is known of {study}: {names}",
    }[study_side.standing]


def hindrance(*, units: tuple[str, str], parts: tuple[str, str], sizes: tuple[int, int], shared: int | None) -> str:
    """Why no share of two studies can be compared; empty when they can. `shared`: issues in both, None if unknown."""
    if units[0] != units[1]:
        return f"different units: one counts {units[0]}, the other {units[1]}"
    if parts[0] != parts[1]:
        whole = "the whole sample"
        return f"different denominators: one is of {parts[0] or whole}, the other of {parts[1] or whole}"
    if shared and shared > MOST_SHARED * min(sizes):
        return f"the samples overlap: {shared:,} issues are in both, so that they are not independent"
    return ""
