"""An agent: the SDK's own client, which speaks streamable HTTP to the application in this process."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx2
from asgiref.sync import async_to_sync, sync_to_async
from django.test import Client as Browser
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

T = TypeVar("T")


class ThroughDjango(httpx2.AsyncBaseTransport):
    """Hands each request to Django in the thread of the test, which holds the test's transaction."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        headers = {name: value for name, value in request.headers.items() if name != "content-length"}
        media_type = headers.pop("content-type", "application/octet-stream")

        def ask() -> Any:
            return Browser().generic(request.method, request.url.path, body, content_type=media_type, headers=headers)

        answer = await sync_to_async(ask)()
        return httpx2.Response(answer.status_code, headers=dict(answer.headers), content=answer.content)


def with_agent(use: Callable[[Client], Awaitable[T]], **options: Any) -> T:
    """What comes of using a connected client."""

    async def connected() -> T:
        async with httpx2.AsyncClient(transport=ThroughDjango()) as http:
            transport = streamable_http_client("http://testserver/mcp", http_client=http)
            async with Client(transport, **options) as client:
                return await use(client)

    return async_to_sync(connected)()


def call(tool: str, **arguments: Any) -> Any:
    """The result of one tool."""
    return with_agent(lambda client: client.call_tool(tool, arguments))
