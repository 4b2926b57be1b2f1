"""How often one visitor may do something: counters in the shared cache, by what is done, by visitor and window."""

import math
import time
from dataclasses import dataclass
from typing import Protocol, cast

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

from kb.http.visitors import visitor_of

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


class Counters(Protocol):
    """What the cache can do besides (`config.cache`)."""

    def count(self, key: str, seconds: int) -> int:
        """One more under this key, which counts anew after so many seconds."""


counters = cast("Counters", cache)


@dataclass(frozen=True)
class Rate:
    """So many times in so many seconds."""

    most: int
    seconds: int

    @classmethod
    def of(cls, written: str | None) -> "Rate | None":
        """As it is set, such as `30/min`; none for no limit."""
        if not written:
            return None
        most, _, period = written.partition("/")
        return cls(int(most), SECONDS[period[0]])


@dataclass(frozen=True)
class Counted:
    """How a visitor stands: how often in this window, this time included, and the whole seconds until the next."""

    rate: Rate
    used: int
    wait: int

    @property
    def is_allowed(self) -> bool:
        """Is it still within the rate?"""
        return self.used <= self.rate.most

    @property
    def left(self) -> int:
        """How often more."""
        return max(0, self.rate.most - self.used)

    @property
    def headers(self) -> dict[str, str]:
        """The same as response headers."""
        return {
            "RateLimit-Limit": str(self.rate.most),
            "RateLimit-Remaining": str(self.left),
            "RateLimit-Reset": str(self.wait),
        }


def count(what: str, who: str, rate: Rate) -> Counted:
    """Count once more."""
    now = time.time()
    used = counters.count(f"faultbook:{what}:{who}:{now // rate.seconds:.0f}", rate.seconds)
    return Counted(rate, used, math.ceil(rate.seconds - now % rate.seconds))


def count_request(what: str, request: HttpRequest) -> Counted | None:
    """Count a visitor's request; None where there is no limit."""
    rate = rate_of(what)
    return None if rate is None else count(what, visitor_of(request), rate)


def rate_of(what: str) -> Rate | None:
    """The rate that is set for it: `anon` (API_RATE), `diagnosis` (DIAGNOSIS_RATE) or `search` (SEARCH_RATE)."""
    return Rate.of(settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"].get(what))
