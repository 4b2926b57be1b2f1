"""The double's sockets: a real HTTP server on 127.0.0.1, in threads of this process, that sends well or badly.

What is answered is decided in `answering`; here it is put on the wire, cut short, dripped or held back as told.
"""

import contextlib
import socket
import sys
import threading
import traceback
from http.client import responses
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.doubles.github.answering import Answering
from tests.doubles.github.control import PREFIX, Control
from tests.doubles.github.limits import Limits
from tests.doubles.github.requests import ENTERPRISE, Answer, Request
from tests.doubles.github.world import World

PATIENCE = 0.05


class GitHubDouble(Answering):
    """A running double. Use it with `with`, or call `start` and `stop`.

    `enterprise`: the addresses have the form of an Enterprise server's. `recipe` is what the world was made from, for
    `/_double/reset` to make it anew.
    """

    def __init__(
        self,
        world: World,
        *,
        port: int = 0,
        enterprise: bool = False,
        recipe: dict[str, Any] | None = None,
        limits: Limits | None = None,
        tokens: set[str] | None = None,
        cursors: bool = False,
        seed: int = 1,
    ) -> None:
        super().__init__(world, limits=limits, tokens=tokens, cursors=cursors, seed=seed)
        self.enterprise, self.recipe = enterprise, recipe
        self.control = Control(self)
        self.stopped = threading.Event()
        self.errors: list[str] = []
        self.connections: set[socket.socket] = set()
        self._server = _Server(("127.0.0.1", port), _Handler, self)
        serve = self._server.serve_forever
        self._thread = threading.Thread(target=serve, kwargs={"poll_interval": PATIENCE / 5}, daemon=True)

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_address[1])

    @property
    def root(self) -> str:
        """The address of the server without any path."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def api_url(self) -> str:
        """The root of the REST interface, without a slash at its end."""
        return f"{self.root}{ENTERPRISE if self.enterprise else ''}"

    @property
    def graphql_url(self) -> str:
        """The address of the GraphQL interface."""
        return f"{self.root}{'/api/graphql' if self.enterprise else '/graphql'}"

    def start(self) -> Self:
        """Begin to answer."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop answering and break off every connection."""
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self.errors and error is None:
            raise AssertionError("the double itself failed:\n" + "\n".join(self.errors))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, address: tuple[str, int], handler: type["_Handler"], double: GitHubDouble) -> None:
        self.double = double
        super().__init__(address, handler)

    def handle_error(self, *_: Any) -> None:
        """Clients that hang up are no news; anything else is a fault of the double and fails the test."""
        if not isinstance(sys.exc_info()[1], OSError):
            self.double.errors.append(traceback.format_exc())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.double = self.server.double
        self.double.connections.add(self.connection)

    def finish(self) -> None:
        self.double.connections.discard(self.connection)
        with contextlib.suppress(OSError):
            super().finish()

    def log_message(self, format: str, *args: Any) -> None:
        """The log is the double's own."""

    def do_GET(self) -> None:
        self.serve()

    def do_POST(self) -> None:
        self.serve()

    def serve(self) -> None:
        """Answer one request."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): text for name, text in self.headers.items()}
        request = Request(self.command, self.path, headers, body, headers.get("host", ""))
        desk = self.double.control if self.path.startswith(PREFIX) else self.double
        answer = desk.answer(request)
        try:
            self.send(answer)
        except OSError:  # the client has gone
            self.close_connection = True

    def send(self, answer: Answer) -> None:
        """Put an answer on the wire as its delivery says."""
        how, body = answer.delivery, answer.body or b""
        if how.close_first:
            self.hang_up()
            return
        if how.truncate_at is not None:
            body = body[: int(len(body) * how.truncate_at)]
        head = self.head(answer, len(body))
        if how.is_plain or how.truncate_at is not None:
            self.connection.sendall(head + body)
            return
        if how.cut_at is not None:
            self.connection.sendall(head + body[: int(len(body) * how.cut_at)])
        elif how.stall_seconds:
            self.connection.sendall(b"" if how.stall_before else head)
            self.wait(how.stall_seconds)
        else:
            self.drip(head, body, how.drip_seconds)
            return
        self.hang_up()

    def head(self, answer: Answer, length: int) -> bytes:
        """The status line and the headers."""
        lines = [f"HTTP/1.1 {answer.status} {responses.get(answer.status, 'Unknown')}"]
        lines += [f"{name}: {value}" for name, value in answer.headers.items()]
        if answer.status != 304:
            lines.append(f"Content-Length: {length}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def drip(self, head: bytes, body: bytes, seconds: float) -> None:
        """Send the body a byte at a time."""
        self.connection.sendall(head)
        for index in range(len(body)):
            self.connection.sendall(body[index : index + 1])
            if self.double.stopped.wait(seconds):
                break

    def wait(self, seconds: float) -> None:
        """Send nothing for a time, or until the client hangs up or the double is stopped."""
        self.connection.settimeout(PATIENCE)
        for _ in range(int(seconds / PATIENCE)):
            if self.double.stopped.is_set():
                return
            with contextlib.suppress(TimeoutError):
                if not self.connection.recv(1, socket.MSG_PEEK):
                    return
                self.double.stopped.wait(PATIENCE)

    def hang_up(self) -> None:
        """Close the connection."""
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
