"""One at a time: advisory locks that end with the connection, so that whoever is killed leaves none."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import django.db
from django.db import connection

WAIT_SECONDS = 15.0
PAUSE_SECONDS = 0.25
# The server looks for its client while it works for it, and asks a silent one whether its machine is still there.
NOTICE_DEATHS = """
SET client_connection_check_interval = '2s'; SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5;
SET tcp_keepalives_count = 3
"""


class BusyError(RuntimeError):
    """Somebody else holds the lock; the message says so in plain words."""


@contextmanager
def hold_alone(*, name: str, wait_seconds: float | None = None) -> Iterator[None]:
    """Hold the lock called `name`. Raises `BusyError` when it is not free within `wait_seconds`.

    The wait is for the server: it needs a moment to notice that the importer it worked for was killed.
    """
    until = time.monotonic() + (WAIT_SECONDS if wait_seconds is None else wait_seconds)
    with connection.cursor() as cursor:
        cursor.execute(NOTICE_DEATHS)
        while True:
            cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [name])
            if cursor.fetchone()[0]:
                break
            if time.monotonic() >= until:
                raise BusyError(f"another import of '{name}' is running; wait for its end and start again")
            time.sleep(PAUSE_SECONDS)
    try:
        yield
    finally:
        _unlock(name)


@contextmanager
def wait_for_turn(name: str) -> Iterator[None]:
    """Hold the lock called `name`, however long others hold it before us."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [name])
    try:
        yield
    finally:
        _unlock(name)


def _unlock(name: str) -> None:
    """Free a lock. A broken transaction refuses the statement; the lock ends with the connection then."""
    with suppress(django.db.Error), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [name])
