"""A small HTTP server on this machine, which answers by path as a test says, and keeps what it was sent."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Answer:
    """A status, a body, and headers beside the length, which may be told wrongly."""

    body: bytes
    status: int = 200
    length: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Served:
    """Where it listens, and the bodies that it was sent by path."""

    url: str
    sent: dict[str, bytes] = field(default_factory=dict)


@contextmanager
def serving(answers: Mapping[str, Answer]) -> Iterator[Served]:
    """Serve these answers; all other paths are 404."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.sent[self.path] = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            answer = answers.get(self.path.partition("?")[0], Answer(b'{"detail": "There is no such page."}', 404))
            self.send_response(answer.status)
            length = len(answer.body) if answer.length is None else answer.length
            for name, value in {"Content-Length": str(length), **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        do_POST = do_DELETE = do_GET  # noqa: N815 the library's names

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Served(f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
