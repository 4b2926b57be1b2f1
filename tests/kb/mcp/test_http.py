"""The address `/mcp`: who may ask, how often, how much, and what a message must be. No state between messages."""

import json
from typing import Any

import pytest
from django.test import Client as Browser
from pytest_django import Settings

from kb.mcp import view
from kb.mcp.tools import ServerTools
from tests.kb.mcp.agent import call, with_agent

pytestmark = pytest.mark.django_db
ACCEPT = "application/json, text/event-stream"


def post(message: object, **headers: str) -> Any:
    body = message if isinstance(message, str) else json.dumps(message)
    sent = {"accept": ACCEPT} | {name.replace("_", "-"): value for name, value in headers.items()}
    return Browser().post("/mcp", body, content_type="application/json", headers=sent)


def request(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


INITIALIZE = request(
    "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "test", "version": "1"}
)
LIST = request("tools/list")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_clients_of_both_eras_of_the_protocol_are_answered(mode: Any) -> None:
    listed = with_agent(lambda client: client.list_tools(), mode=mode)
    assert len(listed.tools) == 5


def test_nothing_is_kept_between_messages() -> None:
    answer = post(INITIALIZE)
    assert answer.json()["result"]["serverInfo"]["name"] == "faultbook"
    assert "untrusted_" in answer.json()["result"]["instructions"]
    assert "mcp-session-id" not in answer.headers
    assert not answer.cookies
    assert len(post(LIST, mcp_protocol_version="2025-06-18").json()["result"]["tools"]) == 5
    assert post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status_code == 202
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
def test_there_are_no_streams_and_no_sessions_to_delete(method: str) -> None:
    answer = Browser().generic(method, "/mcp", headers={"accept": ACCEPT})
    assert (answer.status_code, answer["Allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://testserver.evil.example"}, 403),
        ({"origin": "http://testserver"}, 200),
        ({"host": "evil.example"}, 400),
        ({"accept": "text/html"}, 406),
        ({"mcp_protocol_version": "1999-01-01"}, 400),
    ],
)
def test_other_sites_and_other_protocols_are_refused(headers: dict[str, str], status: int) -> None:
    answer = post(LIST, **headers)
    assert answer.status_code == status
    assert b"evil" not in answer.content


@pytest.mark.parametrize("body", ["", "{", "[]", "1", "[" * 100_000, '{"jsonrpc":"2.0"}', "\0", '"\\ud800"'])
def test_what_is_no_message_is_a_bad_request(body: str) -> None:
    assert post(body).status_code == 400


def test_a_body_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "LARGEST", 1_000)
    assert post("x" * 1_000).status_code == 400
    assert post("x" * 1_001).status_code == 413


def test_a_log_beyond_djangos_own_limit_on_forms_is_taken(settings: Settings) -> None:
    assert settings.DATA_UPLOAD_MAX_MEMORY_SIZE < 4_000_000
    text = "iteration 1 loss 2.0\n" * 200_000
    assert call("diagnose_log", text=text).structured_content["verdict"] == "incomplete"


def test_messages_are_counted_like_requests_of_the_api(settings: Settings) -> None:
    settings.REST_FRAMEWORK = settings.REST_FRAMEWORK | {"DEFAULT_THROTTLE_RATES": {"anon": "2/min"}}
    assert [post(LIST).status_code for _ in range(3)] == [200, 200, 429]
    assert int(post(LIST)["Retry-After"]) > 0
    assert Browser().get("/api/v1/frameworks/").status_code == 429


@pytest.mark.parametrize(
    ("rate", "tool", "arguments"),
    [
        ("search", "search_faults", {"query": "hang"}),
        ("search", "likely_causes", {"symptom": "hang"}),
        ("diagnosis", "diagnose_log", {"text": "RuntimeError: boom"}),
        ("diagnosis", "check_setup", {"text": "torch==2.3.0"}),
    ],
)
def test_costly_tools_have_the_rates_of_their_pages(
    settings: Settings, rate: str, tool: str, arguments: dict[str, str]
) -> None:
    settings.REST_FRAMEWORK = settings.REST_FRAMEWORK | {"DEFAULT_THROTTLE_RATES": {rate: "1/h"}}
    call(tool, **arguments)
    refused = call(tool, **arguments)
    assert refused.is_error
    assert "Try again in" in refused.content[0].text


def test_a_fault_of_ours_tells_nothing_of_the_inside(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret of the inside")

    monkeypatch.setattr(ServerTools, "get_fault", fail)
    refused = call("get_fault", id="1")
    assert refused.is_error
    assert "secret" not in refused.model_dump_json()
    assert "secret of the inside" in caplog.text
