"""Says in words what is known of a symptom's causes: never more than the numbers do. Pure: counts in, sentences out."""

from collections.abc import Sequence

from kb.charts.figures import is_few
from kb.charts.given import Cause, Share
from kb.charts.lift import Lift
from kb.charts.median import Median

HOURS_OF_A_DAY = 24
# Below so many hours a time is told in hours.
FEW_HOURS = 2 * HOURS_OF_A_DAY


def first_look(causes: Sequence[Cause]) -> str:
    """What to look at first: the likeliest cause and the next, with how sure that is; nothing without any cause."""
    if not causes:
        return ""
    known = causes[0].share.of
    first = [one for one in causes if one.share.issues == causes[0].share.issues]
    others = causes[len(first) : len(first) + 1]
    weak = " So few say little." if is_few(known) else ""
    if causes[0].share.issues == 1:
        return f"No cause stands out: {_in_one_issue(len(first))}, {_from(known)}.{weak}"
    often = f"Most often {_named(first[0])}" if len(first) == 1 else _equally(first)
    following = f"; next {_named(others[0])}" if others else ""
    return f"{often}{following}; {_from(known)}.{weak}"


def _in_one_issue(causes: int) -> str:
    return "the only one was seen once" if causes == 1 else f"each of {causes} was seen in one issue only"


def _equally(first: Sequence[Cause]) -> str:
    names = [one.heading.name for one in first]
    return f"Equally often {', '.join(names[:-1])} and {names[-1]} ({_sure(first[0].share)} each)"


def _from(known: int) -> str:
    return f"from {known} issue{'' if known == 1 else 's'} with a known cause"


def _named(one: Cause) -> str:
    return f"{one.heading.name} ({_sure(one.share)})"


def _sure(share: Share) -> str:
    return f"{share.percent}, {share.range}"


def beside_usual(found: Lift | None) -> str:
    """How the cause's share compares with its base rate."""
    if found is None:
        return "how often it is seen anywhere could not be counted in full"
    if not found.is_clear:
        return "the difference may be chance"
    return "more often than usual" if found.ratio > 1 else "less often than usual"


def duration(hours: float) -> str:
    """Write hours as `5 hours`, `12 days`; days from two of them on."""
    if hours < 1:
        return "under an hour"
    whole = round(hours) if hours < FEW_HOURS else round(hours / HOURS_OF_A_DAY)
    unit = "hour" if hours < FEW_HOURS else "day"
    return f"{whole} {unit}{'' if whole == 1 else 's'}"


def median_time(found: Median | None) -> str:
    """The median time to closing, its interval and its n."""
    if found is None:
        return "not known: none of these issues has both dates"
    issues = f"{found.of} closed issue{'' if found.of == 1 else 's'}"
    if found.interval is None:
        return f"{duration(found.value)}, from {issues}: too few for an interval"
    low, high = duration(found.interval.low), duration(found.interval.high)
    return f"{duration(found.value)} (95 % interval {low} to {high}), from {issues}"
