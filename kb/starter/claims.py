"""A record's claims and what they rest on: evidence, a fix, a version's own link, or nothing but inference."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from kb.starter.format import CLAIMS, NOT_STATED, Record

# Where a record makes each claim.
KEYS = {"cause": "labels", "resolution": "resolution", "workaround": "workaround", "versions": "affects"}


def unlinked(stated: Collection[str], supported: Collection[str], *, has_fix: bool) -> list[str]:
    """The stated claims without a line of evidence. A linked fix is the evidence of a resolution."""
    linked = set(supported)
    if has_fix:
        linked.add("resolution")
    return [claim for claim in CLAIMS if claim in stated and claim not in linked]


def unfounded(record: Record) -> Iterator[tuple[str, str]]:
    """Each claim that rests on nothing, and each that is called inferred and not made: its key, and a sentence."""
    for claim in _unlinked(record):
        if claim not in record.inferred:
            yield (
                KEYS[claim],
                f"{claim}: names no source; add evidence with supports: {claim}, or inferred: [{claim}]",
            )
    for claim in record.inferred:
        if claim not in stated_claims(record):
            yield "inferred", f"inferred names {claim}, and the record states none: remove it"


def counts(records: Iterable[Record]) -> dict[str, tuple[int, int]]:
    """For each kind of claim, how many have no link, and how many there are."""
    stated: Counter[str] = Counter()
    without: Counter[str] = Counter()
    for record in records:
        stated.update(stated_claims(record))
        without.update(_unlinked(record))
    return {claim: (without[claim], stated[claim]) for claim in CLAIMS}


def summary(records: Iterable[Record]) -> str:
    """The counts in a sentence."""
    parts = [
        f"{without} of {stated} {claim.removesuffix('s')}s" for claim, (without, stated) in counts(records).items()
    ]
    return f"Inferred, without a link: {', '.join(parts)}."


def stated_claims(record: Record) -> list[str]:
    """The claims that a record makes."""
    makes = {
        "cause": bool(record.labels.root_cause),
        "resolution": record.resolution != NOT_STATED,
        "workaround": record.workaround != NOT_STATED,
        "versions": bool(record.affects),
    }
    return [claim for claim in CLAIMS if makes[claim]]


def _unlinked(record: Record) -> list[str]:
    supported = {line.supports for line in record.evidence}
    # Each bound of a range names its own link; versions that reports name do not.
    if any(part.introduced or part.fixed or part.last_affected for part in record.affects):
        supported.add("versions")
    # The short form, which leaves the issue type to curators, has its cause from the thread that it is about.
    if not record.labels.issue_type:
        supported.add("cause")
    return unlinked(stated_claims(record), supported, has_fix=bool(record.fixes))
