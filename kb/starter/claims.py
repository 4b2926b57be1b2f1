"""A record's claims without evidence: causes, resolutions and workarounds that no link supports. Pure."""

from collections import Counter
from collections.abc import Collection, Iterable

from kb.starter.format import NOT_STATED, Record

CLAIMS = ("cause", "resolution", "workaround")


def unlinked(stated: Collection[str], supported: Collection[str], *, has_fix: bool) -> list[str]:
    """The stated claims without a line of evidence. A linked fix is the evidence of a resolution."""
    linked = set(supported)
    if has_fix:
        linked.add("resolution")
    return [claim for claim in CLAIMS if claim in stated and claim not in linked]


def counts(records: Iterable[Record]) -> dict[str, tuple[int, int]]:
    """For each kind of claim, how many have no evidence, and how many there are."""
    stated: Counter[str] = Counter()
    without: Counter[str] = Counter()
    for record in records:
        claims = _stated(record)
        stated.update(claims)
        supported = {line.supports for line in record.evidence}
        without.update(unlinked(claims, supported, has_fix=bool(record.fixes)))
    return {claim: (without[claim], stated[claim]) for claim in CLAIMS}


def summary(records: Iterable[Record]) -> str:
    """The counts in a sentence."""
    parts = [f"{without} of {stated} {claim}s" for claim, (without, stated) in counts(records).items()]
    return f"Without a link: {', '.join(parts)}."


def _stated(record: Record) -> list[str]:
    stated = []
    if record.labels.root_cause:
        stated.append("cause")
    if record.resolution != NOT_STATED:
        stated.append("resolution")
    if record.workaround != NOT_STATED:
        stated.append("workaround")
    return stated
