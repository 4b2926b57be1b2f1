"""Giving work to the workers from a page: it must not fail because nobody takes it."""

import time
from typing import Any

from django.core.cache import cache
from kombu.exceptions import OperationalError

from kb.health.heartbeat import KEY, STALE_SECONDS

ONE_SENDING = 120
LOOK_AGAIN_SECONDS = 10


def send(task: Any, *arguments: int) -> bool:
    """Send a task; whether it could be sent."""
    try:
        task.delay(*arguments)
    except OperationalError:
        return False
    return True


def worker_lives() -> bool:
    """Has a worker given a sign of life lately?"""
    signs = cache.get(KEY) or {}
    return time.time() - float(signs.get("worker", 0)) < STALE_SECONDS


def is_left_to_workers(key: str, task: Any, *arguments: int) -> bool:
    """Send a task, though not once more for every reader and every look; whether there is a worker to do it."""
    if not worker_lives():
        return False
    return send(task, *arguments) if cache.add(f"labeling:sent:{key}", 1, timeout=ONE_SENDING) else True
