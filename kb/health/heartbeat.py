"""The heartbeat that beat sends and a worker records. `kb.health.checks` decides whether it is recent."""

import time

from django.core.cache import cache

KEY = "heartbeat"
SECONDS = 30
STALE_SECONDS = 4 * SECONDS
# Long, so that a check can say "last heard from three hours ago".
KEEP_SECONDS = 30 * 24 * 3600


def record_heartbeat(*, sent_at: float) -> None:
    """Record when beat sent its heartbeat and when a worker received it."""
    cache.set(KEY, {"beat": sent_at, "worker": time.time()}, timeout=KEEP_SECONDS)
