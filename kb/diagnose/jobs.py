"""Diagnosis jobs from outside: asked for, found, deleted, told to workers again, run out. The work is in `worker`."""

import datetime as dt
import uuid
from collections.abc import Sequence

import redis
from celery import current_app
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone
from kombu.exceptions import OperationalError

from kb.diagnose.chunks import write_pieces
from kb.diagnose.uploads import MIB, Handed, TooLargeError
from kb.diagnose.worker import MOST_ATTEMPTS, STOPPED, finish, lock_name
from kb.models import DiagnosisJob
from kb.models.diagnosis_jobs import KEPT
from kb.services.locks import LockHeldError, session_lock

State = DiagnosisJob.State
UNFINISHED = (State.WAITING, State.WORKING)
TASK = "kb.tasks.diagnose"
# A worker that was told so long ago and has not begun may never have heard it.
TOLD_AGAIN = dt.timedelta(minutes=10)


class BusyError(Exception):
    """Too much waits to be read already; says so."""


@transaction.atomic
def start(*, files: Sequence[Handed], owner: User | None = None) -> DiagnosisJob:
    """Keep what was handed in until a worker has read it. Raises `TooLargeError` and `BusyError`."""
    size, largest = sum(file.size for file in files), settings.DIAGNOSIS_UPLOAD_MB * MIB
    if size > largest:
        raise TooLargeError(largest)
    waiting = DiagnosisJob.objects.filter(state__in=UNFINISHED).aggregate(given=Sum("bytes_given"))["given"] or 0
    if waiting + size > settings.DIAGNOSIS_WAITING_MB * MIB:
        raise BusyError("So many logs wait to be read that no more are taken now. Try again in a minute.")
    job = DiagnosisJob.objects.create(
        owner=owner,
        files=[{"name": file.name, "bytes": file.size, "healthy": file.healthy} for file in files],
        bytes_given=size,
        expires_at=timezone.now() + KEPT,
    )
    write_pieces(job=job, files=files)
    transaction.on_commit(lambda: _tell_workers(job.pk))
    return job


def find(*, job_id: uuid.UUID) -> DiagnosisJob:
    """The job of this number, unless its time is over. Raises `DiagnosisJob.DoesNotExist`."""
    return DiagnosisJob.objects.get(pk=job_id, expires_at__gt=timezone.now())


def delete(*, job_id: uuid.UUID) -> bool:
    """Forget a job with all that was handed in and found; a worker that is at it stops. Was it there?"""
    return bool(DiagnosisJob.objects.filter(pk=job_id).delete()[0])


def look_after() -> None:
    """Delete the jobs whose time is over, and see to those that no worker is at."""
    DiagnosisJob.objects.filter(expires_at__lte=timezone.now()).delete()
    told_before = timezone.now() - TOLD_AGAIN
    for job in DiagnosisJob.objects.filter(state=State.WORKING).order_by("created_at"):
        _see_to(job.pk)
    for job in DiagnosisJob.objects.filter(state=State.WAITING, sent_at__lt=told_before).order_by("created_at"):
        _tell_again(job.pk)


def _see_to(job_id: uuid.UUID) -> None:
    """Have a job whose worker is gone done again, once; after that it has failed."""
    try:
        with session_lock(lock_name(job_id)):
            job = DiagnosisJob.objects.filter(pk=job_id, state=State.WORKING).first()
            if job is None:
                return
            if job.attempts >= MOST_ATTEMPTS:
                finish(job_id, State.FAILED, error=STOPPED)
                return
            DiagnosisJob.objects.filter(pk=job_id).update(state=State.WAITING)
    except LockHeldError:
        return
    _tell_again(job_id)


def _tell_again(job_id: uuid.UUID) -> None:
    DiagnosisJob.objects.filter(pk=job_id).update(sent_at=timezone.now())
    _tell_workers(job_id)


def _tell_workers(job_id: uuid.UUID) -> None:
    """Send the task; without a broker the job waits until `look_after` sends it again."""
    try:
        current_app.send_task(TASK, [str(job_id)], retry=False)
    except (redis.RedisError, OperationalError, OSError):
        return
