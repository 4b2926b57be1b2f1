"""What was handed in for a job, as pieces in Postgres: written from a stream, read as one, never whole in memory.

The web server and the worker may be on different machines, which share nothing but Postgres and the broker.
"""

import uuid
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from kb.diagnose.uploads import Stream, Upload
from kb.models import DiagnosisJob, DiagnosisUpload
from kb.models.diagnosis_jobs import CHUNK

# So many pieces go to Postgres with one statement.
TOGETHER = 4


class GoneError(Exception):
    """The job was deleted, or ran out, while it was read."""


def write_pieces(*, job: DiagnosisJob, files: Sequence[Upload]) -> None:
    """Keep all that was handed in."""
    pieces = _pieces(job, files)
    while batch := list(islice(pieces, TOGETHER)):
        DiagnosisUpload.objects.bulk_create(batch)


def _pieces(job: DiagnosisJob, files: Sequence[Upload]) -> Iterator[DiagnosisUpload]:
    for place, file in enumerate(files):
        file.stream.seek(0)
        number = 0
        while content := _read_chunk(file.stream):
            yield DiagnosisUpload(job=job, file=place, number=number, content=content)
            number += 1


def _read_chunk(stream: Stream) -> bytes:
    """The next `CHUNK` bytes, fewer only at the end: `Pieces` finds its place by the number of whole ones."""
    content = b""
    while len(content) < CHUNK:
        more = stream.read(CHUNK - len(content))
        if not more:
            break
        content += more
    return content


class Pieces:
    """One file of a job as a stream of `size` bytes. `on_fetched` is told of every piece how many bytes are new."""

    def __init__(self, job_id: uuid.UUID, file: int, size: int, on_fetched: Callable[[int], None]) -> None:
        self._pieces = DiagnosisUpload.objects.filter(job=job_id, file=file)
        self._size, self._on_fetched = size, on_fetched
        self._place = self._furthest = 0
        self._number, self._piece = -1, b""

    def read(self, size: int, /) -> bytes:
        """Return up to so many bytes; none at the end. Raises `GoneError`."""
        if self._place >= self._size or size <= 0:
            return b""
        number, start = divmod(self._place, CHUNK)
        if number != self._number:
            piece = self._pieces.filter(number=number).values_list("content", flat=True).first()
            if not piece:
                raise GoneError
            end = max(number * CHUNK + len(piece), self._furthest)
            self._on_fetched(end - self._furthest)
            self._furthest = end
            self._piece, self._number = bytes(piece), number
        content = self._piece[start : start + size]
        self._place += len(content)
        return content

    def seek(self, place: int, /) -> int:
        """Go to this byte."""
        self._place = place
        return place
