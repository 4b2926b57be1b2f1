"""A server on loopback that takes what a site reports: traces and durations by OTLP, errors as Sentry takes them."""

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import brotli  # type: ignore[import-untyped]
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

UNPACKERS = {"gzip": gzip.decompress, "br": brotli.decompress}


@dataclass(frozen=True)
class Span:
    """A part of a trace."""

    name: str
    id: str
    parent: str
    trace: str
    attributes: dict[str, str]

    def text(self, name: str) -> str:
        return self.name if name == "name" else self.attributes.get(name, "")


@dataclass
class Collector:
    """What came, in order."""

    port: int = 0
    came: list[tuple[str, bytes]] = field(default_factory=list)

    @property
    def settings(self) -> dict[str, str]:
        """What a site needs to report here."""
        here = f"127.0.0.1:{self.port}"
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://{here}", "SENTRY_DSN": f"http://public@{here}/1"}

    @property
    def bodies(self) -> list[bytes]:
        return [body for _, body in self.came]

    def received(self, path: str) -> list[bytes]:
        return [body for where, body in list(self.came) if where == path]

    def spans(self) -> list[Span]:
        found = []
        for body in self.received("/v1/traces"):
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                found += [_span(span) for scope in resource.scope_spans for span in scope.spans]
        return found

    def span(self, name: str, value: str, *, trace: str = "") -> Span | None:
        return next((one for one in self.spans() if one.text(name) == value and trace in ("", one.trace)), None)

    def reports(self, request_id: str) -> list[dict[str, Any]]:
        """The errors of a request."""
        found = []
        for body in self.received("/api/1/envelope/"):
            for line in body.splitlines():
                event = json.loads(line)
                if event.get("tags", {}).get("request_id") == request_id:
                    found.append(event)
        return found


def _span(span: Any) -> Span:
    attributes = {one.key: one.value.string_value for one in span.attributes}
    return Span(span.name, span.span_id.hex(), span.parent_span_id.hex(), span.trace_id.hex(), attributes)


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector until the end of the block."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            unpack = UNPACKERS.get(self.headers.get("Content-Encoding", ""), bytes)
            collector.came.append((self.path, unpack(body)))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """The tests' output is not for this."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collector.port = server.server_address[1]
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
