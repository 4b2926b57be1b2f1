"""How often one network may send something that is stored, so that nobody floods what people write here."""

import hashlib
import ipaddress
import secrets

from django.core.cache import cache
from django.utils import timezone

from kb.http.rates import counters

DAY_SECONDS = 24 * 3600


class TooManySentError(Exception):
    """More came from one network today than is taken."""


def count_sending(*, what: str, address: str, most: int) -> None:
    """Count one sending of this kind. Raises `TooManySentError` when its network has sent `most` of them today.

    Only a digest of the network and today's salt is kept, for a day, in the cache; when the salt is gone nobody can
    tell which network it was. Raises `ValueError` for what is no address.
    """
    day = timezone.now().date().isoformat()
    salt = cache.get_or_set(f"{what}:salt:{day}", lambda: secrets.token_hex(16), DAY_SECONDS)
    digest = hashlib.sha256(f"{salt}:{network_of(address)}".encode()).hexdigest()
    if counters.count(f"{what}:sent:{day}:{digest}", DAY_SECONDS) > most:
        raise TooManySentError


def network_of(address: str) -> str:
    """The network that an address is in: /24 of IPv4, /48 of IPv6, which is what one household or office has."""
    parsed = ipaddress.ip_address(address)
    parsed = getattr(parsed, "ipv4_mapped", None) or parsed
    return str(ipaddress.ip_network(f"{parsed}/{24 if parsed.version == 4 else 48}", strict=False))
