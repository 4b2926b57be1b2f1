"""The front: bodies before threads, answers at the reader's pace, refusals in words, health beside it all."""

import asyncio
import threading
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from config.front import bodies
from config.front.application import Front, kinds, visitors
from config.front.crowds import CROWDED
from tests.config.front.running import run

Messages = list[dict[str, Any]]
Answered = tuple[int, bytes, dict[bytes, bytes]]


def scope(path: str = "/", method: str = "GET", headers: tuple[tuple[bytes, bytes], ...] = ()) -> dict[str, Any]:
    return {
        "type": "http", "path": path, "method": method, "headers": list(headers), "query_string": b"a=1",
        "http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", 80), "client": ("10.0.0.1", 5),
        "root_path": "",
    }  # fmt: skip


class Site:
    """A WSGI application that says what it was asked, and how often."""

    def __init__(self, pieces: Iterable[bytes] = (b"hello",)) -> None:
        self.pieces, self.asked = pieces, []  # type: tuple[Iterable[bytes], list[dict[str, Any]]]

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        self.asked.append(environ | {"body": environ["wsgi.input"].read()})
        start_response("200 OK", [("Content-Type", "text/plain")])
        return self.pieces


def front(site: Any, *, longest: int = 1_000, total: int = 4_000, **more: Any) -> Front:
    options: dict[str, Any] = {"threads": 2, "waiting": 4, "seconds": 5, "proxies": 0} | more
    return Front(site, bodies=bodies.Bodies(longest=longest, total=total), **options)


async def ask(served: Front, asked: dict[str, Any], body: tuple[bytes, ...] = (b"",)) -> Answered:
    """Status, body and headers."""
    left, sent = list(body), []  # type: tuple[list[bytes], Messages]

    async def receive() -> dict[str, Any]:
        if not left:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await served(asked, receive, send)
    return sent[0]["status"], b"".join(one.get("body", b"") for one in sent), dict(sent[0]["headers"])


def answer(served: Front, asked: dict[str, Any], body: tuple[bytes, ...] = (b"",)) -> Answered:
    return run(ask(served, asked, body))


def test_the_application_gets_the_whole_body_and_its_length() -> None:
    site = Site()
    asked = scope("/ä", "POST", ((b"content-length", b"6"), (b"x-one", b"1")))
    assert answer(front(site), asked, (b"abc", b"def"))[:2] == (200, b"hello")
    (environ,) = site.asked
    assert (environ["body"], environ["CONTENT_LENGTH"], environ["HTTP_X_ONE"]) == (b"abcdef", "6", "1")
    assert (environ["PATH_INFO"], environ["QUERY_STRING"]) == ("/ä".encode().decode("latin1"), "a=1")
    assert environ["REMOTE_ADDR"] == "10.0.0.1"


def test_a_body_in_pieces_of_unknown_length_gets_one() -> None:
    site = Site()
    answer(front(site), scope("/", "POST"), (b"abc", b"de"))
    assert site.asked[0]["CONTENT_LENGTH"] == "5"


@pytest.mark.parametrize("name", [b"x_forwarded_for", b"x_forwarded_proto", b"a_b"])
def test_a_header_with_an_underscore_is_refused(name: bytes) -> None:
    site = Site()
    status, _words, headers = answer(front(site), scope(headers=((name, b"1"),)))
    assert (status, headers[b"x-content-type-options"]) == (400, b"nosniff")
    assert not site.asked


def test_a_body_that_is_too_long_is_refused_before_the_application_hears_of_it() -> None:
    site = Site()
    assert answer(front(site), scope(method="POST"), (b"x" * 600, b"x" * 600))[0] == 413
    assert not site.asked


def test_a_body_that_does_not_come_takes_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "SILENCE_SECONDS", 0.05)
    site = Site()
    served = front(site, threads=1)

    async def work() -> None:
        async def silent() -> dict[str, Any]:
            await asyncio.Event().wait()
            return {}

        sent: Messages = []

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        slow = [asyncio.create_task(served(scope(method="POST"), silent, send)) for _ in range(20)]
        await asyncio.sleep(0)
        assert (await ask(served, scope()))[0] == 200
        await asyncio.gather(*slow)
        assert {one["status"] for one in sent if "status" in one} == {408}

    run(work())


def test_a_reader_who_reads_nothing_holds_no_thread() -> None:
    served = front(Site([b"x" * 100_000] * 50), threads=1, waiting=20)

    async def work() -> None:
        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def stuck(_message: dict[str, Any]) -> None:
            await asyncio.Event().wait()

        readers = [asyncio.create_task(served(scope(), receive, stuck)) for _ in range(5)]
        status, body, _ = await asyncio.wait_for(ask(served, scope()), 5)
        assert (status, len(body)) == (200, 5_000_000)
        for one in readers:
            one.cancel()
        await asyncio.gather(*readers, return_exceptions=True)

    run(work())


