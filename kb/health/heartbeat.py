"""The sign of life that beat sends and a worker writes down. Whether it is fresh is judged in `kb.health.checks`."""

import time

from django.core.cache import cache

KEY = "heartbeat"
SECONDS = 30
STALE_SECONDS = 4 * SECONDS
# Kept for long, so that "last heard from three hours ago" can be said.
KEEP_SECONDS = 30 * 24 * 3600


def record_heartbeat(*, sent_at: float) -> None:
    """Write down when beat sent its sign of life, and that a worker is here to receive it."""
    cache.set(KEY, {"beat": sent_at, "worker": time.time()}, timeout=KEEP_SECONDS)
