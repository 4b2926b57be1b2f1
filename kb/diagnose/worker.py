"""What a worker does with a diagnosis job: read it piece by piece, say how far it is, write down what came of it.

A job that is delivered again while another worker holds its lock, or after its end, is left as it is; one whose worker
died is begun anew. What was handed in is deleted when the outcome is written, whatever it is.
"""

import time
import uuid
from collections.abc import Callable

import orjson
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from kb.core.diagnosis.pipeline import InputFile
from kb.core.diagnosis.reading.intake import MIB, Limits, UnreadableInputError
from kb.core.diagnosis.reading.rotation import in_order_of_writing
from kb.core.diagnosis.schema import DiagnosisData
from kb.diagnose.answer import answer
from kb.diagnose.chunks import GoneError, Pieces
from kb.models import DiagnosisJob, DiagnosisUpload
from kb.models.diagnosis_jobs import KEPT
from kb.services.locks import LockHeldError, session_lock

State = DiagnosisJob.State
SECONDS_BETWEEN = 1.0
ERROR = "It stopped at an error of ours, which is in the server's log. Trying again will not help; a smaller part may."
MOST_ATTEMPTS = 2
# A zip file within something packed goes to the disk unpacked: so many times what may be sent.
MOST_ZIPPED = 4
STOPPED = (
    "The worker that read this stopped in the middle, twice: it may need more memory than there is. "
    "Send less, such as the last part of the log or fewer ranks."
)


class TooLongError(Exception):
    """The time for one job is over."""

    def __init__(self) -> None:
        super().__init__(
            f"Reading took longer than {settings.DIAGNOSIS_MINUTES} minutes. Give less: the last part of the log, "
            "or fewer ranks."
        )


def run(*, job_id: uuid.UUID) -> bool:
    """Make the diagnosis of a job, unless it is over or another worker is at it. Returns whether it was done here.

    An error of ours is written on the job, in plain words, and raised.
    """
    try:
        with session_lock(lock_name(job_id)):
            return _run_locked(job_id)
    except LockHeldError:
        return False


def lock_name(job_id: uuid.UUID) -> str:
    """The lock that the one worker at a job holds."""
    return f"diagnosis {job_id}"


def _run_locked(job_id: uuid.UUID) -> bool:
    job = _begin(job_id)
    if job is None:
        return False
    try:
        result = _diagnose(job)
    except GoneError:
        return False
    except (UnreadableInputError, TooLongError) as refusal:
        return finish(job_id, State.REFUSED, error=str(refusal))
    except SoftTimeLimitExceeded:
        return finish(job_id, State.REFUSED, error=str(TooLongError()))
    except Exception:
        finish(job_id, State.FAILED, error=ERROR)
        raise
    return finish(job_id, State.DONE, result_text=orjson.dumps(result).decode())


@transaction.atomic
def finish(job_id: uuid.UUID, state: DiagnosisJob.State, *, result_text: str = "", error: str = "") -> bool:
    """Write the outcome, and delete what was handed in. False when the job was deleted meanwhile."""
    DiagnosisUpload.objects.filter(job=job_id).delete()
    now = timezone.now()
    updated = DiagnosisJob.objects.filter(pk=job_id).update(
        state=state, result_text=result_text, error=error, finished_at=now, expires_at=now + KEPT
    )
    return bool(updated)


def _begin(job_id: uuid.UUID) -> DiagnosisJob | None:
    """Begin the job, or begin it anew; None when it is over or gone. Only for the holder of its lock."""
    now = timezone.now()
    unfinished = DiagnosisJob.objects.filter(pk=job_id, state__in=(State.WAITING, State.WORKING), expires_at__gt=now)
    unfinished.update(
        state=State.WORKING, attempts=F("attempts") + 1, started_at=now, expires_at=now + KEPT,
        bytes_taken=0, bytes_read=0,
    )  # fmt: skip
    job = unfinished.first()
    if job is not None and job.attempts > MOST_ATTEMPTS:
        finish(job_id, State.FAILED, error=STOPPED)
        return None
    return job


def _diagnose(job: DiagnosisJob) -> DiagnosisData:
    progress = Progress(job.pk, seconds=settings.DIAGNOSIS_MINUTES * 60)

    def heed_deadline(_size: int) -> None:
        progress.taken(0)

    result = answer(
        files=_stored_files(job, progress.taken, healthy=False),
        healthy=_stored_files(job, progress.taken, healthy=True),
        limits=Limits(text=settings.DIAGNOSIS_TEXT_MB * MIB, zipped=MOST_ZIPPED * settings.DIAGNOSIS_UPLOAD_MB * MIB),
        progress=progress.read,
        # What is fetched once more is not counted again.
        reopen=lambda: _stored_files(job, heed_deadline, healthy=False),
        cores=settings.DIAGNOSIS_CORES,
    )
    progress.write()
    return result


def _stored_files(job: DiagnosisJob, on_fetched: Callable[[int], None], *, healthy: bool) -> list[InputFile]:
    """The failed run's files, or the healthy ones', from their beginning."""
    files = [
        InputFile(file["name"], Pieces(job.pk, place, file["bytes"], on_fetched))
        for place, file in enumerate(job.files)
        if file["healthy"] is healthy
    ]
    return in_order_of_writing(files, lambda file: file.name)


class Progress:
    """Writes how far a job is, once a second at most, and ends it when its time is over or it was deleted."""

    def __init__(self, job_id: uuid.UUID, *, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._job_id, self._clock = job_id, clock
        self._end = clock() + seconds
        self._written_at = float("-inf")
        self._taken = self._read = 0

    def taken(self, size: int) -> None:
        """Count bytes of what was handed in. Raises `GoneError` and `TooLongError`."""
        self._taken += size
        self._tell()

    def read(self, size: int) -> None:
        """Note the bytes of text read so far. Raises `GoneError` and `TooLongError`."""
        # Healthy runs are counted after the failed one, from nothing.
        self._read = max(self._read, size)
        self._tell()

    def _tell(self) -> None:
        now = self._clock()
        if now >= self._end:
            raise TooLongError
        if now - self._written_at >= SECONDS_BETWEEN:
            self._written_at = now
            self.write()

    def write(self) -> None:
        """Write how far it is. Raises `GoneError`."""
        job = DiagnosisJob.objects.filter(pk=self._job_id)
        if not job.update(bytes_taken=self._taken, bytes_read=self._read):
            raise GoneError
