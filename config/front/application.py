"""The ASGI application: a request's way from its body through a turn in a thread to its answer.

Health is answered beside all this: /healthz by the event loop itself, /readyz and /metrics by threads of
their own, so that they answer while all others are busy. So is, in a crowd, a page that was kept a moment ago.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import IO, Any

from asgiref.wsgi import WsgiToAsgiInstance

from config.front.answers import Answer, send_answer
from config.front.bodies import Bodies, FullError, GoneError, TooLongError, TooSlowError
from config.front.crowds import CROWDED
from config.front.express import EXPRESS, LONG_WAIT, NOTE_KEPT, ExpressLane, request_key
from config.front.turns import BusyError, Turns
from config.telemetry.requests import SEEN
from kb.http.visitors import address_named, counted_as

logger = logging.getLogger(__name__)

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
BUSY = b"Many people ask at the moment. Try again in a moment.\n"
RETRY_AFTER = b"2"
BESIDE = ("/readyz", "/metrics")
# Where a body may still be under way, the connection is of no more use.
CLOSE = (b"connection", b"close")


class Front:
    """Runs a WSGI application in `threads`; `waiting` requests may wait for one, each for `seconds`."""

    def __init__(self, wsgi: Wsgi, *, threads: int, waiting: int, seconds: float, bodies: Bodies, proxies: int) -> None:
        self._wsgi = wsgi
        self._turns = Turns(at_once=threads, waiting=waiting, seconds=seconds)
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="request")
        self._health = ThreadPoolExecutor(len(BESIDE), thread_name_prefix="health")
        self._express, self._express_thread = ExpressLane(), ThreadPoolExecutor(1, thread_name_prefix="express")
        self._bodies = bodies
        self._proxies = proxies

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """One request."""
        if scope["type"] != "http":
            return
        if any(b"_" in name for name, _ in scope["headers"]):
            # WSGI cannot tell X_Forwarded_For from X-Forwarded-For, which only the proxy may set.
            await _say(send, 400, b"A header's name has an underscore, which is not allowed here.\n", CLOSE)
        elif scope["path"] == "/healthz" and scope["method"] in ("GET", "HEAD"):
            await _say(send, 200, b"ok\n")
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        names = visitors(scope, self._proxies)
        try:
            async with self._bodies.body(receive, names[0]) as body:
                await self._work(scope, body, send, names)
        except GoneError:
            return
        except TooSlowError:
            await _say(send, 408, b"The request's body did not come in time.\n", CLOSE)
        except TooLongError:
            await _say(send, 413, b"The request's body is too long.\n", CLOSE)
        except BusyError:
            await _say(send, 503, BUSY, (b"retry-after", RETRY_AFTER))
        except FullError:
            await _say(send, 503, BUSY, (b"retry-after", RETRY_AFTER), CLOSE)

    async def _work(self, scope: dict[str, Any], body: IO[bytes], send: Any, names: list[str]) -> None:
        answer = Answer(asyncio.get_running_loop())
        try:
            if scope["path"] in BESIDE:
                await self._beside(self._health, scope, body, answer, send)
            elif self._turns.wait() > LONG_WAIT and self._express.takes(request_key(scope)):
                self._express.waiting += 1
                try:
                    await self._beside(self._express_thread, scope, body, answer, send, is_express=True)
                finally:
                    self._express.waiting -= 1
            else:
                await self._in_turn(names, scope, body, answer, send)
        finally:
            answer.close()

    async def _beside(
        self,
        threads: ThreadPoolExecutor,
        scope: dict[str, Any],
        body: IO[bytes],
        answer: Answer,
        send: Any,
        *,
        is_express: bool = False,
    ) -> None:
        run = partial(self._run, scope, body, answer, is_express=is_express)
        work = asyncio.get_running_loop().run_in_executor(threads, run)
        await asyncio.gather(work, send_answer(answer, send))

    async def _in_turn(
        self, names: list[str], scope: dict[str, Any], body: IO[bytes], answer: Answer, send: Any
    ) -> None:
        """The turn ends with the work; sending may take longer. A visitor who goes away ends the sending only."""
        async with self._turns.turn(*names, kinds=kinds(scope)):
            sending = asyncio.ensure_future(send_answer(answer, send))
            work = asyncio.get_running_loop().run_in_executor(self._threads, self._run, scope, body, answer)
            try:
                await asyncio.shield(work)
            finally:
                if not work.done():
                    sending.cancel()
                    answer.close()
                    await asyncio.wait({work})
        try:
            await sending
        except TimeoutError:
            logger.info("Nobody reads the answer to %r any more", scope["path"])
        finally:
            sending.cancel()

    def _run(self, scope: dict[str, Any], body: IO[bytes], answer: Answer, *, is_express: bool = False) -> None:
        """In a thread: Django's answer, piece by piece."""
        try:
            environ = environ_of(scope, body) | {CROWDED: self._turns.is_crowded, SEEN: scope.get(SEEN)}
            environ[EXPRESS] = is_express
            key = request_key(scope)
            if key is not None:
                environ[NOTE_KEPT] = partial(self._express.note, key)
            pieces = self._wsgi(environ, _starter(answer))
            try:
                for piece in pieces:
                    answer.write(piece)
            finally:
                close = getattr(pieces, "close", None)
                if close is not None:
                    close()
        except BrokenPipeError:
            return
        except Exception:
            logger.exception("The answer to %r broke off", scope["path"])
            if not answer.status:
                answer.start(500, [(b"content-type", b"text/plain"), CLOSE])
        finally:
            answer.finish()


def environ_of(scope: dict[str, Any], body: IO[bytes]) -> dict[str, Any]:
    """The request as WSGI has it; its length is that of the body, whatever the header said."""
    instance = WsgiToAsgiInstance(None, None)
    instance.scope = scope
    environ: dict[str, Any] = instance.build_environ(scope, body)
    body.seek(0, 2)
    length = body.tell()
    body.seek(0)
    if length or "CONTENT_LENGTH" in environ:
        environ["CONTENT_LENGTH"] = str(length)
    environ["wsgi.input_terminated"] = True
    return environ


def visitors(scope: dict[str, Any], proxies: int) -> list[str]:
    """Whose request it is, for turns: the address, as everywhere, and the connection where it is the visitor's own."""
    forwarded = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for").decode("latin1")
    peer, port = scope.get("client") or ("", 0)
    address = counted_as(address_named(str(peer), forwarded, proxies=proxies))
    return [address] if proxies else [address, f"{peer} {port}"]


def kinds(scope: dict[str, Any]) -> tuple[str, str]:
    """What takes about as long as the request: its address, and where it lies."""
    parts = scope["path"].split("/", 4)
    place = "/".join(parts[: 4 if parts[1:2] == ["api"] else 2])
    return f"{scope['method']} {scope['path']}", f"{scope['method']} {place}/ and below"


def _starter(answer: Answer) -> Callable[..., Any]:
    def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:  # noqa: ARG001
        sent = [(name.lower().encode("latin1"), value.encode("latin1")) for name, value in headers]
        answer.start(int(status.split(" ", 1)[0]), sent)
        return answer.write

    return start_response


async def _say(send: Any, status: int, words: bytes, *headers: tuple[bytes, bytes]) -> None:
    """A short answer without Django."""
    told = [
        (b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(words)).encode()),
        (b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"), *headers,
    ]  # fmt: skip
    await send({"type": "http.response.start", "status": status, "headers": told})
    await send({"type": "http.response.body", "body": words})
