"""Visitors who are idle, slow to send or slow to read keep nobody out; too many are told when to come back."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.drills.served import Served, end, served

IDLE, SENDERS, READERS, VISITORS, EACH = 450, 12, 12, 20, 5
A_NEWCOMER_WAITS = 1.0
PAGES = ("/", "/about/", "/issues/", "/api/v1/issues/")


@pytest.fixture(scope="module")
def site(database: Path) -> Iterator[Served]:
    # On a machine that is busy with other tests, everything takes longer than a site would let a crowd wait.
    with served(database) as running:
        yield running


def head(site: Served, method: str, path: str, *more: str) -> bytes:
    lines = (f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{site.port}", *more)
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


@pytest.mark.drill("Idle, slow and many visitors keep nobody out")
def test_idle_and_slow_visitors_keep_nobody_out(site: Served) -> None:
    sender = head(site, "POST", "/api/v1/diagnose", "Content-Type: text/plain", "Content-Length: 1000")
    reader = head(site, "GET", "/api/v1/openapi.json")
    with ExitStack() as open_connections:
        for _ in range(IDLE):
            open_connections.enter_context(site.open(head(site, "GET", "/healthz")))
        for sent in (*[sender + b"x"] * SENDERS, *[reader] * READERS, *[b"GET / HT"] * SENDERS):
            open_connections.enter_context(site.open(sent))
        site.timed("/")  # The first one of a process takes longer whoever else is there.
        assert max(site.timed(path) for path in ("/healthz", "/", "/about/", "/readyz")) < A_NEWCOMER_WAITS


@pytest.mark.drill("Idle, slow and many visitors keep nobody out")
def test_a_crowd_is_served_to_the_last_one(site: Served) -> None:
    def visit(number: int) -> set[int]:
        return {site.ask(PAGES[(number + turn) % len(PAGES)])[0] for turn in range(EACH)}

    with ThreadPoolExecutor(VISITORS) as crowd:
        assert set().union(*crowd.map(visit, range(VISITORS))) == {200}


@pytest.mark.drill("A header with an underscore is refused")
def test_a_header_with_an_underscore_is_refused(site: Served) -> None:
    assert site.ask("/", X_Forwarded_For="1.2.3.4")[0] == 400


@pytest.mark.drill("The server ends when asked, and refuses a taken port")
def test_a_second_server_on_the_same_port_is_refused_in_words(site: Served) -> None:
    second = site.serve()
    assert second.wait(20) == 1
    assert f"Port {site.port} of 127.0.0.1 is in use" in site.log.read_text()
    assert site.ask("/healthz")[0] == 200


@pytest.mark.drill("Idle, slow and many visitors keep nobody out")
def test_too_many_get_503_at_once(database: Path) -> None:
    with served(database, WEB_THREADS="1", WEB_WAITING="1") as site:
        site.timed("/")
        with ThreadPoolExecutor(30) as crowd:
            answers = list(crowd.map(lambda _: site.ask("/about/"), range(60)))
        refused = [headers for status, headers, _ in answers if status == 503]
        assert {status for status, _, _ in answers} == {200, 503}
        assert all(headers["retry-after"] for headers in refused)


@pytest.mark.drill("The server ends when asked, and refuses a taken port")
def test_a_server_that_has_hardly_started_ends_when_asked(site: Served) -> None:
    port, site.port = site.port, site.port + 1
    try:
        web = site.serve()
        while b"Spawning worker" not in site.log.read_bytes().rsplit(b"Starting granian", 1)[-1]:
            assert web.poll() is None
        end(web, within=30)
    finally:
        site.port = port
