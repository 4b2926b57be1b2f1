"""Who is counted: one function says it for everything, and nobody can choose by a header that no proxy set."""

import pytest
from django.test import RequestFactory
from pytest_django import Settings

from config.accounts.adapter import AccountAdapter
from kb.http.visitors import address_of, visitor_of

PEER = "192.0.2.1"


@pytest.mark.parametrize(
    ("proxies", "forwarded", "expected"),
    [
        (0, "", PEER),
        (0, "198.51.100.7", PEER),
        (1, "", PEER),
        (1, "198.51.100.7", "198.51.100.7"),
        (1, "203.0.113.9, 198.51.100.7", "198.51.100.7"),
        (2, "203.0.113.9, 198.51.100.7", "203.0.113.9"),
        (2, "6.6.6.6, 203.0.113.9, 198.51.100.7", "203.0.113.9"),
        (3, "203.0.113.9, 198.51.100.7", "203.0.113.9"),
        (1, "198.51.100.7:51234", "198.51.100.7"),
        (1, "[2001:db8::7]:51234", "2001:db8::7"),
        (1, "2001:db8::7", "2001:db8::7"),
        (1, "unknown", PEER),
        (1, " , ", PEER),
    ],
)
def test_the_address_is_the_one_that_the_last_trusted_proxy_names(
    settings: Settings, proxies: int, forwarded: str, expected: str
) -> None:
    settings.NUM_PROXIES = proxies
    request = RequestFactory(headers={"x-forwarded-for": forwarded}).get("/", REMOTE_ADDR=PEER)
    assert address_of(request) == expected
    assert AccountAdapter(request).get_client_ip(request) == expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:9::9", "2001:db8:1:2::/64"),
        ("", ""),
    ],
)
def test_of_ipv6_a_whole_line_is_one_visitor(address: str, expected: str) -> None:
    assert visitor_of(RequestFactory().get("/", REMOTE_ADDR=address)) == expected
