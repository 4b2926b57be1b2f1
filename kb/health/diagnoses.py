"""Health check of the workers that read uploaded logs, for `manage.py doctor`."""

import datetime as dt

from django.db import Error
from django.utils import timezone

from kb.health.checks import Check, ago
from kb.models import DiagnosisJob

NAME = "diagnoser"
# A worker starts the next job within this time.
BEGUN_WITHIN = dt.timedelta(minutes=2)
START = "Start a worker for their queue: `celery -A config.celery worker --queues diagnoses`."
State = DiagnosisJob.State


def diagnoser() -> Check:
    """No log waits to be read, or some worker reads."""
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
