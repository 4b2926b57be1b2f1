"""How often one visitor may do something, and how much one network may send in a day, counted in the shared cache."""

import hashlib
import ipaddress
import math
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, cast

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from django.utils import timezone

from kb.http.visitors import visitor_of

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


class TooManySentError(Exception):
    """A network has sent more today than is accepted."""


class Counters(Protocol):
    """The counting method that our cache backend adds to Django's (`config.cache`)."""

    def count(self, seconds: Mapping[str, int]) -> list[int]:
        """Add one to the counter of each key, which expires after so many seconds; returns the new values."""


counters = cast("Counters", cache)


@dataclass(frozen=True)
class Rate:
    """A limit: at most `most` requests in a window of `seconds`."""

    most: int
    seconds: int

    @classmethod
    def of(cls, written: str | None) -> "Rate | None":
        """Parse a setting such as `30/min`; None when it is empty, which means no limit."""
        if not written:
            return None
        most, _, period = written.partition("/")
        return cls(int(most), SECONDS[period[0]])


@dataclass(frozen=True)
class Counted:
    """A visitor's requests in the current window under the rate of this name, this one included.

    `wait` is whole seconds until the window ends.
    """

    rate: Rate
    used: int
    wait: int
    name: str = "anon"

    @property
    def is_allowed(self) -> bool:
        """Whether this request is within the rate."""
        return self.used <= self.rate.most

    @property
    def left(self) -> int:
        """Requests left in this window."""
        return max(0, self.rate.most - self.used)

    @property
    def headers(self) -> dict[str, str]:
        """The response headers: those of the IETF's draft for rate limits, and the older ones."""
        return {
            "RateLimit": f'"{self.name}";r={self.left};t={self.wait}',
            "RateLimit-Policy": f'"{self.name}";q={self.rate.most};w={self.rate.seconds}',
            "RateLimit-Limit": str(self.rate.most),
            "RateLimit-Remaining": str(self.left),
            "RateLimit-Reset": str(self.wait),
        }


def count(who: str, limits: Mapping[str, Rate]) -> list[Counted]:
    """Count one request of the visitor `who` under each of these rates, by name."""
    if not limits:
        return []
    now = time.time()
    seconds = {f"faultbook:{what}:{who}:{now // rate.seconds:.0f}": rate.seconds for what, rate in limits.items()}
    return [
        Counted(rate, used, math.ceil(rate.seconds - now % rate.seconds), name)
        for (name, rate), used in zip(limits.items(), counters.count(seconds), strict=True)
    ]


def count_request(what: str, request: HttpRequest) -> Counted | None:
    """Count a visitor's request under the rate named `what`; None where there is no limit."""
    rate = rate_of(what)
    return None if rate is None else count(visitor_of(request), {what: rate})[0]


def rate_of(what: str) -> Rate | None:
    """The configured rate: `anon` (API_RATE), `diagnosis` (DIAGNOSIS_RATE) or `search` (SEARCH_RATE)."""
    return Rate.of(settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"].get(what))


def count_sending(*, what: str, address: str, most: int) -> None:
    """Count one sending of this kind. Raises `TooManySentError` when its network has sent `most` of them today.

    The cache holds only a digest of the network and today's salt, for a day; without the salt nobody can tell which
    network it was. Raises `ValueError` for what is no IP address.
    """
    day = timezone.now().date().isoformat()
    salt = cache.get_or_set(f"{what}:salt:{day}", lambda: secrets.token_hex(16), SECONDS["d"])
    digest = hashlib.sha256(f"{salt}:{network_of(address)}".encode()).hexdigest()
    if counters.count({f"{what}:sent:{day}:{digest}": SECONDS["d"]})[0] > most:
        raise TooManySentError


def network_of(address: str) -> str:
    """The network of an IP address: /24 of IPv4, /48 of IPv6, which is what one household or office has."""
    ip = ipaddress.ip_address(address)
    ip = getattr(ip, "ipv4_mapped", None) or ip
    prefix = 24 if ip.version == 4 else 48
    return str(ipaddress.ip_network(f"{ip}/{prefix}", strict=False))
