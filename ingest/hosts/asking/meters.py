"""Where the state of each token's budget is kept: in Valkey, so that all workers share it, one request at a time.

While Valkey is away each process keeps its own, and goes on; the host's own count corrects it with each answer. Whose
turn it is to ask is not kept there: a lock in Valkey outlives a worker that was killed, and everybody waits for it.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import asdict

import redis

from ingest.hosts.asking.budget import Meter

PREFIX = "faultbook:asking"
# Longer than any limit lasts; what is older says nothing any more.
KEPT_SECONDS = 2 * 3600

Lock = Callable[[str], AbstractContextManager[object]]


class Slot:
    """One token's budget while it is held."""

    def __init__(self, client: redis.Redis | None, local: dict[str, Meter], key: str) -> None:
        self._redis, self._local, self._key = client, local, key

    def read(self) -> Meter:
        """What is known."""
        if self._redis is not None:
            with suppress(redis.RedisError):
                text = self._redis.get(self._key)
                return Meter(**json.loads(text)) if text else Meter()
        return self._local.get(self._key, Meter())

    def write(self, meter: Meter) -> None:
        """Note what is known now."""
        self._local[self._key] = meter
        if self._redis is not None:
            with suppress(redis.RedisError):
                self._redis.set(self._key, json.dumps(asdict(meter)), ex=KEPT_SECONDS)


class Meters:
    """Hands out budgets: those of all processes that share a Valkey and a lock by name, else those of this process."""

    def __init__(self, client: redis.Redis | None = None, *, lock: Lock = nullcontext) -> None:
        self._redis, self._lock = client, lock
        self._local: dict[str, Meter] = {}
        self._thread_locks: dict[str, threading.Lock] = {}

    @contextmanager
    def hold(self, token: str, resource: str) -> Iterator[Slot]:
        """Hold a token's budget alone, for as long as one request takes."""
        thread_lock = self._thread_locks.setdefault(token, threading.Lock())
        with self._lock(f"{PREFIX}:{token}"), thread_lock:
            yield Slot(self._redis, self._local, f"{PREFIX}:meter:{token}:{resource}")
