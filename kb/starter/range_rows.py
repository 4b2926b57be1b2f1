"""Writes what records say of versions as rows of ranges, and as the texts that pages list."""

from collections.abc import Iterator, Mapping

from kb.core.addresses import parse_repository_address
from kb.core.frameworks import package_of
from kb.models import AffectedRange, Issue
from kb.services.rows import Changes, FieldValues, replace_rows
from kb.starter.format import Record
from kb.starter.ranges import RecordAffects, RecordBound, ordered

RECORD, BOUNDS = AffectedRange.Origin.RECORD, ("introduced", "fixed", "last_affected")


def version_values(record: Record) -> FieldValues:
    """Field values of the issue: versions of reports, the first fixed version, the condition."""
    return {
        "affected_versions": list(_reported(record)),
        "fixed_version": next(_fixed(record), ""),
        "affects_when": record.affects_when or "",
        "range_unknown": record.range_unknown or "",
    }


def _reported(record: Record) -> Iterator[str]:
    for entry in record.affects:
        yield from (_named(record, entry, version) for version in entry.reported)


def _fixed(record: Record) -> Iterator[str]:
    for entry in record.affects:
        if entry.fixed:
            yield _named(record, entry, entry.fixed.version)


def _named(record: Record, entry: RecordAffects, version: str) -> str:
    """The version, with the package's name where it is not the one released from the record's repository."""
    own = package_of(parse_repository_address(record.url).key[1])
    return version if entry.package == own else f"{entry.package} {version}"


def save_ranges(records: Mapping[Issue, Record]) -> Changes:
    """Make the ranges that records state exactly these; those that histories gave stay."""
    wanted = {}
    for issue, record in records.items():
        for number, entry in enumerate(record.affects):
            wanted[issue.pk, number] = {"issue_id": issue.pk, **_values(entry)}
    existing = AffectedRange.objects.filter(origin=RECORD, issue__in=records).order_by("issue", "pk")
    numbers: dict[int, int] = {}
    keys: dict[int, tuple[int, int]] = {}
    for row in existing:
        number = numbers.get(row.issue_id, 0)
        keys[row.pk], numbers[row.issue_id] = (row.issue_id, number), number + 1
    return replace_rows(
        existing=existing,
        key=lambda row: keys[row.pk],
        wanted=wanted,
        create=lambda values: AffectedRange(**values),
    )


def _values(entry: RecordAffects) -> FieldValues:
    """A row's values. Where no beginning is stated, the oldest version of a report is one, and says so."""
    values: dict[str, str | list[str]] = {
        "origin": RECORD,
        "package": entry.package,
        "reported": list(entry.reported),
        "introduced_oldest": "",
    }
    for name in BOUNDS:
        bound: RecordBound | None = getattr(entry, name)
        values[name] = bound.version if bound else ""
        values[f"{name}_by"] = bound.by if bound else ""
        values[f"{name}_evidence"] = bound.evidence if bound else ""
    if entry.introduced is None and entry.reported:
        values["introduced"] = min(entry.reported, key=ordered)
        values["introduced_by"] = AffectedRange.Certainty.REPORTED
    return values


def as_affects(issue: Issue) -> list[dict[str, object]]:
    """The issue's prefetched ranges as its record states them, in the record's order."""
    rows = sorted(issue.affected_ranges.all(), key=lambda row: row.pk)
    return [_entry(row) for row in rows if row.origin == RECORD]


def _entry(row: AffectedRange) -> dict[str, object]:
    entry: dict[str, object] = {"package": row.package}
    for name in BOUNDS:
        version, certainty = getattr(row, name), getattr(row, f"{name}_by")
        if version and certainty != AffectedRange.Certainty.REPORTED:
            entry[name] = {"version": version, "by": certainty, "evidence": getattr(row, f"{name}_evidence")}
    if row.reported:
        entry["reported"] = row.reported
    return entry