def test_too_many_are_told_when_to_come_back_and_health_is_answered_all_the_same() -> None:
    release = threading.Event()

    def slow(_environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        release.wait(5)
        start_response("200 OK", [])
        return [b""]

    served = front(slow, threads=1, waiting=1)

    async def work() -> None:
        some = [asyncio.create_task(ask(served, scope())) for _ in range(2)]
        await asyncio.sleep(0.05)
        status, _, headers = await ask(served, scope())
        assert (status, headers[b"retry-after"]) == (503, b"2")
        assert (await ask(served, scope("/healthz")))[:2] == (200, b"ok\n")
        release.set()
        assert {status for status, _, _ in await asyncio.gather(*some)} == {200}

    run(work())


@pytest.mark.parametrize(
    ("addresses", "taken"), [(("1.1.1.1",) * 4, 1), (("1.1.1.1", "2.2.2.2", "3.3.3.3", "4.4.4.4"), 3)]
)
def test_bodies_under_way_take_no_more_room_than_there_is(addresses: tuple[str, ...], taken: int) -> None:
    """Of one visitor, and of all; what was given back can be taken again."""
    served = front(Site(), longest=1_000, total=3_000)

    async def work() -> None:
        release = asyncio.Event()

        async def upload(address: str) -> int:
            sent: Messages = []
            pieces: Messages = [{"body": b"x" * 900, "more_body": True}, {"body": b"x" * 50}]

            async def receive() -> dict[str, Any]:
                if len(pieces) == 1:
                    await release.wait()
                return {"type": "http.request"} | pieces.pop(0)

            async def send(message: dict[str, Any]) -> None:
                sent.append(message)

            await served(scope(method="POST") | {"client": (address, 5)}, receive, send)
            return int(sent[0]["status"])

        uploads = [asyncio.create_task(upload(address)) for address in addresses]
        refused, _ = await asyncio.wait(uploads, return_when=asyncio.FIRST_COMPLETED)
        release.set()
        statuses = await asyncio.gather(*uploads)
        assert sorted(statuses) == [200] * taken + [503] * (len(uploads) - taken)
        assert {task.result() for task in refused} == {503}
        assert await upload(addresses[0]) == 200

    run(work())


def test_an_application_that_breaks_is_answered_and_its_thread_is_free_again() -> None:
    def broken(_environ: dict[str, Any], _start: Callable[..., Any]) -> Iterable[bytes]:
        raise ValueError("broken")

    served = front(broken, threads=1)
    assert answer(served, scope())[0] == 500
    assert answer(served, scope())[0] == 500


@pytest.mark.parametrize(
    ("proxies", "named", "expected"),
    [
        (0, b"1.1.1.1", "10.0.0.1"), (1, b"1.1.1.1, 2.2.2.2", "2.2.2.2"), (2, b"1.1.1.1, 2.2.2.2", "1.1.1.1"),
        (3, b"2.2.2.2", "2.2.2.2"), (1, b"", "10.0.0.1"),
    ],
)  # fmt: skip
def test_a_visitor_is_who_the_trusted_proxies_say(proxies: int, named: bytes, expected: str) -> None:
    headers = ((b"x-forwarded-for", named),) if named else ()
    assert visitors(scope(headers=headers), proxies)[0] == expected


def test_without_a_proxy_a_connection_is_a_visitors_own() -> None:
    assert visitors(scope(), 0) == ["10.0.0.1", "10.0.0.1 5"]
    assert visitors(scope(), 1) == ["10.0.0.1"]


@pytest.mark.parametrize(
    ("path", "wide"),
    [
        ("/", "GET // and below"), ("/issues/FB-1", "GET /issues/ and below"),
        ("/explore/charts/sizes/", "GET /explore/ and below"), ("/api/v1/issues/7/", "GET /api/v1/issues/ and below"),
    ],
)  # fmt: skip
def test_a_kind_of_request_is_its_address_or_else_where_it_lies(path: str, wide: str) -> None:
    assert kinds(scope(path)) == (f"GET {path}", wide)


def test_the_application_can_ask_whether_others_wait() -> None:
    release = threading.Event()
    waiting: list[bool] = []

    def held(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        release.wait(5)
        waiting.append(environ[CROWDED]())
        start("200 OK", [])
        return [b""]

    async def work() -> None:
        served = front(held, threads=1)
        some = [asyncio.create_task(ask(served, scope())) for _ in range(3)]
        await asyncio.sleep(0.05)
        release.set()
        await asyncio.gather(*some)
        assert waiting == [True, True, False]

    run(work())
