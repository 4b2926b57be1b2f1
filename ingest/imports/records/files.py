"""Opening a file of records: plain or gzip, with or without a byte-order mark, CSV or JSON."""

import codecs
import gzip
import hashlib
import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Literal, Protocol, cast

from ingest.imports.records.csv_records import CsvFile
from ingest.imports.records.json_records import JsonArrayFile, JsonLinesFile
from ingest.imports.records.lines import Record
from ingest.rejections import FileUnreadableError, Rejection

Format = Literal["csv", "json", "jsonl"]
GZIP = b"\x1f\x8b"
BUFFER = 1024 * 1024


class RecordFile(Protocol):
    """Records in the order of a file; `columns` is None where only the records themselves tell."""

    @property
    def columns(self) -> tuple[str, ...] | None: ...  # noqa: D102

    def __iter__(self) -> Iterator[Record | Rejection]: ...


class _Guarded:
    """Records whose reading speaks of a damaged file in plain words."""

    def __init__(self, file: RecordFile) -> None:
        self._file = file

    @property
    def columns(self) -> tuple[str, ...] | None:
        return self._file.columns

    def __iter__(self) -> Iterator[Record | Rejection]:
        records = iter(self._file)
        while True:
            with _plain_words():
                item = next(records, None)
            if item is None:
                return
            yield item


class Fingerprint(io.RawIOBase):
    """A raw file that computes the SHA-256 of what is read from it."""

    def __init__(self, raw: BinaryIO) -> None:
        super().__init__()
        self._raw = raw
        self._hash = hashlib.sha256()

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fill the buffer from the file."""
        data = self._raw.read(len(buffer))
        self._hash.update(data)
        buffer[: len(data)] = data
        return len(data)

    @property
    def sha256(self) -> str:
        """The digest of everything read so far, as hexadecimal digits."""
        return self._hash.hexdigest()


@contextmanager
def open_records(
    path: Path, *, format: Format | None = None, delimiter: str = ","
) -> Iterator[tuple[RecordFile, Fingerprint]]:
    """Open a file for reading record by record; the format is told from name and content when not given.

    Yields the records and the file's fingerprint, complete once all was read. Raises `FileUnreadableError`,
    also while records are read.
    """
    with _plain_words():
        raw = path.open("rb", buffering=0)
    with raw:
        fingerprint = Fingerprint(cast("BinaryIO", raw))
        with _plain_words():
            records = _records(_open_stream(fingerprint), path, format, delimiter)
        yield _Guarded(records), fingerprint


@contextmanager
def _plain_words() -> Iterator[None]:
    try:
        yield
    except EOFError as error:
        raise FileUnreadableError("the gzip file is cut off") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise FileUnreadableError(f"the gzip file is damaged: {error}") from error
    except OSError as error:
        raise FileUnreadableError(f"the file cannot be read: {error.strerror or error}") from error


def _open_stream(fingerprint: Fingerprint) -> io.BufferedReader:
    """The file's text as bytes: unpacked, and without a byte-order mark."""
    stream: io.BufferedReader = io.BufferedReader(cast("io.RawIOBase", fingerprint), BUFFER)
    if stream.peek(2)[:2] == GZIP:
        stream = io.BufferedReader(cast("io.RawIOBase", gzip.GzipFile(fileobj=stream)), BUFFER)
    head = stream.peek(4)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise FileUnreadableError("the file is UTF-16: save it as UTF-8 first")
    if head.startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
    return stream


def _records(stream: io.BufferedReader, path: Path, format: Format | None, delimiter: str) -> RecordFile:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    if format == "csv" or (format is None and suffix in {".csv", ".tsv"}):
        return CsvFile(stream, delimiter="\t" if suffix == ".tsv" and delimiter == "," else delimiter)
    head = stream.peek(BUFFER)[:BUFFER]
    if not head:
        raise FileUnreadableError("the file is empty")
    mark = head.lstrip()[:1]
    if mark == b"[":
        return JsonArrayFile(stream)
    if mark == b"{" or format == "jsonl" or suffix in {".jsonl", ".ndjson"}:
        return JsonLinesFile(stream)
    raise FileUnreadableError("neither CSV by its name nor JSON by its content: name the format in the mapping")


def in_chunks(records: Iterable[Record | Rejection], *, size: int) -> Iterator[list[Record | Rejection]]:
    """Yield the records in lists of at most `size`."""
    iterator = iter(records)
    while chunk := list(islice(iterator, size)):
        yield chunk
