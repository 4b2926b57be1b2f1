"""Numbers about the servers of this installation, read when Prometheus asks: every web process tells the same.

What the web processes count is in `numbers`. A reading may fail: `read_all` leaves its numbers out and says so.
"""

import time
from collections.abc import Callable, Iterable, Iterator

import redis
from django.conf import settings
from django.db import Error, connection
from django.db.models import Avg, Count, F, Max, Min
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric
from redis.backoff import NoBackoff
from redis.retry import Retry

from kb.health.checks import heartbeats
from kb.models import DiagnosisJob

Reading = Callable[[], Iterable[Metric]]
SECONDS = 2


def read_all(readings: Iterable[Reading]) -> Iterator[Metric]:
    """Every number that can be had, and which readings could."""
    family = GaugeMetricFamily("faultbook_reading_ok", "1 where these numbers could be read", labels=("reading",))
    for reading in readings:
        try:
            yield from list(reading())
        except (Error, redis.RedisError, OSError):
            family.add_metric([reading.__name__], 0)
        else:
            family.add_metric([reading.__name__], 1)
    yield family


def queues() -> Iterator[Metric]:
    """How many tasks wait in each of Celery's queues."""
    names = ["celery", *sorted({route["queue"] for route in settings.CELERY_TASK_ROUTES.values()})]
    family = GaugeMetricFamily("faultbook_queue_tasks", "Tasks that wait for a worker", labels=("queue",))
    with redis.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=SECONDS, socket_timeout=SECONDS, retry=Retry(NoBackoff(), 0)
    ) as client:
        for name in names:
            family.add_metric([name], int(client.llen(name)))
    yield family


def processes() -> Iterator[Metric]:
    """How long ago worker and beat were heard from; nothing of one that never was."""
    text = "Seconds since the last sign of life"
    family = GaugeMetricFamily("faultbook_heartbeat_age_seconds", text, labels=("process",))
    for name, seen in (heartbeats() or {}).items():
        family.add_metric([name], max(0.0, time.time() - seen))
    yield family


def database() -> Iterator[Metric]:
    """The connections to this database, and how many the server takes from all."""
    text = "Connections to the database, by what they do"
    family = GaugeMetricFamily("faultbook_database_connections", text, labels=("state",))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(state, 'unknown'), count(*), current_setting('max_connections')::int"
            " FROM pg_stat_activity WHERE datname = current_database() GROUP BY state"
        )
        rows = cursor.fetchall()
    for state, number, _most in rows:
        family.add_metric([state], number)
    yield family
    text = "Connections that PostgreSQL takes"
    yield GaugeMetricFamily("faultbook_database_connections_most", text, value=rows[0][2])


def diagnoses() -> Iterator[Metric]:
    """The diagnoses that workers make: how many there are, how long the first waits, how long those of an hour took."""
    now = timezone.now()
    jobs = DiagnosisJob.objects.filter(expires_at__gt=now)
    numbers = dict(jobs.values_list("state").annotate(Count("pk")))
    text = "Diagnoses that workers make, of about the last hour"
    family = GaugeMetricFamily("faultbook_diagnosis_jobs", text, labels=("state",))
    for state in DiagnosisJob.State.values:
        family.add_metric([state], numbers.get(state, 0))
    yield family
    oldest = jobs.filter(state=DiagnosisJob.State.WAITING).aggregate(at=Min("created_at"))["at"]
    text = "How long the first of the waiting ones has waited"
    age = (now - oldest).total_seconds() if oldest else 0
    yield GaugeMetricFamily("faultbook_diagnosis_jobs_oldest_seconds", text, value=age)
    took = F("finished_at") - F("started_at")
    spans = jobs.filter(state=DiagnosisJob.State.DONE).aggregate(mean=Avg(took), longest=Max(took))
    family = GaugeMetricFamily("faultbook_diagnosis_job_seconds", "How long the done ones took", labels=("of",))
    for of, span in spans.items():
        if span is not None:
            family.add_metric([of], span.total_seconds())
    yield family
