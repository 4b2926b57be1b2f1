"""Whether somebody reads the logs that people have sent. `manage.py doctor` shows it."""

import datetime as dt

from django.db import Error
from django.utils import timezone

from kb.health.checks import Check, ago
from kb.models import DiagnosisJob

NAME = "diagnoser"
# A worker that has just started, or has just ended a job, begins the next one within this.
BEGUN_WITHIN = dt.timedelta(minutes=2)
START = "Start a worker for their queue: `celery -A config.celery worker --queues diagnoses`."
State = DiagnosisJob.State


def diagnoser() -> Check:
    """Look whether logs wait to be read while nobody reads any."""
    now = timezone.now()
    jobs = DiagnosisJob.objects.filter(expires_at__gt=now)
    try:
        waiting = jobs.filter(state=State.WAITING).order_by("created_at").values_list("created_at", flat=True)
        count, oldest = len(waiting), next(iter(waiting), None)
        is_read = jobs.filter(state=State.WORKING).exists()
    except Error:
        return Check(NAME, False, "Unknown, because the database does not answer.", "Fix the database first.")
    if oldest is None:
        return Check(NAME, True, "No log waits to be read.")
    is_well = is_read or now - oldest < BEGUN_WITHIN
    return Check(NAME, is_well, f"{count} logs wait to be read, the first sent {ago(oldest.timestamp())}.", START)
