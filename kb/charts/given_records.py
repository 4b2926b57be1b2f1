"""What is known of a symptom's causes as records for programs. Pure."""

from collections.abc import Iterable, Sequence
from typing import Any

from kb.charts.given import Cause, Likely, Share


def records(causes: Iterable[Cause]) -> list[dict[str, Any]]:
    """A flat record for each cause; hours are from opening to closing, None is not known."""
    return [_record(one) for one in causes]


def _record(one: Cause) -> dict[str, Any]:
    hours, lift = one.hours, one.lift
    return {
        "cause": one.heading.code,
        "cause_name": one.heading.name,
        **_share("", one.share),
        "lift": lift.ratio if lift else None,
        "lift_low": lift.interval.low if lift else None,
        "lift_high": lift.interval.high if lift else None,
        "base_issues": one.base.issues,
        "base_of": one.base.of,
        "median_hours": hours.value if hours else None,
        "median_hours_low": hours.interval.low if hours and hours.interval else None,
        "median_hours_high": hours.interval.high if hours and hours.interval else None,
        "closed_issues": hours.of if hours else 0,
        **_share("small_fix_", one.small),
        "query": one.query,
    }


def _share(prefix: str, share: Share | None) -> dict[str, Any]:
    return {
        f"{prefix}issues": share.issues if share else 0,
        f"{prefix}of": share.of if share else 0,
        f"{prefix}share": share.value if share else None,
        f"{prefix}share_low": share.interval.low if share else None,
        f"{prefix}share_high": share.interval.high if share else None,
    }


def likely(several: Sequence[Likely]) -> list[dict[str, Any]]:
    """Fix patterns or stages of one cause."""
    return [
        {"code": one.heading.code, "name": one.heading.name, **_share("", one.share), "query": one.query}
        for one in several
    ]
