"""One visitor's share: so many diagnoses under way at a time, whether they are answered at once or are jobs.

Each holds a place in the shared cache until it is answered, or until its job is over. Jobs do not free their places
themselves: the next request looks whether the jobs that hold places are still under way.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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
    """As many diagnoses of one visitor as may be are under way."""

    retry_after = 20

    def __init__(self) -> None:
        super().__init__(
            f"{settings.DIAGNOSIS_SHARE} logs from your address are being read already. Send this one when one of them "
            "is done."
        )


@dataclass
class Place:
    """A place that is held: the cache's key of it, and whether a job holds it."""

    key: str
    has_job: bool = False

    def keep_for(self, job_id: UUID) -> None:
        """Let the job hold it from now on."""
        self.has_job = True
        cache.set(self.key, str(job_id), KEPT.total_seconds())


@contextmanager
def place_of(visitor: str) -> Iterator[Place]:
    """Hold one of the visitor's places; it is free at the end, unless a job holds it. Raises `ShareTakenError`."""
    keys = [f"faultbook:diagnosis-share:{visitor}:{number}" for number in range(settings.DIAGNOSIS_SHARE)]
    key = _take(keys)
    if key is None and _free(keys):
        key = _take(keys)
    if key is None:
        raise ShareTakenError
    place = Place(key)
    try:
        yield place
    finally:
        if not place.has_job:
            cache.delete(key)


def _take(keys: list[str]) -> str | None:
    for key in keys:
        if cache.add(key, ANSWERING, ANSWERED_WITHIN):
            return key
    return None


def _free(keys: list[str]) -> bool:
    """Free the places of jobs that are over. False where no job held one."""
    held = {key: job for key, job in cache.get_many(keys).items() if job != ANSWERING}
    unfinished = DiagnosisJob.objects.filter(pk__in=held.values(), state__in=UNFINISHED, expires_at__gt=timezone.now())
    under_way = {str(job) for job in unfinished.values_list("pk", flat=True)}
    for key, job in held.items():
        # Only one process may free a place: a second one could free it after it was taken again.
        if job not in under_way and cache.add(f"{key}:{job}", "freed", ANSWERED_WITHIN):
            cache.delete(key)
    return bool(held)
