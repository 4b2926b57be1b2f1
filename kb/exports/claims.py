"""What studies claim, beside our numbers, as records."""

from collections.abc import Iterable

from kb.charts.claims import Claim
from kb.core.intervals import bounds
from kb.exports.tables import Record

DIGITS = 4


def claim_records(claims: Iterable[Claim]) -> list[Record]:
    """A record for each claim; what is not known is None. Shares are between 0 and 1."""
    return [_record(claim) for claim in claims]


def _record(claim: Claim) -> Record:
    file, ours = claim.file, claim.ours
    low, high = bounds(ours.interval) if ours else (None, None)
    issues = "; ".join(f"{part.issues} at {part.query or 'every issue'}" for part in ours.parts) if ours else ""
    return {
        "study": claim.study.slug,
        "claim": claim.slug,
        "kind": file.kind,
        "says": file.says,
        "place": file.place,
        "trust": file.trust,
        "published": claim.published or None,
        "ours": ours.text if ours else None,
        "ours_value": _rounded(ours.value if ours else None),
        "ours_low": _rounded(low),
        "ours_high": _rounded(high),
        "ours_of": ours.of if ours else None,
        "issues": issues or None,
        "verdict": claim.verdict_name,
        "sentence": claim.judgement.sentence,
        "why": file.why,
        "served_by": "; ".join(f"{place.name} {place.path}" for place in file.served_by) or None,
    }


def _rounded(value: float | None) -> float | None:
    """None also for what is no number in a file: no upper bound."""
    return None if value is None or value == float("inf") else round(value, DIGITS)
