"""The tools and resources as MCP has them: lists, calls, errors and completions over any `Knowledge`.

The transport is brought by the server (HTTP, `kb.mcp`) or the client (standard input and output). What the tools find
is not here.
"""

import logging
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, TypeVar
from urllib.parse import unquote

import mcp_types as types
import orjson
from mcp.server.caching import CacheHint
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ValidationError

from kb.core.fault_playbooks import fault_playbook, fault_playbooks
from kb.core.tools import answers, arguments
from kb.core.tools.budget import fitted
from kb.core.tools.catalogue import (
    INSTRUCTIONS,
    PLAYBOOKS,
    RECORDS,
    TOOLS,
    VERSION,
    Knowledge,
    Tool,
    ToolProblemError,
)

log = logging.getLogger(__name__)

T = TypeVar("T")
InThread = Callable[[Callable[[], T]], Awaitable[T]]
JSON = "application/json"
MOST_COMPLETIONS, PAGE = 20, 25
HOUR_MS = 3_600_000
BY_NAME = {tool.name: tool for tool in TOOLS}
READ_ONLY = types.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
TEMPLATES = (
    types.ResourceTemplate(
        name="record", title="One fault", uri_template=f"{RECORDS}{{id}}", mime_type=JSON,
        description="Everything that is known of one fault.",
    ),
    types.ResourceTemplate(
        name="playbook", title="Playbook of a common fault", uri_template=f"{PLAYBOOKS}{{slug}}", mime_type=JSON,
        description="What to check first about a common fault, what each check tells, and what to do.",
    ),
)  # fmt: skip


def called(knowledge: Knowledge, name: str, given: dict[str, Any]) -> types.CallToolResult:
    """The result of a tool. What goes wrong is a result, too, which says what to do."""
    tool = BY_NAME.get(name)
    if tool is None:
        return _problem(f"There is no such tool. The tools are: {', '.join(BY_NAME)}.")
    try:
        asked = tool.takes.model_validate(given)
        answer: answers.Answer = getattr(knowledge, name)(asked)
    except ValidationError as error:
        return _problem(_wrong_arguments(tool, error))
    except ToolProblemError as error:
        return _problem(str(error))
    data = fitted(answer, more=asked.is_long)
    text = orjson.dumps(data).decode()
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], structured_content=data)


def server_of(knowledge: Knowledge, *, in_thread: InThread[Any]) -> Server[Any]:
    """An MCP server that answers from `knowledge`, whose methods are called by `in_thread`."""

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        given = params.arguments or {}
        try:
            result: types.CallToolResult = await in_thread(lambda: called(knowledge, params.name, given))
        except Exception:
            log.exception("The tool %s failed", params.name if params.name in BY_NAME else "(unknown)")
            return _problem("The tool failed, which is our fault. Try again later, or use another tool.")
        return result

    async def read_resource(_context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        text = await in_thread(lambda: resource(knowledge, params.uri))
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=params.uri, text=text, mime_type=JSON)]
        )

    async def complete(_context: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
        values = await in_thread(lambda: completions(knowledge, params))
        return types.CompleteResult(completion=types.Completion(values=values))

    return Server(
        "faultbook",
        version=VERSION,
        title="Faultbook",
        instructions=INSTRUCTIONS,
        cache_hints={
            method: CacheHint(HOUR_MS, "public")
            for method in ("tools/list", "resources/list", "resources/templates/list")
        },
        on_list_tools=_list_tools,
        on_call_tool=call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=read_resource,
        on_completion=complete,
    )


def resource(knowledge: Knowledge, uri: str) -> str:
    """The text of a record or playbook. Raises `MCPError`."""
    if uri.startswith(RECORDS) and len(uri) < len(RECORDS) + 400:
        try:
            fault = knowledge.get_fault(arguments.GetFault(id=unquote(uri.removeprefix(RECORDS)) or "?", more=True))
        except ToolProblemError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        return orjson.dumps(fitted(fault, more=True)).decode()
    if uri.startswith(PLAYBOOKS) and (playbook := fault_playbook(uri.removeprefix(PLAYBOOKS))):
        return playbook.model_dump_json(exclude_none=True, exclude={"tried", "asked"})
    raise MCPError(types.INVALID_PARAMS, "There is no such resource. See resources/templates/list for what there is.")


def completions(knowledge: Knowledge, params: types.CompleteRequestParams) -> list[str]:
    """Ids of records, or slugs of playbooks, that begin like what was typed."""
    uri = getattr(params.ref, "uri", "")
    if uri == TEMPLATES[0].uri_template:
        return knowledge.record_ids(params.argument.value[:60], MOST_COMPLETIONS)
    if uri == TEMPLATES[1].uri_template:
        slugs = sorted(playbook.slug for playbook in fault_playbooks())
        return [slug for slug in slugs if slug.startswith(params.argument.value)][:MOST_COMPLETIONS]
    return []


async def _list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=list(_tools()))


async def _list_templates(_context: Any, _params: Any) -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult(resource_templates=list(TEMPLATES))


async def _list_resources(_context: Any, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    """The playbooks; records are too many to be listed and have a template."""
    cursor = (params and params.cursor) or "0"
    if not cursor.isascii() or not cursor.isdigit() or len(cursor) > 4:
        raise MCPError(types.INVALID_PARAMS, "The cursor is not one of ours. Begin without one.")
    start, playbooks = int(cursor), fault_playbooks()
    listed = [
        types.Resource(uri=f"{PLAYBOOKS}{playbook.slug}", name=playbook.slug, title=playbook.name, mime_type=JSON)
        for playbook in playbooks[start : start + PAGE]
    ]
    following = str(start + PAGE) if start + PAGE < len(playbooks) else None
    return types.ListResourcesResult(resources=listed, next_cursor=following)


@cache
def _tools() -> tuple[types.Tool, ...]:
    return tuple(
        types.Tool(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            input_schema=_schema(tool.takes),
            output_schema=_schema(tool.answers),
            annotations=READ_ONLY,
        )
        for tool in TOOLS
    )


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema(mode="validation")


def _problem(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=message)], is_error=True)


def _wrong_arguments(tool: Tool, error: ValidationError) -> str:
    """What is wrong with the arguments, by name; unknown names and values are not repeated."""
    known = tool.takes.model_fields
    wrong = [
        f"{each['loc'][0]}: {each['msg']}."
        for each in error.errors(include_url=False, include_input=False)
        if each["loc"] and each["loc"][0] in known
    ]
    return " ".join([*wrong, f"{tool.name} takes: {', '.join(known)}."])
