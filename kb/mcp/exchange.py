"""One request through the SDK's streamable HTTP, without any state: its own event loop, in and out of this thread.

The SDK knows the protocol (versions, headers, JSON-RPC); body, thread and time are the front's (`config.front`). Tools
run in the request's thread, which holds its connection to the database.
"""

from dataclasses import dataclass, field
from typing import Any

import anyio
from asgiref.sync import async_to_sync, sync_to_async
from django.http import HttpRequest
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from kb.core.tools.catalogue import Knowledge
from kb.core.tools.protocol import server_of

# What an exchange reads: nobody else's headers need to reach the SDK.
HEADERS = ("accept", "content-type", "host", "mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id")


@dataclass
class Reply:
    """The SDK's answer."""

    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    async def send(self, message: Any) -> None:
        """Take a part of it."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode("latin1"): value.decode("latin1") for name, value in message["headers"]}
        else:
            self.body += message.get("body", b"")


def reply_to(request: HttpRequest, body: bytes, knowledge: Knowledge) -> Reply:
    """What MCP answers to this body."""
    reply = Reply()
    async_to_sync(_exchange)(_scope(request), body, knowledge, reply)
    return reply


async def _exchange(scope: dict[str, Any], body: bytes, knowledge: Knowledge, reply: Reply) -> None:
    server = server_of(knowledge, in_thread=lambda work: sync_to_async(work)())
    manager = StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=max(1, len(body))
    )
    parts = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        return parts.pop() if parts else await anyio.sleep_forever()

    async with manager.run():
        await manager.handle_request(scope, receive, reply.send)


def _scope(request: HttpRequest) -> dict[str, Any]:
    headers = [
        (name.encode(), value.encode("latin1", "replace"))
        for name in (*HEADERS, *_argument_headers(request))
        if (value := request.headers.get(name))
    ]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": headers,
        "client": None,
        "server": None,
    }


def _argument_headers(request: HttpRequest) -> list[str]:
    """The headers that repeat arguments, which the SDK compares with the body."""
    return [name.lower() for name in request.headers if name.lower().startswith("mcp-param-")]
