"""What study P1 published about effort, beside what is counted here, with the difference in words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kb.charts.counting import Row, asked_of
from kb.charts.effort_counting import Share
from kb.charts.effort_shares import HARD, SMALL_FIXES
from kb.charts.figures import few_note, percent, percent_range
from kb.charts.scope import Scope

STUDY = "P1"
SMALL_FACT, STRATEGIES_FACT = "Fixes of at most 10 changed lines", "Low-effort strategies named"
NOT_FOUND = "not found in a source to rely on"


@dataclass(frozen=True)
class Ours:
    """Of the issues that the filters leave, the shares with a small fix and of hard ones."""

    small: Share
    hard: Share


@dataclass(frozen=True)
class Beside:
    """A published statement (`trust` is empty where none was found), ours, the difference in words, and our issues."""

    what: str
    published: str
    trust: str
    ours: str
    difference: str
    query: str = ""


def ours(scope: Scope) -> Ours:
    """Our shares in the scope, whatever the category."""
    more = ", ".join(
        f"count(*) FILTER (WHERE ({chart.known}){case})"
        for chart in (SMALL_FIXES, HARD)
        for case in ("", f" AND ({chart.case})")
    )
    return fold(asked_of(scope.evidence, scope.column, 1, more), scope)


def fold(rows: Iterable[Row], scope: Scope) -> Ours:
    """Add up the rows of issues that are counted. Pure."""
    counted = [row[1:] for row in rows if scope.implied(row[0])]
    small_known, small, hard_known, hard = (sum(row[place] for row in counted) for place in range(4))
    return Ours(Share(small, small_known), Share(hard, hard_known))


def beside(
    counted: Ours, scope: Scope, facts: Iterable[Mapping[str, str]], commonest: Iterable[str]
) -> tuple[Beside, ...]:
    """P1's statements beside ours; `commonest` names the fix patterns that most of our small fixes have."""
    published = {fact["name"]: fact for fact in facts}
    rows = []
    if small := published.get(SMALL_FACT):
        rows.append(
            Beside(
                SMALL_FACT,
                small["value"],
                small["trust"],
                written(counted.small),
                difference(counted.small, small["value"]),
                scope.query(small_fix="true") if counted.small.cases else "",
            )
        )
    if strategies := published.get(STRATEGIES_FACT):
        named = "; ".join(commonest)
        rows.append(
            Beside(
                STRATEGIES_FACT,
                strategies["value"],
                strategies["trust"],
                named or "not known",
                "No count of each was found; ours are the patterns that most small fixes have." if named else "",
            )
        )
    hard_query = scope.query(hard="true") if counted.hard.cases else ""
    rows.append(Beside("Hard issues", NOT_FOUND, "", written(counted.hard), "Nothing to compare with.", hard_query))
    return tuple(rows)


def written(share: Share) -> str:
    """A share with its counts and interval, or that nothing is known."""
    if not share.known:
        return "not known of any issue here"
    few = few_note(share.known)
    return (
        f"{percent(share.value)} ({share.cases:,} of {share.known:,}, 95 % interval "
        f"{percent_range(share.interval)}{f'; {few}' if few else ''})"
    )


def difference(share: Share, published: str) -> str:
    """How a published share such as `48%` stands to our interval."""
    number = published.removesuffix("%").strip()
    if not share.known or not number.replace(".", "", 1).isdigit():
        return "Nothing to compare with."
    theirs = float(number) / 100
    if theirs > share.interval.high:
        return f"Ours is lower: {percent(theirs)} lies above our interval."
    if theirs < share.interval.low:
        return f"Ours is higher: {percent(theirs)} lies below our interval."
    return f"No difference that chance could not make: {percent(theirs)} lies within our interval."
