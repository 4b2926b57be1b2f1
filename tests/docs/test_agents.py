"""Every example of the page for agents: the program runs, commands and configurations name what is there."""

import json
import shlex
from urllib.parse import urlsplit

import pytest
from django.db import transaction
from django.test import Client as Browser
from faultbook.commands import COMMANDS
from pytest_django.live_server_helper import LiveServer

from config.embedded.layout import ROOT
from kb.core.tools.budget import MOST_TOKENS, MOST_TOKENS_OF_MORE
from kb.core.tools.catalogue import TOOLS
from kb.mcp.view import LARGEST
from tests.docs.markdown import Page
from tests.docs.shell import SITE
from tests.support.engines import PutIssuesIn

PAGE = Page(ROOT / "docs" / "agents.md")


@pytest.mark.django_db(transaction=True)
def test_the_program_runs(
    request: pytest.FixtureRequest,
    live_server: LiveServer,
    search_index: PutIssuesIn,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # Keys among its rows are checked at the end of a transaction.
    with transaction.atomic():
        request.getfixturevalue("starter")
    search_index()
    (program,) = PAGE.blocks("python")
    exec(program.replace(SITE, live_server.url), {})  # noqa: S102 - our own docs
    assert "https://github.com/deepspeedai/DeepSpeed/issues/860" in capsys.readouterr().out


def test_configurations_name_the_address_and_the_command() -> None:
    by_address, by_command = (json.loads(block)["mcpServers"]["faultbook"] for block in PAGE.blocks("json"))
    assert by_address["url"] == f"{SITE}/mcp"
    assert by_command["args"][-2:] == ["faultbook", "mcp"]
    assert "mcp" in COMMANDS


def test_the_host_is_given_the_address() -> None:
    (command,) = [line for block in PAGE.blocks("sh") for line in block.splitlines() if line.startswith("claude ")]
    assert urlsplit(shlex.split(command)[-1]).path == "/mcp"


def test_tools_and_limits_are_those_of_the_code() -> None:
    for tool in TOOLS:
        (row,) = [line for line in PAGE.text.splitlines() if line.startswith(f"| `{tool.name}` |")]
        for argument in tool.takes.model_fields.keys() - {"more"}:
            assert f"`{argument}`" in row
    assert f"at most {MOST_TOKENS:,} tokens" in PAGE.text
    assert f"{MOST_TOKENS_OF_MORE:,} with" in PAGE.text
    assert f"| a message | {LARGEST >> 20} MB;" in PAGE.text


@pytest.mark.django_db
@pytest.mark.parametrize(("path", "kind"), [("/llms.txt", "text/plain"), ("/skill.md", "text/markdown")])
def test_agents_are_told_what_is_here(client: Browser, path: str, kind: str) -> None:
    answer = client.get(path)
    text = answer.content.decode()
    assert answer["Content-Type"] == f"{kind}; charset=utf-8"
    assert len(text.splitlines()) <= 100
    assert "http://testserver/mcp" in text
    for tool in TOOLS:
        assert f"`{tool.name}`" in text


@pytest.mark.django_db
@pytest.mark.usefixtures("starter")
def test_every_address_of_llms_txt_answers(client: Browser) -> None:
    text = client.get("/llms.txt").content.decode()
    paths = [urlsplit(link).path for link in text.replace(")", "(").split("(") if link.startswith("http://testserver/")]
    assert len(paths) > 12
    for path in paths:
        assert client.get(path).status_code in ((405,) if path == "/mcp" else (200,)), path
