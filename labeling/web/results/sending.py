"""Giving work to the workers from a page: it must not fail because nobody takes it."""

from typing import Any

from kombu.exceptions import OperationalError


def send(task: Any, *arguments: int) -> bool:
    """Send a task; whether it could be sent."""
    try:
        task.delay(*arguments)
    except OperationalError:
        return False
    return True
