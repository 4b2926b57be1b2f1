"""Who asks, for everything that is counted by visitor: the address that the proxies we know of name."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def address_of(request: HttpRequest) -> str:
    """The visitor's address: the one that the last trusted proxy names (`NUM_PROXIES`), else the connection's own."""
    peer = str(request.META.get("REMOTE_ADDR") or "")
    return address_named(peer, request.headers.get("x-forwarded-for", ""), proxies=settings.NUM_PROXIES)


def visitor_of(request: HttpRequest) -> str:
    """By what a visitor is counted."""
    return counted_as(address_of(request))


def address_named(peer: str, forwarded: str, *, proxies: int) -> str:
    """The same for the connection's address and the header's text.

    What is no address, which only a proxy that is set up wrongly sends, counts as the connection's.
    """
    named = [one.strip() for one in forwarded.split(",") if one.strip()]
    trusted = min(proxies, len(named))
    return _clean(named[-trusted]) or peer if trusted else peer


def counted_as(address: str) -> str:
    """The address, of IPv6 the /64 in which one line may take any it likes."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    mapped = getattr(parsed, "ipv4_mapped", None)
    if parsed.version == 4 or mapped:
        return str(mapped or parsed)
    return str(ipaddress.ip_network(f"{parsed}/64", strict=False))


def _clean(written: str) -> str:
    """The address without a port and brackets, as some proxies write them; empty for what is none."""
    host = written.partition("]")[0].removeprefix("[") if written.startswith("[") else written
    host = host.partition(":")[0] if host.count(":") == 1 else host
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return ""
