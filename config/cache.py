"""The cache, and what stands in for it: while its server does not answer, each process keeps a cache of its own.

So reading goes on, a little slower, and limits count by process. What was kept meanwhile is forgotten afterwards.
"""

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

import redis
from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache

log = logging.getLogger(__name__)

T = TypeVar("T")
# After a failure the server is left alone for so long: asking it may take as long as its time-outs.
PAUSE_SECONDS = 2.0


class Outage:
    """Whether the server is left alone now; one for the whole process."""

    def __init__(self) -> None:
        self._until = 0.0
        self.is_on = False

    def leaves_alone(self) -> bool:
        """Is it too early to ask again?"""
        return time.monotonic() < self._until

    def begins(self, error: Exception) -> None:
        """The server did not answer."""
        if not self.is_on:
            log.warning("The cache's server does not answer; each process keeps its own meanwhile: %s", error)
        self.is_on, self._until = True, time.monotonic() + PAUSE_SECONDS

    def ends(self) -> bool:
        """The server answered; was that new?"""
        was_on, self.is_on = self.is_on, False
        if was_on:
            log.info("The cache's server answers again.")
        return was_on


OUTAGE = Outage()


class SoftCache(BaseCache):
    """Django's cache on Redis or Valkey, which never fails because its server is away."""

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        self._shared = RedisCache(location, params)
        self._own = LocMemCache("while-the-cache-is-away", {key: params[key] for key in params if key != "OPTIONS"})

    def count(self, key: str, seconds: int) -> int:
        """One more under this key, which counts anew `seconds` after its first; a single round trip, mostly."""
        return self._either(lambda: self._count_shared(key, seconds), lambda: self._count_own(key, seconds))

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:  # noqa: D102
        return self._either(
            lambda: self._shared.get(key, default, version), lambda: self._own.get(key, default, version)
        )

    def set(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:  # noqa: D102
        self._either(
            lambda: self._shared.set(key, value, timeout, version), lambda: self._own.set(key, value, timeout, version)
        )

    def add(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:  # noqa: D102
        return self._either(
            lambda: self._shared.add(key, value, timeout, version), lambda: self._own.add(key, value, timeout, version)
        )

    def touch(self, key: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:  # noqa: D102
        return self._either(
            lambda: self._shared.touch(key, timeout, version), lambda: self._own.touch(key, timeout, version)
        )

    def delete(self, key: Any, version: int | None = None) -> bool:  # noqa: D102
        return self._either(lambda: self._shared.delete(key, version), lambda: self._own.delete(key, version))

    def has_key(self, key: Any, version: int | None = None) -> bool:  # noqa: D102
        return self._either(lambda: self._shared.has_key(key, version), lambda: self._own.has_key(key, version))

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:  # noqa: D102
        return self._either(lambda: self._shared.incr(key, delta, version), lambda: self._own.incr(key, delta, version))

    def get_many(self, keys: Any, version: int | None = None) -> dict[Any, Any]:  # noqa: D102
        keys = list(keys)
        return self._either(lambda: self._shared.get_many(keys, version), lambda: self._own.get_many(keys, version))

    def set_many(self, data: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> list[Any]:  # noqa: D102
        return self._either(
            lambda: self._shared.set_many(data, timeout, version), lambda: self._own.set_many(data, timeout, version)
        )

    def delete_many(self, keys: Any, version: int | None = None) -> None:  # noqa: D102
        keys = list(keys)
        self._either(lambda: self._shared.delete_many(keys, version), lambda: self._own.delete_many(keys, version))

    def clear(self) -> None:  # noqa: D102
        self._either(self._shared.clear, self._own.clear)

    def _either(self, shared: Callable[[], T], own: Callable[[], T]) -> T:
        if OUTAGE.leaves_alone():
            return own()
        try:
            answer = shared()
        except (redis.ConnectionError, redis.TimeoutError) as error:
            OUTAGE.begins(error)
            return own()
        if OUTAGE.ends():
            self._own.clear()
        return answer

    def _count_shared(self, key: str, seconds: int) -> int:
        client = self._shared._cache.get_client(key, write=True)
        place = self._shared.make_and_validate_key(key)
        counted = int(client.incr(place))
        if counted == 1:
            client.expire(place, seconds)
        return counted

    def _count_own(self, key: str, seconds: int) -> int:
        self._own.add(key, 0, seconds)
        return self._own.incr(key)
