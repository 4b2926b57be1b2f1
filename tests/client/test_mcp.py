"""`faultbook mcp`: every tool by the SDK's client over standard input and output, offline, and by way of a server."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from faultbook.__main__ import main
from faultbook.data import knowledge
from faultbook.tools import OfflineTools
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from pytest_django.live_server_helper import LiveServer

from config.embedded.layout import ROOT
from kb.core.tools.arguments import Arguments
from kb.core.tools.budget import fitted
from kb.core.tools.catalogue import TOOLS
from kb.mcp.tools import ServerTools
from tests.client.serving import Answer, serving
from tests.support.engines import PutIssuesIn

T = TypeVar("T")
# With another file as the package's own, which a checkout does not have.
PROGRAM = """
import sys
from pathlib import Path
from faultbook import data
data.SHIPPED = Path(sys.argv.pop(1))
from faultbook.__main__ import main
sys.exit(main(["mcp", *sys.argv[1:]]))
"""
LOG = "loading DeepSpeed engine\n[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
SETUP = "torch==2.3.0\nvllm==0.6.0\ndeepspeed==0.14.0\ntransformers==4.40.0\n"
RECORD = "deepspeedai/DeepSpeed#860"
CALLS: dict[str, dict[str, str]] = {
    "search_faults": {"query": "hang in ZeRO-3"},
    "get_fault": {"id": RECORD},
    "diagnose_log": {"text": LOG},
    "check_setup": {"text": SETUP},
    "likely_causes": {"symptom": "hang"},
}
ALIKE = {
    "search_faults": {"is_close", "faults"},
    "get_fault": {"id", "address", "certainty", "title", "summary", "symptoms", "causes", "fix_patterns", "do_now"},
    "diagnose_log": {"verdict", "sentence", "symptom", "lines", "causes", "do_now", "restart", "known_faults"},
    "check_setup": {"affects", "may", "compared", "packages"},
    "likely_causes": {"symptom", "issues", "with_known_cause"},
}


def with_agent(use: Callable[[Client], Awaitable[T]], data: Path, *options: str) -> T:
    """What comes of using a client of the program as an agent starts it."""
    environment = os.environ | {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'client'}",
        "FAULTBOOK_DATA": str(data.parent / "no"),
    }
    arguments = ["-c", PROGRAM, str(data), *options]
    program = StdioServerParameters(command=sys.executable, args=arguments, env=environment, cwd=str(data.parent))

    async def connected() -> T:
        async with Client(stdio_client(program)) as client:
            return await use(client)

    return asyncio.run(connected())


@pytest.mark.django_db
def test_every_tool_answers_offline_and_briefly(machine: Path, data_file: Path) -> None:
    async def use(client: Client) -> dict[str, Any]:
        assert [tool.name for tool in (await client.list_tools()).tools] == [tool.name for tool in TOOLS]
        assert "zero-3-hang" in (await client.read_resource("faultbook://playbooks/zero-3-hang")).model_dump_json()
        assert (await client.call_tool("likely_causes", {"symptom": "nope"})).is_error
        return {name: await client.call_tool(name, arguments) for name, arguments in CALLS.items()}

    for name, result in with_agent(use, data_file).items():
        assert not result.is_error, (name, result.content)
        assert len(result.model_dump_json(by_alias=True, exclude_none=True)) <= 6_000


@pytest.mark.django_db
@pytest.mark.usefixtures("starter")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_answers_are_those_of_the_server(machine: Path, search_index: PutIssuesIn, tool: Any) -> None:
    search_index()
    asked: Arguments = tool.takes(**CALLS[tool.name])
    by_server, here = (
        fitted(getattr(tools, tool.name)(asked), more=True)
        for tools in (ServerTools(visitor="1.2.3.4", site=""), OfflineTools(knowledge()))
    )
    if tool.name == "likely_causes":
        counted = [
            [(cause["code"], cause["n"], cause["of"], cause["low"]) for cause in answer["causes"]]
            for answer in (by_server, here)
        ]
        assert counted[0] == counted[1]
    assert {key: here.get(key) for key in ALIKE[tool.name]} == {key: by_server.get(key) for key in ALIKE[tool.name]}


@pytest.mark.django_db(transaction=True)
def test_with_a_server_everything_is_its_answer_and_a_log_is_sent_without_names(
    live_server: LiveServer, tmp_path: Path
) -> None:
    async def use(client: Client) -> Any:
        assert len((await client.list_tools()).tools) == len(TOOLS)
        assert (await client.call_tool("get_fault", {"id": RECORD})).is_error
        log = "gpu-17.alice.example: deepspeed: /home/alice/run\n" + LOG
        return await client.call_tool("diagnose_log", {"text": log})

    result = with_agent(use, tmp_path / "none", "--server", live_server.url)
    assert result.structured_content["verdict"] == "failure"
    assert result.structured_content["lines"][0]["line"] == 3


def test_a_server_that_does_not_answer_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with serving({"/mcp": Answer(b"<html>", 404)}) as other:
        assert main(["mcp", "--server", other.url]) == 3
    assert f"{other.url}/mcp does not answer MCP" in capsys.readouterr().err
