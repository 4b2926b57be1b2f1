"""How often one address may read: a counter per client and window in the shared cache, told in RateLimit headers."""

import math
from collections.abc import Mapping
from typing import Protocol, cast

from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView


class Counters(Protocol):
    """What the cache can do besides (`config.cache`)."""

    def count(self, key: str, seconds: int) -> int:
        """One more under this key, which counts anew after so many seconds."""


counters = cast("Counters", cache)


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
        self.used = counters.count(self.get_cache_key(request, view), self.duration)
        return self.used <= self.num_requests

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
