"""Files that ranks write to: found by patterns, looked at now and then, their ends read. They are never kept open.

What was in a file before the run began is not the run's. A file may come late, be truncated, or be rotated.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from glob import iglob
from itertools import islice
from pathlib import Path

from faultbook.watch.parts import Part, without_ours
from faultbook.watch.spool import MIB

MOST_FILES = 4_096
# Read at each look, and for the diagnosis: of all files together, and of one at least.
NEWS, FOR_ALL, FOR_ONE = 16 << 10, 64 * MIB, 128 << 10
# In longer files, the lines before the end are not counted.
COUNTED = 1 << 30
ROTATED_TO = ".1"


@dataclass
class _Log:
    """A file that is followed: what identifies it, where the run's part of it begins, and how much there was."""

    identity: tuple[int, int]
    start: int
    size: int


class RankLogs:
    """The files of these patterns, as far as they are the user's own."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = patterns
        self._logs: dict[str, _Log] = {}
        for path, found in self._files():
            self._logs[path] = _Log(_identity(found), found.st_size, found.st_size)

    def look(self) -> Iterator[bytes]:
        """The ends of what was written since the last look."""
        for path, found in self._files():
            log = self._logs.get(path)
            if log is None:
                log = self._logs[path] = _Log(_identity(found), 0, 0)
            elif log.identity != _identity(found):
                del self._logs[path]
                self._rotate(path, log)
                log = self._logs[path] = _Log(_identity(found), 0, 0)
            elif found.st_size < log.size:
                log.start = log.size = 0
            if found.st_size > log.size:
                start, log.size = max(log.size, found.st_size - NEWS), found.st_size
                news = without_ours(_read(path, start, NEWS))
                if news.strip():
                    yield news

    def parts(self) -> list[Part]:
        """The ends of all files that were written to, for the diagnosis."""
        for _ in self.look():
            pass
        written = {path: log for path, log in self._logs.items() if log.size > log.start}
        share = max(FOR_ALL // max(len(written), 1), FOR_ONE)
        return [_part(path, log, share) for path, log in written.items()]

    def _files(self) -> Iterator[tuple[str, os.stat_result]]:
        paths = dict.fromkeys(path for pattern in self._patterns for path in iglob(pattern))  # noqa: PTH207 - it may be absolute
        seen: set[tuple[int, int]] = set()
        for path in islice(paths, MOST_FILES):
            try:
                found = Path(path).stat()
            except OSError:
                continue
            is_ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
            if is_ours and _identity(found) not in seen:
                seen.add(_identity(found))
                yield path, found

    def _rotate(self, path: str, log: _Log) -> None:
        """Follow the file that this was renamed to, where it is found by the usual name."""
        try:
            found = Path(path + ROTATED_TO).stat()
        except OSError:
            return
        if _identity(found) == log.identity:
            log.size = found.st_size
            self._logs[path + ROTATED_TO] = log


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _read(path: str, start: int, size: int) -> bytes:
    try:
        with Path(path).open("rb", buffering=0) as file:
            file.seek(start)
            return file.read(size)
    except OSError:
        return b""


def _part(path: str, log: _Log, share: int) -> Part:
    start = max(log.start, log.size - share)
    text = _read(path, start, log.size - start)
    if start > log.start:
        cut = text.find(b"\n") + 1
        start, text = start + cut, text[cut:]
    here = Path(path)
    name = str(here.relative_to(Path.cwd())) if here.is_relative_to(Path.cwd()) else path
    return Part(name, [without_ours(text)], left_out=_lines_before(path, start) if start <= COUNTED else 0)


def _lines_before(path: str, end: int) -> int:
    return sum(_read(path, place, min(MIB, end - place)).count(b"\n") for place in range(0, end, MIB))
