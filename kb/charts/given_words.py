"""What is known of a symptom's causes, as sentences that claim no more than the numbers."""

from collections.abc import Sequence

from kb.charts.figures import issues_text
from kb.charts.given import Cause
from kb.charts.lift import Lift
from kb.charts.median import Median
from kb.charts.samples import is_drawn, small_note

HOURS_OF_A_DAY = 24
# Below so many hours a time is written in hours.
FEW_HOURS = 2 * HOURS_OF_A_DAY


def first_look(causes: Sequence[Cause]) -> str:
    """The likeliest cause and the next, with their intervals; empty without any cause."""
    if not causes:
        return ""
    top = causes[0].share
    first = [cause for cause in causes if cause.share.issues == top.issues]
    basis = f"from {issues_text(top.of)} with a known cause"
    if not top.is_drawn:
        return f"Too few issues with a known cause to compare causes: {top.small}."
    basis += f": {top.small}" if top.is_small else ""
    if top.issues == 1:
        seen = f"each of {len(first)} was seen in one issue only" if len(first) > 1 else "the only one was seen once"
        return f"No cause stands out: {seen}, {basis}."
    if len(first) == 1:
        parts = [f"Most often {_with_share(first[0])}"]
    else:
        names = [cause.heading.name for cause in first]
        parts = [f"Equally often {', '.join(names[:-1])} and {names[-1]} ({top.percent}, {top.range} each)"]
    if len(causes) > len(first):
        parts.append(f"next {_with_share(causes[len(first)])}")
    return f"{'; '.join([*parts, basis])}."


def _with_share(cause: Cause) -> str:
    return f"{cause.heading.name} ({cause.share.percent}, {cause.share.range})"


def beside_usual(lift: Lift | None) -> str:
    """How the cause's share compares with its base rate."""
    if lift is None:
        return "how often it is seen anywhere could not be counted in full"
    if not lift.is_clear:
        return "the difference may be chance"
    return "more often than usual" if lift.ratio > 1 else "less often than usual"


def duration(hours: float) -> str:
    """Write hours as `5 hours`, `12 days`; days from two of them on."""
    if hours < 1:
        return "under an hour"
    if hours >= FEW_HOURS:
        return f"{round(hours / HOURS_OF_A_DAY)} days"
    whole = round(hours)
    return "1 hour" if whole == 1 else f"{whole} hours"


def median_time(hours: Median | None) -> str:
    """The median time to closing, its interval and its n."""
    if hours is None:
        return "unknown: none of these issues has both dates"
    if not is_drawn(hours.of):
        return f"too few closed issues for a median: {small_note(hours.of)}"
    basis = f"from {hours.of} closed issues"
    if hours.interval is None:
        return f"{duration(hours.value)}, {basis}: too few for an interval"
    low, high = duration(hours.interval.low), duration(hours.interval.high)
    return f"{duration(hours.value)} (95 % interval {low} to {high}), {basis}"
