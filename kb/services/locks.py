"""Advisory locks of Postgres, which one session or transaction at a time holds by name.

A session's lock ends with its connection, so a killed process leaves none behind. A name's key must stay the same from
one version to the next: both may be running during an upgrade.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import django.db
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.db.backends.utils import CursorWrapper

# A text is hashed to a key of 64 bits; a pair, hashed unless it is of numbers, is a key of twice 32 bits.
LockName = str | tuple[str, str] | tuple[int, int]

POLL_SECONDS = 0.25
NO_SESSION = (
    "This needs a session of PostgreSQL's own, and a pooler may give each statement another one. "
    "Let DATABASE_URL name PostgreSQL itself here; only web servers may connect through a pooler in transaction mode."
)
# The server looks for its client while it works for it, and asks a silent one whether its machine is still there.
NOTICE_DEATHS = """
SET client_connection_check_interval = '2s'; SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5;
SET tcp_keepalives_count = 3
"""


class LockHeldError(RuntimeError):
    """Another session holds the lock `name`."""

    def __init__(self, name: LockName) -> None:
        self.name = name
        super().__init__(f"another session holds the lock {name!r}")


@contextmanager
def session_lock(name: LockName, *, wait_seconds: float | None = 0) -> Iterator[None]:
    """Hold a lock on Django's connection, waiting up to `wait_seconds` for it, or without end if None.

    Raises `LockHeldError` when the lock is still held by then.
    """
    with connection.cursor() as cursor:
        require_session(cursor)
        cursor.execute(NOTICE_DEATHS)
        if wait_seconds is None:
            _select(cursor, "pg_advisory_lock", name)
        else:
            _poll(cursor, name, deadline=time.monotonic() + wait_seconds)
    try:
        yield
    finally:
        # A broken transaction refuses the statement, and a broken connection has lost the lock already.
        with suppress(django.db.Error), connection.cursor() as cursor:
            unlock(cursor, name)


def require_session(cursor: CursorWrapper) -> None:
    """Raise ImproperlyConfigured where the cursor's session may be another one at the next statement."""
    if settings.DATABASE_POOL == "transaction" or (not settings.DATABASE_POOL and is_pooled(cursor)):
        raise ImproperlyConfigured(NO_SESSION)


def is_pooled(cursor: CursorWrapper) -> bool:
    """Is there a pooler between us and PostgreSQL? One tells its clients of another process than the one that works."""
    cursor.execute("SELECT pg_backend_pid()")
    return bool(cursor.fetchone()[0] != cursor.connection.info.backend_pid)


def _poll(cursor: CursorWrapper, name: LockName, *, deadline: float) -> None:
    while not try_lock(cursor, name):
        if time.monotonic() >= deadline:
            raise LockHeldError(name)
        time.sleep(POLL_SECONDS)


def try_lock(cursor: CursorWrapper, name: LockName) -> bool:
    """Take a lock for the cursor's session; returns False at once if another session holds it."""
    return bool(_select(cursor, "pg_try_advisory_lock", name))


def unlock(cursor: CursorWrapper, name: LockName) -> None:
    """Release a lock of the cursor's session."""
    _select(cursor, "pg_advisory_unlock", name)


def unlock_all(cursor: CursorWrapper) -> None:
    """Release every lock of the cursor's session."""
    cursor.execute("SELECT pg_advisory_unlock_all()")


def lock_transaction(cursor: CursorWrapper, name: LockName, *, wait: bool = True) -> bool:
    """Take a lock until the cursor's transaction ends; returns False if another session holds it and not `wait`."""
    if wait:
        _select(cursor, "pg_advisory_xact_lock", name)
        return True
    return bool(_select(cursor, "pg_try_advisory_xact_lock", name))


def _select(cursor: CursorWrapper, function: str, name: LockName) -> object:
    """Call one of Postgres' lock functions with the key of `name`."""
    if isinstance(name, str):
        key = "hashtextextended(%s, 0)"
    elif isinstance(name[0], str):
        key = "hashtext(%s), hashtext(%s)"
    else:
        key = "%s, %s"
    cursor.execute(f"SELECT {function}({key})", [name] if isinstance(name, str) else name)
    return cursor.fetchone()[0]
