"""What was handed in for a job, as pieces in Postgres: written from a stream, read as one, never whole in memory.

The web server and the worker may be on different machines, which share nothing but Postgres and the broker.
"""

import uuid
from collections.abc import Callable, Iterator, Sequence

from kb.diagnose.uploads import Handed, Stream
from kb.models import DiagnosisJob, DiagnosisUpload
from kb.models.diagnosis_jobs import CHUNK

# So many pieces go to Postgres with one statement.
TOGETHER = 4


class GoneError(Exception):
    """The job was deleted, or ran out, while it was read."""


def write_pieces(*, job: DiagnosisJob, files: Sequence[Handed]) -> None:
    """Keep all that was handed in."""
    batch: list[DiagnosisUpload] = []
    for piece in _pieces(job, files):
        batch.append(piece)
        if len(batch) == TOGETHER:
            DiagnosisUpload.objects.bulk_create(batch)
            batch = []
    DiagnosisUpload.objects.bulk_create(batch)


def _pieces(job: DiagnosisJob, files: Sequence[Handed]) -> Iterator[DiagnosisUpload]:
    for place, file in enumerate(files):
        file.stream.seek(0)
        number = 0
        while content := _filled(file.stream):
            yield DiagnosisUpload(job=job, file=place, number=number, content=content)
            number += 1


def _filled(stream: Stream) -> bytes:
    """A whole piece, shorter only at the end: places in a file are told from whole ones."""
    content = stream.read(CHUNK)
    while content and len(content) < CHUNK and (more := stream.read(CHUNK - len(content))):
        content += more
    return content


class Pieces:
    """One file of a job as a stream of `size` bytes. `tell` hears of every piece how many bytes are new."""

    def __init__(self, job_id: uuid.UUID, file: int, size: int, tell: Callable[[int], None]) -> None:
        self._pieces = DiagnosisUpload.objects.filter(job=job_id, file=file)
        self._size, self._tell = size, tell
        self._place = self._told = 0
        self._number, self._held = -1, b""

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes; none at the end. Raises `GoneError`."""
        if self._place >= self._size or size <= 0:
            return b""
        number, start = divmod(self._place, CHUNK)
        if number != self._number:
            self._held, self._number = self._fetched(number), number
        found = self._held[start : start + size]
        self._place += len(found)
        return found

    def seek(self, place: int, /) -> int:
        """Go to this byte."""
        self._place = place
        return place

    def _fetched(self, number: int) -> bytes:
        content = self._pieces.filter(number=number).values_list("content", flat=True).first()
        if not content:
            raise GoneError
        end = max(number * CHUNK + len(content), self._told)
        self._tell(end - self._told)
        self._told = end
        return bytes(content)
