"""Diagnosis jobs from outside: started, looked up, deleted, sent to workers again, expired. `worker` does the work."""

import datetime as dt
import uuid
from collections.abc import Sequence
from contextlib import suppress

import redis
from celery import current_app
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone
from kombu.exceptions import OperationalError

from kb.core.diagnosis.reading.intake import MIB
from kb.diagnose.chunks import write_pieces
from kb.diagnose.lock import job_lock
from kb.diagnose.uploads import TooLargeError, Upload
from kb.diagnose.worker import MOST_ATTEMPTS, STOPPED, finish
from kb.models import DiagnosisJob
from kb.models.diagnosis_jobs import KEPT

State = DiagnosisJob.State
UNFINISHED = (State.WAITING, State.WORKING)
TASK = "kb.tasks.diagnose"
# A task that was sent so long ago and has not begun may be lost.
RESEND_AFTER = dt.timedelta(minutes=10)


class BusyError(Exception):
    """Too much waits to be read already."""


@transaction.atomic
def start(*, files: Sequence[Upload], owner: User | None = None) -> DiagnosisJob:
    """Keep what was handed in until a worker has read it. Raises `TooLargeError` and `BusyError`."""
    size = sum(file.size for file in files)
    largest = settings.DIAGNOSIS_UPLOAD_MB * MIB
    if size > largest:
        raise TooLargeError(largest)
    waiting = DiagnosisJob.objects.filter(state__in=UNFINISHED).aggregate(bytes=Sum("bytes_given"))["bytes"] or 0
    if waiting + size > settings.DIAGNOSIS_WAITING_MB * MIB:
        raise BusyError("So many logs wait to be read that no more are taken now. Try again in a minute.")
    job = DiagnosisJob.objects.create(
        owner=owner,
        files=[{"name": file.name, "bytes": file.size, "healthy": file.healthy} for file in files],
        bytes_given=size,
        expires_at=timezone.now() + KEPT,
    )
    write_pieces(job=job, files=files)
    transaction.on_commit(lambda: _send(job.pk))
    return job


def find(*, job_id: uuid.UUID) -> DiagnosisJob:
    """The job of this number, unless its time is over. Raises `DiagnosisJob.DoesNotExist`."""
    return DiagnosisJob.objects.get(pk=job_id, expires_at__gt=timezone.now())


def delete(*, job_id: uuid.UUID) -> bool:
    """Delete a job with all that was handed in and found; its worker stops. False when there was no such job."""
    return bool(DiagnosisJob.objects.filter(pk=job_id).delete()[0])


def look_after() -> None:
    """Delete expired jobs, and send those again that no worker is at."""
    DiagnosisJob.objects.filter(expires_at__lte=timezone.now()).delete()
    for job in DiagnosisJob.objects.filter(state=State.WORKING).order_by("created_at"):
        if _reset_if_orphaned(job.pk):
            _send_again(job.pk)
    sent_before = timezone.now() - RESEND_AFTER
    for job in DiagnosisJob.objects.filter(state=State.WAITING, sent_at__lt=sent_before).order_by("created_at"):
        _send_again(job.pk)


def _reset_if_orphaned(job_id: uuid.UUID) -> bool:
    """Put a job whose worker is gone back to waiting; one that has no attempts left has failed.

    Returns whether it waits again.
    """
    with job_lock(job_id) as is_locked:
        job = DiagnosisJob.objects.filter(pk=job_id, state=State.WORKING).first() if is_locked else None
        if job is None:
            return False
        if job.attempts >= MOST_ATTEMPTS:
            finish(job_id, State.FAILED, error=STOPPED)
            return False
        DiagnosisJob.objects.filter(pk=job_id).update(state=State.WAITING)
        return True


def _send_again(job_id: uuid.UUID) -> None:
    DiagnosisJob.objects.filter(pk=job_id).update(sent_at=timezone.now())
    _send(job_id)


def _send(job_id: uuid.UUID) -> None:
    """Send the task; without a broker the job waits until `look_after` sends it again."""
    with suppress(redis.RedisError, OperationalError, OSError):
        current_app.send_task(TASK, [str(job_id)], retry=False)
