"""The cache, and what stands in for it: while its server does not answer, each process keeps a cache of its own.

So reading goes on, a little slower, and limits count by process. What was kept meanwhile is forgotten afterwards.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import redis
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache, RedisCacheClient

log = logging.getLogger(__name__)

T = TypeVar("T")
# After a failure the server is left alone for so long: asking it may take as long as its time-outs.
PAUSE_SECONDS = 2.0
# All that Django's cache on Redis does by itself; the other methods are made of these. A server that is full is read
# as ever: only what it writes tells that it is well.
READING = ("get", "get_many", "has_key")
WRITING = ("set", "add", "touch", "delete", "incr", "set_many", "delete_many", "clear")


class Outage:
    """Whether the server is left alone now; one for the whole process."""

    def __init__(self) -> None:
        self._until = 0.0
        self.is_on = False

    def leaves_alone(self) -> bool:
        """Is it too early to ask again?"""
        return time.monotonic() < self._until

    def begins(self, error: Exception) -> None:
        """The server did not answer, or refused."""
        if not self.is_on:
            log.warning("The cache's server does not answer; each process keeps its own meanwhile: %s", error)
        self.is_on, self._until = True, time.monotonic() + PAUSE_SECONDS

    def ends(self) -> bool:
        """The server wrote; was that new?"""
        was_on, self.is_on = self.is_on, False
        if was_on:
            log.info("The cache's server answers again.")
        return was_on


OUTAGE = Outage()


class _Client(RedisCacheClient):
    """Keeps its client of the server: Django makes one for each question, which takes a fifth of a millisecond."""

    _kept: redis.Redis | None = None

    def get_client(self, key: Any = None, *, write: bool = False) -> redis.Redis:
        if self._kept is None:
            self._kept = super().get_client(key, write=write)
        return self._kept


class _SharedCache(RedisCache):
    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = _Client

    def count(self, seconds: Mapping[str, int]) -> list[int]:
        steps = self._cache.get_client(write=True).pipeline()
        for key, until_end in seconds.items():
            place = self.make_and_validate_key(key)
            # Together, so that no key is left without an end.
            steps.set(place, 0, ex=until_end, nx=True)
            steps.incr(place)
        return [int(count) for count in steps.execute()[1::2]]


class _OwnCache(LocMemCache):
    def count(self, seconds: Mapping[str, int]) -> list[int]:
        for key, until_end in seconds.items():
            self.add(key, 0, until_end)
        return [self.incr(key) for key in seconds]


class SoftCache(BaseCache):
    """Django's cache on Redis or Valkey, which never fails because its server is away, or can write no more."""

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        self._shared = _SharedCache(location, params)
        self._own = _OwnCache("while-the-cache-is-away", {key: params[key] for key in params if key != "OPTIONS"})

    def count(self, seconds: Mapping[str, int]) -> list[int]:
        """One more under each key, which counts anew so many seconds after its first; a single round trip for all."""
        return self._either(lambda: self._shared.count(seconds), lambda: self._own.count(seconds))

    def _either(self, shared: Callable[[], T], own: Callable[[], T], *, writes: bool = True) -> T:
        if OUTAGE.leaves_alone():
            return own()
        try:
            answer = shared()
        except redis.RedisError as error:
            OUTAGE.begins(error)
            return own()
        if writes and OUTAGE.ends():
            self._own.clear()
        return answer


def _soft(name: str) -> Callable[..., Any]:
    def method(self: SoftCache, *args: Any, **kwargs: Any) -> Any:
        # Whoever comes second needs the keys, too.
        args = tuple(list(given) if isinstance(given, Iterator) else given for given in args)
        return self._either(
            lambda: getattr(self._shared, name)(*args, **kwargs),
            lambda: getattr(self._own, name)(*args, **kwargs),
            writes=name in WRITING,
        )

    return method


for _name in (*READING, *WRITING):
    setattr(SoftCache, _name, _soft(_name))
