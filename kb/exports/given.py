"""What is known of a symptom's causes as records and as a JSON document."""

from collections.abc import Iterable, Sequence

from kb.charts.cards import Given
from kb.charts.chart import Record
from kb.charts.evidence import Evidence
from kb.charts.given import Cause
from kb.charts.given_words import first_look
from kb.charts.shares import CategoryShare, Share
from kb.core.intervals import bounds
from kb.exports import Document


def cause_records(causes: Iterable[Cause], search_url: str = "") -> list[Record]:
    """A flat record for each cause, with full addresses; hours are from opening to closing, None is not known."""
    return [_cause_record(cause, search_url) for cause in causes]


def given_document(result: Given, evidence: Evidence, level: str, search_url: str) -> Document:
    """The causes with their fixes and stages, the symptoms, filters and sources."""
    causes = []
    for cause in result.causes:
        causes.append(
            {
                **_cause_record(cause, search_url),
                "fixes": _share_records(cause.fixes, search_url),
                "stages": _share_records(cause.stages, search_url),
            }
        )
    symptoms = []
    for group in result.symptoms.groups:
        symptoms.append([{"code": heading.code, "name": heading.name} for heading in group])
    return {
        "symptoms": symptoms,
        "level": level,
        "filters": {key: str(value) for key, value in evidence.params.items()},
        "counted": {"issues": result.counted.issues, "of": result.counted.all_issues},
        "cause_unknown": result.unknown,
        "cause_known_as_group_only": result.coarse,
        "sources": [{"name": name, "issues": issues} for name, issues in result.sources],
        "first_look": first_look(result.causes),
        "causes": causes,
    }


def _cause_record(cause: Cause, search_url: str) -> Record:
    hours, lift = cause.hours, cause.lift
    hours_low, hours_high = bounds(hours.interval if hours else None)
    lift_low, lift_high = bounds(lift.interval if lift else None)
    return {
        "cause": cause.heading.code,
        "cause_name": cause.heading.name,
        **_share_fields("", cause.share),
        "lift": lift.ratio if lift else None,
        "lift_low": lift_low,
        "lift_high": lift_high,
        "base_issues": cause.base.issues,
        "base_of": cause.base.of,
        "median_hours": hours.value if hours else None,
        "median_hours_low": hours_low,
        "median_hours_high": hours_high,
        "closed_issues": hours.of if hours else 0,
        **_share_fields("small_fix_", cause.small),
        "query": f"{search_url}?{cause.query}",
    }


def _share_records(shares: Sequence[CategoryShare], search_url: str) -> list[Record]:
    records: list[Record] = []
    for share in shares:
        numbers = _share_fields("", share.share)
        query = f"{search_url}?{share.query}"
        records.append({"code": share.heading.code, "name": share.heading.name, **numbers, "query": query})
    return records


def _share_fields(prefix: str, share: Share | None) -> Record:
    if share is None:
        names = (f"{prefix}share", f"{prefix}share_low", f"{prefix}share_high")
        return {f"{prefix}issues": 0, f"{prefix}of": 0, **dict.fromkeys(names)}
    return {f"{prefix}issues": share.issues, f"{prefix}of": share.of, **share.record(prefix)}
