"""Requests to addresses that people name: never into a private network, never on to where an answer points.

Every address of the name is looked at, and the connection is made to one of those, so that a name that resolves anew
leads nowhere else.
"""

import ipaddress
import socket
from urllib.parse import urlsplit

import httpx
from django.conf import settings

SECONDS = 10.0


class RefusedAddressError(ValueError):
    """An address that nothing is sent to; the text says why and what to give."""


def check_address(url: str) -> None:
    """Raises `RefusedAddressError` unless the address is one of the web's, by its form alone."""
    parts = urlsplit(url)
    if parts.scheme != "https" and not (settings.WEBHOOKS_LOCAL and parts.scheme == "http"):
        raise RefusedAddressError("Give an address that begins with https://.")
    if not parts.hostname or parts.username or parts.password or parts.fragment:
        raise RefusedAddressError("Give an address with a host, and without a user, a password or a #.")
    if parts.port not in (None, 443) and not settings.WEBHOOKS_LOCAL:
        raise RefusedAddressError("Give an address without a port: only 443 is used.")


def post(url: str, content: bytes, headers: dict[str, str]) -> int:
    """Send it and return the answer's status. Raises `RefusedAddressError` or `httpx.HTTPError`."""
    check_address(url)
    target = httpx.URL(url)
    place = _address_of(target.host, target.port or (80 if target.scheme == "http" else 443))
    with httpx.Client(follow_redirects=False, timeout=SECONDS, trust_env=False) as client:
        request = client.build_request(
            "POST",
            target.copy_with(host=place),
            content=content,
            headers={**headers, "Host": target.netloc.decode("ascii")},
            extensions={"sni_hostname": target.host},
        )
        # What it answers is not read, however long it is.
        answer = client.send(request, stream=True)
        answer.close()
        return answer.status_code


def _address_of(host: str, port: int) -> str:
    try:
        found = [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError) as error:
        raise httpx.ConnectError("its name has no address") from error
    if not settings.WEBHOOKS_LOCAL and not all(map(_is_public, found)):
        raise RefusedAddressError("The name leads into a private network.")
    return found[0]


def _is_public(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if inner is not None:
            return _is_public(str(inner))
        # What is below ::/8 holds IPv4 that a translator or tunnel takes anywhere (RFC 6052, RFC 8215).
        if address.is_reserved or address.is_site_local:
            return False
    return address.is_global and not address.is_multicast
