"""The visitor of a request, as everything that is counted by visitor knows them: an address, behind trusted proxies."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def address_of(request: HttpRequest) -> str:
    """The visitor's address as the last trusted proxy (`NUM_PROXIES`) gives it, else the connection's own."""
    peer = str(request.META.get("REMOTE_ADDR") or "")
    return address_named(peer, request.headers.get("x-forwarded-for", ""), proxies=settings.NUM_PROXIES)


def visitor_of(request: HttpRequest) -> str:
    """The key that the request's visitor is counted by."""
    return counted_as(address_of(request))


def address_named(peer: str, forwarded: str, *, proxies: int) -> str:
    """The visitor's address, from the connection's address and the text of `X-Forwarded-For`.

    Where the header holds no valid address, which only a misconfigured proxy sends, it is the connection's.
    """
    addresses = [address.strip() for address in forwarded.split(",") if address.strip()]
    trusted = min(proxies, len(addresses))
    if not trusted:
        return peer
    return _without_port(addresses[-trusted]) or peer


def counted_as(address: str) -> str:
    """The key that a visitor is counted by: the IPv4 address, or the /64 of an IPv6 one, which belongs to one line."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    ip = getattr(ip, "ipv4_mapped", None) or ip
    if ip.version == 4:
        return str(ip)
    return str(ipaddress.ip_network(f"{ip}/64", strict=False))


def _without_port(address: str) -> str:
    """The address without the port and brackets that some proxies add; empty when it is no IP address."""
    if address.startswith("["):
        address = address.partition("]")[0].removeprefix("[")
    if address.count(":") == 1:
        address = address.partition(":")[0]
    try:
        return str(ipaddress.ip_address(address))
    except ValueError:
        return ""
