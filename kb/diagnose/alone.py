"""One worker for each job: a lock of Postgres' own, which goes with the process that held it, however it ended."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import django.db
from django.db import connection

KEY = "hashtextextended('diagnosis ' || %s, 0)"


@contextmanager
def alone(job_id: uuid.UUID) -> Iterator[bool]:
    """Hold the job's lock; gives False at once when somebody else holds it."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_try_advisory_lock({KEY})", [str(job_id)])
        is_ours = bool(cursor.fetchone()[0])
    try:
        yield is_ours
    finally:
        if is_ours:
            # A connection that broke took its lock along.
            with suppress(django.db.Error), connection.cursor() as cursor:
                cursor.execute(f"SELECT pg_advisory_unlock({KEY})", [str(job_id)])
