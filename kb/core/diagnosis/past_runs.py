"""Reads a folder of earlier jobs: each file or folder in it is one. The newest are diagnosed, within bounds of size and
time; what was read is remembered by this process alone, nothing is stored.
"""

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import cast

from kb.core.diagnosis.analysis.past import PastJob, PastJobs
from kb.core.diagnosis.analysis.progress import progress_of
from kb.core.diagnosis.pipeline import InputFile, diagnosed, read
from kb.core.diagnosis.reading.intake import MIB, UnreadableInputError
from kb.core.diagnosis.reading.rotation import in_order_of_writing
from kb.core.diagnosis.reading.streams import Readable
from kb.core.diagnosis.signature import signature

MOST_JOBS, MOST_FILES = 20, 1_000
MOST_TEXT, MOST_SECONDS = 64 * MIB, 5.0
MOST_FOLDERS = 4
TOO_LARGE = f"there is more than {MOST_TEXT // MIB} MB, or more than {MOST_FILES:,} files, of it"


@dataclass(frozen=True)
class _File:
    """A file of a job, as it was when it was looked at."""

    path: Path
    size: int
    written: int


@dataclass(frozen=True)
class _Job:
    """A file, or a folder with all its files."""

    path: Path
    files: tuple[_File, ...]

    @property
    def written(self) -> int:
        """When the last of it was written."""
        return max((file.written for file in self.files), default=0)

    @property
    def is_large(self) -> bool:
        """Whether it is too large to be read by the way."""
        return len(self.files) > MOST_FILES or sum(file.size for file in self.files) > MOST_TEXT


class _TooLargeError(Exception):
    """There is more text in it than is read."""


class _TooLateError(Exception):
    """The time for all earlier jobs is over."""


def past_jobs(folder: Path, at_hand: Collection[str] = (), clock: Callable[[], float] = time.monotonic) -> PastJobs:
    """The newest jobs of the folder. `at_hand`: the names of the files to diagnose, which are no earlier job.

    Raises `OSError` if the folder cannot be read.
    """
    given = {Path(name).resolve() for name in at_hand}
    jobs = sorted(_jobs(folder, given), key=lambda job: (job.written, job.path.name), reverse=True)[:MOST_JOBS]
    memory = _memory(folder)
    for job in memory.keys() - set(jobs):
        memory.pop(job, None)
    end = clock() + MOST_SECONDS

    def heed(size: int) -> None:
        if size > MOST_TEXT:
            raise _TooLargeError
        if clock() > end:
            raise _TooLateError

    past: list[PastJob] = []
    unread: list[str] = []
    for number, job in enumerate(jobs):
        try:
            result = memory.get(job) or _read(job, heed)
        except _TooLateError:
            count = len(jobs) - number
            unread.append(f"{count} of the earlier jobs were not compared: their {MOST_SECONDS:g} seconds were over.")
            break
        if isinstance(result, PastJob):
            past.append(result)
        else:
            unread.append(f"The earlier job {job.path.name} was not compared: {result}.")
        memory[job] = result
    return PastJobs(tuple(past), tuple(unread))


@lru_cache(maxsize=MOST_FOLDERS)
def _memory(_folder: Path) -> dict[_Job, PastJob | str]:
    """What was read of the folder's jobs. A file that was written since is another."""
    return {}


def _jobs(folder: Path, given: Collection[Path]) -> Iterator[_Job]:
    for path in folder.iterdir():
        own = path.resolve()
        is_at_hand = any(own == file or own in file.parents for file in given)
        if not path.name.startswith(".") and not is_at_hand:
            yield _Job(path, tuple(_files(path)))


def _files(path: Path) -> Iterator[_File]:
    """The files of a job, in the order in which they were written; not many more than are read."""
    paths = [path]
    if path.is_dir():
        inner = (file for file in path.rglob("*") if file.is_file())
        paths = [file for file, _ in zip(inner, range(MOST_FILES + 1), strict=False)]
    for file in in_order_of_writing(sorted(paths), str):
        try:
            status = file.stat()
        except OSError:
            # It is told when it is opened.
            yield _File(file, 0, 0)
        else:
            yield _File(file, status.st_size, status.st_mtime_ns)


def _read(job: _Job, heed: Callable[[int], None]) -> PastJob | str:
    """The job, or why it cannot be compared. Raises `_TooLateError`."""
    if job.is_large:
        return TOO_LARGE
    heed(0)
    try:
        files = read(_opened(job), progress=heed)
    except _TooLargeError:
        return TOO_LARGE
    except OSError as refusal:
        return f"it can't be read ({refusal.strerror})"
    except UnreadableInputError:
        return "it holds no log"
    diagnosis = diagnosed(files)
    first = signature(diagnosis)
    return PastJob(
        job.path.name,
        diagnosis.verdict,
        (first.version, first.key) if first is not None else None,
        frozenset(template.text for template in files.scan.templates),
        progress_of(files.scan).last_iteration or 0,
    )


def _opened(job: _Job) -> Iterator[InputFile]:
    for file in job.files:
        with file.path.open("rb") as stream:
            yield InputFile(str(file.path.relative_to(job.path.parent)), cast("Readable", stream))
