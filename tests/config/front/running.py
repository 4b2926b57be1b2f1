"""Runs a coroutine in a thread of its own: where a browser ran before, this one has an event loop already."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """What it gives."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
