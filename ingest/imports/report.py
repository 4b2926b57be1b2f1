"""The report file of an import: every rejection as CSV, or as JSON together with each file's counts.

Pure: knows files, not Django.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from ingest.imports.outcomes import FileOutcome
from ingest.rejections import Rejection
from kb.exports.tables import csv_lines

FIELDS = ("file", "line", "reason", "effect", "message", "value")


class Report:
    """Takes rejections as they come, and the counts at the end. This one forgets everything."""

    def write(self, *, file: str, rejection: Rejection) -> None:
        """Take a rejection."""

    def finish(self, *, files: Sequence[FileOutcome]) -> None:
        """Take the counts; a table has no room for them."""


class CsvReport(Report):
    """One line per rejection."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._stream.writelines(csv_lines([FIELDS]))

    def write(self, *, file: str, rejection: Rejection) -> None:
        """Append a rejection."""
        self._stream.writelines(csv_lines([_values(file, rejection)]))


class JsonReport(Report):
    """An object with `rejections` and `files`, written as it grows."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._stream.write('{"rejections": [')
        self._separator = "\n"

    def write(self, *, file: str, rejection: Rejection) -> None:
        """Append a rejection."""
        entry = dict(zip(FIELDS, _values(file, rejection), strict=True))
        self._stream.write(self._separator + json.dumps(entry, ensure_ascii=False))
        self._separator = ",\n"

    def finish(self, *, files: Sequence[FileOutcome]) -> None:
        """Write the counts and close the object."""
        counts = json.dumps([file.as_dict() for file in files], ensure_ascii=False)
        self._stream.write(f'\n], "files": {counts}}}\n')


@contextmanager
def open_report(path: Path | None) -> Iterator[Report]:
    """Open the report at `path`, which must end in .csv or .json; no report when None.

    Raises `ValueError` for another ending and `OSError` when the file cannot be written.
    """
    if path is None:
        yield Report()
        return
    if path.suffix.lower() not in {".csv", ".json"}:
        raise ValueError(f"the report '{path.name}' must end in .csv or .json")
    with path.open("w", encoding="utf-8", newline="") as stream:
        yield CsvReport(stream) if path.suffix.lower() == ".csv" else JsonReport(stream)


def _values(file: str, rejection: Rejection) -> tuple[object, ...]:
    reason, effect = rejection.reason.value, rejection.effect.value
    return file, rejection.line, reason, effect, rejection.message, rejection.value
