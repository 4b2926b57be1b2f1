"""One worker for each job: an advisory lock of Postgres, which is released when its holder's process ends."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import django.db
from django.db import connection

KEY = "hashtextextended('diagnosis ' || %s, 0)"


@contextmanager
def job_lock(job_id: uuid.UUID) -> Iterator[bool]:
    """Hold the job's lock; yields False at once when another process holds it."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_try_advisory_lock({KEY})", [str(job_id)])
        is_locked = bool(cursor.fetchone()[0])
    try:
        yield is_locked
    finally:
        if is_locked:
            # A connection that broke took its lock along.
            with suppress(django.db.Error), connection.cursor() as cursor:
                cursor.execute(f"SELECT pg_advisory_unlock({KEY})", [str(job_id)])
