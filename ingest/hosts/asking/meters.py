"""Where the state of each token's budget is kept: in Valkey, so that all workers share it, one request at a time.

While Valkey is away each process keeps its own, and goes on; the host's own count corrects it with each answer. Whose
turn it is to ask is not kept there: a lock in Valkey outlives a worker that was killed, and everybody waits for it.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict
from typing import Protocol

import redis

from ingest.hosts.asking.budget import Meter

PREFIX = "faultbook:asking"
# Longer than any limit lasts; what is older says nothing any more.
KEPT_SECONDS = 2 * 3600


class Slot(Protocol):
    """One token's budget while it is held."""

    def read(self) -> Meter:
        """What is known."""

    def write(self, meter: Meter) -> None:
        """Note what is known now."""


class Meters(Protocol):
    """Hands out budgets."""

    def hold(self, token: str, resource: str) -> AbstractContextManager[Slot]:
        """Hold a token's budget alone, for as long as one request takes."""


class LocalMeters:
    """Budgets of this process alone."""

    def __init__(self) -> None:
        self._locks: dict[str, threading.Lock] = {}
        self._known: dict[str, Meter] = {}
        self._guard = threading.Lock()

    @contextmanager
    def hold(self, token: str, resource: str) -> Iterator[Slot]:
        """Hold a token's budget alone."""
        with self._guard:
            lock = self._locks.setdefault(token, threading.Lock())
        with lock:
            yield _LocalSlot(self._known, f"{token}:{resource}")


class _LocalSlot:
    def __init__(self, known: dict[str, Meter], key: str) -> None:
        self._known, self._key = known, key

    def read(self) -> Meter:
        return self._known.get(self._key, Meter())

    def write(self, meter: Meter) -> None:
        self._known[self._key] = meter


class SharedMeters:
    """Budgets of all processes that share a Valkey. `alone` holds the turn of a given name; it ends with its holder."""

    def __init__(self, client: redis.Redis, *, alone: Callable[[str], AbstractContextManager[None]]) -> None:
        self._redis, self._alone, self._local = client, alone, LocalMeters()

    @contextmanager
    def hold(self, token: str, resource: str) -> Iterator[Slot]:
        """Hold a token's budget alone."""
        with self._alone(f"{PREFIX}:{token}"), self._local.hold(token, resource) as slot:
            yield _SharedSlot(self._redis, f"{PREFIX}:meter:{token}:{resource}", slot)


class _SharedSlot:
    def __init__(self, client: redis.Redis, key: str, local: Slot) -> None:
        self._redis, self._key, self._local = client, key, local

    def read(self) -> Meter:
        try:
            kept = self._redis.get(self._key)
        except redis.RedisError:
            return self._local.read()
        return Meter(**json.loads(kept)) if kept else Meter()

    def write(self, meter: Meter) -> None:
        self._local.write(meter)
        with suppress(redis.RedisError):
            self._redis.set(self._key, json.dumps(asdict(meter)), ex=KEPT_SECONDS)
