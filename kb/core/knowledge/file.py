"""Reads and writes data files: one JSON object, compressed with zstd, with each member on a line of its own.

So a file is unpacked no further than the member that is asked for, and written row by row; large members come last.
Nothing here knows what members mean.
"""

import hashlib
import io
import os
import sys
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LEVEL = 12
# A file that is larger, packed or unpacked, is none of ours.
MOST_PACKED, MOST_UNPACKED = 10 * 2**20, 100 * 2**20
ROW, LINE_END = b",", b",\n"


class BadDataError(Exception):
    """The file cannot be used; the text says why and what to do."""


class Members:
    """The members of one file, each unpacked and parsed when it is asked for. `digest` stands for the whole file."""

    def __init__(self, packed: bytes) -> None:
        self.digest = hashlib.sha256(packed).hexdigest()
        self._lines = zstd.ZstdFile(io.BytesIO(packed))
        self._texts: dict[str, bytes] = {}
        self._unpacked = 0
        self._lock = threading.Lock()

    def __getitem__(self, name: str) -> Any:
        """The member's content. Raises `BadDataError`."""
        try:
            with self._lock:
                while name not in self._texts:
                    self._unpack_next()
            return orjson.loads(self._texts[name])
        except (zstd.ZstdError, EOFError, orjson.JSONDecodeError) as error:
            raise BadDataError(f"The data file is damaged or lacks “{name}”. Fetch it again.") from error

    def _unpack_next(self) -> None:
        """Keep the next line; the first and the last one hold the braces alone."""
        line = self._lines.readline(MOST_UNPACKED - self._unpacked)
        self._unpacked += len(line)
        if not line.endswith(b"\n"):
            raise EOFError
        name, _, content = line.partition(b":")
        self._texts[name.decode(errors="replace").strip('"')] = content.rstrip(b",\n")


def read(path: Path) -> Members:
    """The members of the file. Raises `BadDataError`."""
    try:
        if path.stat().st_size > MOST_PACKED:
            raise BadDataError(f"{path} has more than {MOST_PACKED // 2**20} MiB, so it is no data file of Faultbook.")
        return Members(path.read_bytes())
    except OSError as error:
        raise BadDataError(f"{path} cannot be read ({error.strerror}).") from error


def write(path: Path, members: Mapping[str, Any]) -> None:
    """Write the members in their order, each a value or an iterable of rows, and put the file in place in one step."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with zstd.open(draft, "wb", level=LEVEL) as file:
            file.write(b"{\n")
            for place, (name, content) in enumerate(members.items()):
                file.write((LINE_END if place else b"") + orjson.dumps(name) + b":")
                if isinstance(content, Iterable) and not isinstance(content, Mapping):
                    _write_rows(file, content)
                else:
                    file.write(orjson.dumps(content))
            file.write(b"\n}\n")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _write_rows(file: io.BufferedIOBase, rows: Iterable[Any]) -> None:
    file.write(b"[")
    for place, row in enumerate(rows):
        file.write((ROW if place else b"") + orjson.dumps(row))
    file.write(b"]")
