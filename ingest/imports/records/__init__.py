"""Reading files record by record, never whole: CSV, JSON arrays and JSON lines, plain or gzip.

Pure: knows bytes and text, neither Django nor what a record means. A damaged record becomes a rejection
and reading goes on; a file that is damaged as a whole raises `FileUnreadableError`.
"""

from ingest.imports.records.files import Format, RecordFile, open_records
from ingest.imports.records.lines import Record

__all__ = ["Format", "Record", "RecordFile", "open_records"]
