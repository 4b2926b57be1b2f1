"""Two studies' categories as shares of one house category, and whether the shares agree.

Pure: categories, relations and counts in; shares, differences and verdicts out. A relation reads as in SKOS (Reference,
section 10): exact and close matches mean the house category; with a broad match the study's category is a part of
it; with a narrow match it holds more than it.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from kb.charts.intervals import Interval, newcombe, wilson

# Shares agree if their difference surely lies within ten points: less than studies' own categories are blurred by.
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
    """How a study's categories stand to a house category."""

    MEANT = "meant"
    PART = "part"
    BROADER = "broader"
    STRADDLES = "straddles"
    UNCOUNTED = "uncounted"
    NONE = "none"


@dataclass(frozen=True)
class Side:
    """A study's share of a house category: of `of` there are `cases`, in the categories `names`."""

    standing: Standing
    cases: int | None = None
    of: int | None = None
    names: tuple[str, ...] = ()
    is_computed: bool = False

    @property
    def share(self) -> float | None:
        """Between 0 and 1; None where it is not known."""
        return self.cases / self.of if self.cases is not None and self.of else None

    @property
    def interval(self) -> Interval | None:
        """95 %, Wilson."""
        return wilson(self.cases, self.of) if self.cases is not None and self.of else None


class Verdict(Enum):
    """What two shares say together."""

    AGREE = "agree"
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


def side(house: str, *, within: Collection[str], categories: Iterable[Category], of: int | None) -> Side:
    """What a study's `categories` of one axis say of the house category; `within`: what stands below it, itself too.

    A category below one that is counted is not counted again.
    """
    kept = {category.code: category for category in categories}
    direct = [category for category in kept.values() if house in category.relations]
    meant = [category for category in direct if category.relations[house] in SAME]
    if not meant:
        return _without(house, direct, [c for c in kept.values() if _parts(c, within)])
    if any(_straddles(category, within) for category in meant):
        return Side(Standing.STRADDLES, names=_names(meant))
    counted = _topmost([*meant, *(c for c in kept.values() if _parts(c, within) and c not in meant)], kept)
    if of is None or any(category.count is None for category in counted):
        return Side(Standing.UNCOUNTED, names=_names(counted))
    cases = sum(category.count or 0 for category in counted)
    if cases > of:
        return Side(Standing.UNCOUNTED, names=_names(counted))
    return Side(Standing.MEANT, cases, of, _names(counted), any(category.is_computed for category in counted))


def _without(house: str, direct: list[Category], parts: list[Category]) -> Side:
    broader = [category for category in direct if category.relations[house] == "narrow"]
    if parts:
        return Side(Standing.PART, names=_names(parts))
    return Side(Standing.BROADER, names=_names(broader)) if broader else Side(Standing.NONE)


def _parts(category: Category, within: Collection[str]) -> bool:
    """Does the category lie within the house category, or mean something below it?"""
    return any(to in within and relation in SAME | {"broad"} for to, relation in category.relations.items())


def _straddles(category: Category, within: Collection[str]) -> bool:
    """Does the category mean as well another house category that does not lie within this one?"""
    others = {to for to, relation in category.relations.items() if relation in SAME}
    return not others <= set(within)


def _topmost(found: list[Category], kept: Mapping[str, Category]) -> list[Category]:
    codes = {category.code for category in found}

    def is_below(category: Category) -> bool:
        parent = category.parent
        while parent is not None:
            if parent in codes:
                return True
            parent = kept[parent].parent if parent in kept else None
        return False

    return [category for category in found if not is_below(category)]


def _names(categories: Iterable[Category]) -> tuple[str, ...]:
    return tuple(category.name for category in categories)


def differ(first: Side, second: Side, *, hindrance: str = "") -> Difference:
    """Compare two shares; `hindrance`: why nothing of the two studies can be compared."""
    for here, which in ((first, "the first study"), (second, "the second study")):
        if here.standing is not Standing.MEANT:
            return Difference(Verdict.NOT_COMPARABLE, why=_why(here, which))
    if hindrance:
        return Difference(Verdict.NOT_COMPARABLE, why=hindrance)
    if first.cases is None or second.cases is None or not first.of or not second.of:
        raise ValueError("a share that is meant has its counts")
    interval = newcombe(first.cases, first.of, second.cases, second.of)
    share = first.cases / first.of - second.cases / second.of
    return Difference(_judge(interval), share, interval)


def _judge(interval: Interval) -> Verdict:
    if interval.low > 0 or interval.high < 0:
        return Verdict.DIFFER
    return Verdict.AGREE if interval.low >= -MARGIN and interval.high <= MARGIN else Verdict.UNCLEAR


def _why(here: Side, which: str) -> str:
    names = ", ".join(here.names)
    return {
        Standing.NONE: f"{which} has no category that is related to it",
        Standing.PART: f"{which} has only parts of it: {names}",
        Standing.BROADER: f"in {which} it is a part of something broader: {names}",
        Standing.STRADDLES: f"{which} counts it together with something else: {names}",
        Standing.UNCOUNTED: f"no count of it is known of {which}: {names}",
        Standing.MEANT: "",
    }[here.standing]


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
