"""The files of a dump that are no tables: OSV documents, records for another server, and the list of changes."""

import datetime as dt
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from kb.exports.osv import Exporter, osv_id
from kb.models import FaultChange, Issue
from kb.selectors.faults import issues_with_ranges
from kb.selectors.issues import with_details
from kb.starter.export import as_record
from kb.starter.format import record_path

CHUNK = 500
EPOCH = (1980, 1, 1, 0, 0, 0)
READ_AND_WRITE = 0o644 << 16


def write_osv(path: Path, site: str) -> None:
    """Each described fault with a bound beyond reports as an OSV document. `site`: our address, where known."""
    exporter = Exporter(lambda page: site + page)
    issues = issues_with_ranges().filter(is_curated=True).order_by("public_id")
    documents = ((issue, exporter.document(issue)) for issue in issues.iterator(chunk_size=CHUNK))
    _write(path, ((f"{osv_id(issue)}.json", document) for issue, document in documents if document))


def write_records(path: Path) -> None:
    """Each record as a file in the records' format, as JSON, which is YAML, too: another server loads them."""
    issues = with_details(Issue.objects.curated().true_issues().filter(read_on__isnull=False)).order_by("public_id")
    issues = issues.prefetch_related("affected_ranges", "other_reports__repository")
    rows = ((record_path(Path(), issue.url).as_posix(), as_record(issue)) for issue in issues.iterator(CHUNK))
    _write(path, rows)


def write_changes(path: Path) -> None:
    """Ids that faults have now, and when each was changed, the newest first."""
    changes = FaultChange.objects.filter(is_withdrawn=False).order_by("-number")
    with path.open("w", encoding="utf-8") as file:
        file.write("public_id,modified\n")
        file.writelines(_lines(changes.iterator(chunk_size=CHUNK)))


def _lines(changes: Iterable[FaultChange]) -> Iterator[str]:
    for change in changes:
        yield f"{change.public_id},{change.changed_at.astimezone(dt.UTC):%Y-%m-%dT%H:%M:%SZ}\n"


def _write(path: Path, documents: Iterable[tuple[str, Any]]) -> None:
    """A zip of JSON files, the same bytes for the same documents."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, document in documents:
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, READ_AND_WRITE, 3
            archive.writestr(entry, orjson.dumps(document, option=orjson.OPT_INDENT_2))
