"""MCP over standard input and output: the tools over a data file, or every message handed on to a server's `/mcp`."""

import io
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
import orjson
from mcp.client import Client
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

from faultbook.sending import Hidden, NotSentError
from faultbook.tools import OfflineTools
from faultbook.web import WebError
from kb.core.diagnosis.pipeline import InputFile
from kb.core.knowledge.known import Knowledge
from kb.core.tools.catalogue import INSTRUCTIONS, VERSION
from kb.core.tools.protocol import server_of


async def serve_here(known: Knowledge) -> None:
    """Answer from this data, one tool at a time."""
    one_at_a_time = anyio.CapacityLimiter(1)

    async def in_thread(work: Callable[[], Any]) -> Any:
        return await anyio.to_thread.run_sync(work, limiter=one_at_a_time)

    await _serve(server_of(OfflineTools(known), in_thread=in_thread))


async def serve_relayed(url: str) -> None:
    """Hand everything on to the server. Raises `WebError` where it cannot be reached."""
    async with AsyncExitStack() as opened:
        try:
            client = await opened.enter_async_context(Client(url))
        except ExceptionGroup as error:
            raise WebError(f"{url} does not answer MCP. Name the address of a Faultbook server.") from error
        await _serve(_relay(client))


async def _serve(server: Server[Any]) -> None:
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _relay(client: Client) -> Server[Any]:
    async def list_tools(_context: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return await client.list_tools(cursor=params.cursor if params else None)

    async def list_resources(_context: Any, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        return await client.list_resources(cursor=params.cursor if params else None)

    async def list_templates(
        _context: Any, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return await client.list_resource_templates(cursor=params.cursor if params else None)

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await _called(client, params.name, params.arguments or {})

    async def read_resource(_context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return await client.read_resource(params.uri)

    async def complete(_context: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
        return await client.complete(params.ref, {"name": params.argument.name, "value": params.argument.value})

    return Server(
        "faultbook",
        version=VERSION,
        title="Faultbook",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_completion=complete,
    )


async def _called(client: Client, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
    """The server's result; a log is sent with stand-ins, whose names are put back into the answer."""
    if name != "diagnose_log" or not isinstance(arguments.get("text"), str):
        return await client.call_tool(name, arguments)
    hidden = Hidden()
    log = InputFile("log", io.BytesIO(arguments["text"].encode(errors="replace")))
    try:
        ((_name, text),) = await anyio.to_thread.run_sync(hidden.texts, [log])
    except NotSentError as error:
        return types.CallToolResult(content=[types.TextContent(type="text", text=str(error))], is_error=True)
    result = await client.call_tool(name, {**arguments, "text": text.decode()})
    if result.is_error:
        return result
    data = hidden.put_back(result.structured_content)
    text_again = types.TextContent(type="text", text=orjson.dumps(data).decode())
    return types.CallToolResult(content=[text_again], structured_content=data)
