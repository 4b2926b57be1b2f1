"""One visitor's share: so many diagnoses under way at a time, whether they are answered at once or are jobs.

Each holds a place in the shared cache until it is answered, or until its job is over. The database knows nothing of it:
whoever comes next looks whether the jobs that hold places are still under way.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.conf import settings
from django.core.cache import cache
from django.utils import timezone

from kb.diagnose.jobs import UNFINISHED
from kb.models import DiagnosisJob
from kb.models.diagnosis_jobs import KEPT

# A web process that died in the middle of an answer held its place for no longer.
ANSWERED_WITHIN = 180
ANSWERING = "answering"


class ShareTakenError(Exception):
    """As many diagnoses of one visitor as may be are under way; says so."""

    retry_after = 20

    def __init__(self) -> None:
        super().__init__(
            f"{settings.DIAGNOSIS_SHARE} logs from your address are being read already. Send this one when one of them "
            "is done."
        )


class Place:
    """A place that is held."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._has_job = False

    def keep_for(self, job_id: UUID) -> None:
        """The job holds it from now on."""
        self._has_job = True
        cache.set(self._key, str(job_id), KEPT.total_seconds())

    def leave(self) -> None:
        """It is free again, unless a job holds it."""
        if not self._has_job:
            cache.delete(self._key)


@contextmanager
def place_of(visitor: str) -> Iterator[Place]:
    """Hold one of the visitor's places. Raises `ShareTakenError`."""
    keys = [f"faultbook:diagnosis-share:{visitor}:{number}" for number in range(settings.DIAGNOSIS_SHARE)]
    key = _taken(keys) or (_taken(keys) if _freed(keys) else None)
    if key is None:
        raise ShareTakenError
    place = Place(key)
    try:
        yield place
    finally:
        place.leave()


def _taken(keys: list[str]) -> str | None:
    return next((key for key in keys if cache.add(key, ANSWERING, ANSWERED_WITHIN)), None)


def _freed(keys: list[str]) -> bool:
    """Free the places of jobs that are over."""
    held = {key: job for key, job in cache.get_many(keys).items() if job != ANSWERING}
    under_way = DiagnosisJob.objects.filter(pk__in=held.values(), state__in=UNFINISHED, expires_at__gt=timezone.now())
    kept = {str(job) for job in under_way.values_list("pk", flat=True)}
    for key, job in held.items():
        # One alone may free a place: another would free it from under who has just taken it.
        if job not in kept and cache.add(f"{key}:{job}", "freed", ANSWERED_WITHIN):
            cache.delete(key)
    return bool(held)
