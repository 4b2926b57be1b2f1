"""Telling the workers that deliveries wait, at most once a second, without making anybody wait for the broker.

Nothing depends on it: beat has them look again and again anyway, so that a broker that is down loses nothing.
"""

import threading
import time
from collections.abc import Callable

import redis
from celery import current_app
from django.core.cache import cache
from kombu.exceptions import OperationalError

TASK = "ingest.tasks.handle_deliveries"
SECONDS = 1.0
KEY = "ingest:deliveries:told"
# Only after this does the worker look, so that one look finds all that came within the second.
LOOK_AFTER = 1


class Waker:
    """Calls `tell` in a thread of its own; calls that come within `seconds`, or while it is at it, are one."""

    def __init__(self, tell: Callable[[], None], *, seconds: float = SECONDS) -> None:
        self._tell, self._seconds = tell, seconds
        self._lock = threading.Lock()
        self._is_telling = False
        self._told_at = float("-inf")

    def wake(self) -> threading.Thread | None:
        """Tell, if that is due; returns the thread that does."""
        with self._lock:
            if self._is_telling or time.monotonic() - self._told_at < self._seconds:
                return None
            self._is_telling, self._told_at = True, time.monotonic()
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        return thread

    def _run(self) -> None:
        try:
            self._tell()
        finally:
            self._is_telling = False


def tell_workers() -> None:
    """Send the one message of this second, unless another process sent it; without a broker, beat does it later."""
    try:
        if cache.add(KEY, 1, timeout=LOOK_AFTER):
            current_app.send_task(TASK, countdown=LOOK_AFTER, expires=60, retry=False)
    except (redis.RedisError, OperationalError, OSError):
        return


waker = Waker(tell_workers)
