"""Sends tasks to the workers; a page must not fail because none is there."""

import time
from typing import Any

from django.core.cache import cache
from kombu.exceptions import OperationalError

from kb.health.heartbeat import KEY, STALE_SECONDS

ONE_SENDING = 120
LOOK_AGAIN_SECONDS = 10


def send(task: Any, *arguments: int) -> bool:
    """Send a task. Returns whether it could be sent."""
    try:
        task.delay(*arguments)
    except OperationalError:
        return False
    return True


def worker_is_alive() -> bool:
    """Whether a worker's last heartbeat is recent."""
    heartbeats = cache.get(KEY) or {}
    return time.time() - float(heartbeats.get("worker", 0)) < STALE_SECONDS


def delegate(key: str, task: Any, *arguments: int) -> bool:
    """Send a task unless it was sent under this key a moment ago. Returns whether a worker is there to do it."""
    if not worker_is_alive():
        return False
    is_first = cache.add(f"labeling:sent:{key}", 1, timeout=ONE_SENDING)
    return not is_first or send(task, *arguments)
