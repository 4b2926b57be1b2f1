"""How often one address may read: a counter per client and window in the shared cache, told in RateLimit headers."""

import math
from collections.abc import Mapping
from functools import cache

import redis
from django.conf import settings
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView


class ReadThrottle(SimpleRateThrottle):
    """A fixed window with an atomic counter, so that requests at the same moment all count."""

    scope = "anon"
    # Counters of other rates stand apart.
    prefix = "faultbook:api-rate"
    num_requests: int
    duration: int
    used = 0
    now = 0.0

    def get_rate(self) -> str | None:
        """The rate of the settings (API_RATE)."""
        rate = api_settings.DEFAULT_THROTTLE_RATES.get(self.scope)
        return str(rate) if rate else None

    def get_cache_key(self, request: Request, view: APIView) -> str:  # noqa: ARG002
        """One counter for each client and window."""
        self.now = self.timer()
        return f"{self.prefix}:{self.get_ident(request)}:{self.now // self.duration:.0f}"

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Count the request and say whether it is still within the rate."""
        if self.rate is None:
            return True
        self.used = self._count(self.get_cache_key(request, view))
        return self.used <= self.num_requests

    def _count(self, key: str) -> int:
        """One more in this window, in one round trip: Django's cache would take two, for every request."""
        counted = int(_counters().incr(key))
        if counted == 1:
            _counters().expire(key, self.duration)
        return counted

    def wait(self) -> float:
        """Whole seconds until the window ends."""
        return math.ceil(self.duration - self.now % self.duration)

    def headers(self) -> Mapping[str, str]:
        """The state as response headers; none when nothing was counted."""
        if not self.used:
            return {}
        return {
            "RateLimit-Limit": str(self.num_requests),
            "RateLimit-Remaining": str(max(0, self.num_requests - self.used)),
            "RateLimit-Reset": str(self.wait()),
        }


class DiagnosisThrottle(ReadThrottle):
    """How often one address may ask for a diagnosis, which costs a thousand times what reading does."""

    scope = "diagnosis"
    prefix = "faultbook:diagnosis-rate"


@cache
def _counters() -> redis.Redis:
    """Where the cache is, as the cache asks there."""
    place = settings.CACHES["default"]
    return redis.Redis.from_url(place["LOCATION"], **place["OPTIONS"])
