"""What records' own files say, as known faults; no database is read, and so no history."""

from collections.abc import Iterator
from pathlib import Path

from kb.core.addresses import parse_repository_address
from kb.core.frameworks import package_of
from kb.core.setups.known_faults import Bound, KnownFault, Row, combined
from kb.starter.format import read_record
from kb.starter.ranges import RecordAffects, RecordBound, ordered

RECORDS = Path(__file__).parents[5] / "kb" / "starter" / "records"


def faults_of_records(root: Path = RECORDS) -> Iterator[KnownFault]:
    """The faults that records place in versions, or state a condition of."""
    for path in sorted(root.glob("*/*.yaml")):
        record = read_record(path)
        rows = combined(map(_row, record.affects))
        if rows or record.affects_when:
            package = package_of(parse_repository_address(record.url).key[1])
            yield KnownFault(record.url, record.title, rows, record.affects_when or "", package=package)


def _row(entry: RecordAffects) -> Row:
    reported = tuple(sorted(map(ordered, entry.reported)))
    introduced = _bound(entry.introduced) or (Bound(reported[0], "reported") if reported else None)
    return Row(
        package=entry.package,
        is_of_record=True,
        introduced=introduced,
        fixed=_bound(entry.fixed),
        last_affected=_bound(entry.last_affected),
        reported=reported,
    )


def _bound(stated: RecordBound | None) -> Bound | None:
    return Bound(ordered(stated.version), stated.by, stated.evidence) if stated else None
