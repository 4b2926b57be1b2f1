"""A page that was kept a moment ago does not wait for turns, if it is for anybody; all else does."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from config.front import express
from config.front.express import CROWD_SECONDS, EXPRESS, NOTE_KEPT, ExpressLane, request_key
from tests.config.front.running import run
from tests.config.front.test_application import ask, front, scope

KEPT = ("/", b"", b"gzip")


class Site:
    """Its slow pages end together; all others are kept."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.express: list[bool] = []

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        self.express.append(environ[EXPRESS])
        if environ["PATH_INFO"] == "/slow":
            time.sleep(express.LONG_WAIT)
            self.may_end.wait(5)
        elif NOTE_KEPT in environ:
            environ[NOTE_KEPT](CROWD_SECONDS)
        start_response("200 OK", [])
        return [b""]


@pytest.mark.parametrize(
    ("path", "headers", "passes"),
    [("/", (), True), ("/other", (), False), ("/", ((b"cookie", b"a=1"),), False), ("/", ((b"range", b"0-"),), False)],
)
def test_in_a_crowd_a_kept_page_is_answered_at_once(path: str, headers: Any, passes: bool) -> None:
    site = Site()
    served = front(site, threads=1)

    async def work() -> None:
        site.may_end.set()
        for before in ("/", "/slow"):
            await ask(served, scope(before))
        site.may_end.clear()
        crowd = [asyncio.create_task(ask(served, scope("/slow"))) for _ in range(3)]
        await asyncio.sleep(0)
        newcomer = asyncio.create_task(ask(served, scope(path, headers=headers)))
        if passes:
            assert (await newcomer)[0] == 200
            assert not any(one.done() for one in crowd)
        else:
            assert not (await asyncio.wait([newcomer], timeout=0.2))[0]
        site.may_end.set()
        assert {status for status, _, _ in await asyncio.gather(newcomer, *crowd)} == {200}
        assert any(site.express) == passes

    run(work())


def test_it_passes_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    lane = ExpressLane()
    lane.note(KEPT, CROWD_SECONDS)
    assert lane.takes(KEPT)
    assert not lane.takes(("/", b"page=2", b"gzip"))
    later = time.monotonic() + CROWD_SECONDS
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert not lane.takes(KEPT)


def test_too_many_at_once_wait_like_all_others() -> None:
    lane = ExpressLane()
    lane.note(KEPT, CROWD_SECONDS)
    lane.waiting = express.MOST_WAITING
    assert not lane.takes(KEPT)


def test_what_was_asked_longest_ago_is_forgotten() -> None:
    lane = ExpressLane()
    for number in range(express.REMEMBERED + 1):
        lane.note((f"/{number}", b"", b""), CROWD_SECONDS)
    assert not lane.takes(("/0", b"", b""))
    assert lane.takes(("/1", b"", b""))


def test_only_reading_is_for_anybody() -> None:
    assert request_key(scope("/a", headers=((b"accept-encoding", b"gzip"),))) == ("/a", b"a=1", b"gzip")
    assert request_key(scope("/a", "POST")) is None
