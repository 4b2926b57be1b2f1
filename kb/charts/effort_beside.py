"""What study P1 published about effort, beside what is counted here. Reads the database."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kb.charts.counting import group_issues
from kb.charts.effort_shares import HARD, SMALL_FIXES
from kb.charts.figures import percent
from kb.charts.scope import Scope
from kb.charts.shares import Share

STUDY = "P1"
SMALL_FACT, STRATEGIES_FACT = "Fixes of at most 10 changed lines", "Low-effort strategies named"
NOT_FOUND = "not found in a source to rely on"
NOTHING_TO_COMPARE = "Nothing to compare with."


@dataclass(frozen=True)
class Ours:
    """The shares of small fixes and of hard issues, of the issues that the filters leave."""

    small: Share
    hard: Share


@dataclass(frozen=True)
class Beside:
    """A published statement with its trust (empty where none was found), our number, the difference, and our issues."""

    what: str
    published: str
    trust: str
    ours: str
    difference: str
    query: str = ""


def ours(scope: Scope) -> Ours:
    """Our shares in the scope, whatever the category."""
    aggregates = []
    for chart in (SMALL_FIXES, HARD):
        aggregates.append(f"count(*) FILTER (WHERE ({chart.known}))")
        aggregates.append(f"count(*) FILTER (WHERE ({chart.known}) AND ({chart.case}))")
    sums = [0, 0, 0, 0]
    for value, *counts in group_issues(scope.evidence, scope.column, 1, ", ".join(aggregates)):
        if scope.implied(value):
            sums = [total + count for total, count in zip(sums, counts, strict=True)]
    return Ours(small=Share(sums[1], sums[0]), hard=Share(sums[3], sums[2]))


def beside(
    counted: Ours, scope: Scope, facts: Iterable[Mapping[str, str]], commonest: Iterable[str]
) -> tuple[Beside, ...]:
    """P1's statements beside ours; `commonest` names the fix patterns that most of our small fixes have."""
    published = {fact["name"]: fact for fact in facts}
    rows = []
    small = published.get(SMALL_FACT)
    if small:
        compared = difference(counted.small, small["value"])
        query = scope.query(small_fix="true") if counted.small.issues else ""
        rows.append(Beside(SMALL_FACT, small["value"], small["trust"], _text(counted.small), compared, query))
    strategies = published.get(STRATEGIES_FACT)
    if strategies:
        names = "; ".join(commonest)
        note = "No count of each was found; ours are the patterns that most small fixes have." if names else ""
        rows.append(Beside(STRATEGIES_FACT, strategies["value"], strategies["trust"], names or "not known", note))
    query = scope.query(hard="true") if counted.hard.issues else ""
    rows.append(Beside("Hard issues", NOT_FOUND, "", _text(counted.hard), NOTHING_TO_COMPARE, query))
    return tuple(rows)


def _text(share: Share) -> str:
    if not share.of:
        return "not known of any issue here"
    parts = [f"{share.issues:,} of {share.of:,}, 95 % interval {share.range}", *share.small_details]
    return f"{share.percent} ({'; '.join(parts)})"


def difference(share: Share, published: str) -> str:
    """How a published share such as `48%` stands to our interval."""
    number = published.removesuffix("%").strip()
    if not share.of or not number.replace(".", "", 1).isdigit():
        return NOTHING_TO_COMPARE
    theirs = float(number) / 100
    if theirs > share.interval.high:
        return f"Ours is lower: {percent(theirs)} lies above our interval."
    if theirs < share.interval.low:
        return f"Ours is higher: {percent(theirs)} lies below our interval."
    return f"No difference that chance could not make: {percent(theirs)} lies within our interval."
