"""Claims of a record that no link of its own supports. Pure: knows neither files nor database."""

from collections import Counter
from collections.abc import Collection, Iterable

from kb.starter.format import NOT_STATED, Record

CLAIMS = ("cause", "resolution", "workaround")


def unlinked(stated: Collection[str], supported: Collection[str], *, has_fix: bool) -> list[str]:
    """Of the stated claims, those without a line of evidence. A linked fix is the evidence of a resolution."""
    linked = {*supported, *(["resolution"] if has_fix else [])}
    return [claim for claim in CLAIMS if claim in stated and claim not in linked]


def unlinked_in(record: Record) -> list[str]:
    """The record's claims without a link."""
    supported = {line.supports for line in record.evidence}
    return unlinked(_stated(record), supported, has_fix=bool(record.fixes))


def counts(records: Iterable[Record]) -> dict[str, tuple[int, int]]:
    """Of each kind of claim: how many have no link, of how many."""
    stated: Counter[str] = Counter()
    without: Counter[str] = Counter()
    for record in records:
        stated.update(_stated(record))
        without.update(unlinked_in(record))
    return {claim: (without[claim], stated[claim]) for claim in CLAIMS}


def summary(records: Iterable[Record]) -> str:
    """The counts in a sentence."""
    found = (f"{without} of {stated} {claim}s" for claim, (without, stated) in counts(records).items())
    return f"Without a link: {', '.join(found)}."


def _stated(record: Record) -> list[str]:
    found = {
        "cause": bool(record.labels.root_cause),
        "resolution": record.resolution != NOT_STATED,
        "workaround": record.workaround != NOT_STATED,
    }
    return [claim for claim, is_stated in found.items() if is_stated]
