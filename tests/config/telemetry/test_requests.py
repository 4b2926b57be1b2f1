"""What is noted of a request: its id, its route, a path that opens nothing, and whether it was refused."""

import json
import logging
import sys
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import RequestFactory
from django.urls import resolve
from environ import Env

from config import logs
from config.telemetry.requests import SEEN, Observed, Seen, place
from kb.health.numbers import COUNTED
from kb.http.request_ids import accepted, work_on
from tests.config.front.running import run

JOB = "0b0e7a52-6f1c-4a86-9d26-0c5d1f1f2b10"


def counted(name: str, **labels: str) -> float:
    return COUNTED.get_sample_value(name, labels) or 0.0


def answer(path: str, status: int, method: str = "GET") -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What the server saw of an answer, and what was sent."""
    sent = []

    async def application(scope: dict[str, Any], _receive: Any, send: Any) -> None:
        scope[SEEN].by_django = status != 503
        await send({"type": "http.response.start", "status": status, "headers": [(b"a", b"b")]})
        await send({"type": "http.response.body", "body": b"12345"})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "headers": [(b"x-request-id", b"from-a-proxy")]}
    run(Observed(application)(scope, None, send))
    return scope, sent


def test_an_answer_bears_the_id_and_is_counted_by_route_method_and_class_of_status() -> None:
    before = counted("faultbook_requests_total", route="studies", method="GET", status="2xx")
    scope, sent = answer("/studies/", 200)
    assert sent[0]["headers"] == [(b"a", b"b"), (b"x-request-id", b"from-a-proxy")]
    assert (scope[SEEN].status, scope[SEEN].bytes) == (200, 5)
    assert counted("faultbook_requests_total", route="studies", method="GET", status="2xx") == before + 1
    assert counted("faultbook_requests_in_progress") == 0


def test_what_the_front_refuses_is_counted_apart_and_methods_that_nobody_knows_are_one() -> None:
    before = counted("faultbook_requests_refused_total", status="503")
    answer("/studies/", 503, "BREW")
    assert counted("faultbook_requests_refused_total", status="503") == before + 1
    assert counted("faultbook_requests_total", route="studies", method="other", status="5xx") >= 1
    answer("/studies/", 500)
    assert counted("faultbook_requests_refused_total", status="503") == before + 1


@pytest.mark.parametrize(
    ("path", "status", "expected"),
    [
        ("/issues/", 200, ("search", "/issues/")),
        ("/static/css/tokens.css", 200, ("static", "/static/css/tokens.css")),
        ("/no/such/page", 404, ("none", "/no/such/page")),
        ("/no/such/page", 200, ("none", "/no/such/page")),
        ("/a\r\nb", 404, ("none", "/a%0D%0Ab")),
        ("/labeling/join/sesame/", 200, ("labeling:join", "/labeling/join/-/")),
        ("/diagnose/shared/sesame/delete/open/", 200, ("diagnose-shared-delete", "/diagnose/shared/-/delete/-/")),
        (f"/diagnose/jobs/{JOB}/", 200, ("diagnose-job", "/diagnose/jobs/-/")),
        (f"/api/v1/diagnose/jobs/{JOB}", 200, ("api-diagnosis-job", "/api/v1/diagnose/jobs/-")),
        (
            "/account/password/reset/1a-sesame/",
            200,
            ("account_reset_password_from_key", "/account/password/reset/---/"),
        ),
    ],
)
def test_a_path_is_logged_on_one_line_without_what_opens_something(
    path: str, status: int, expected: tuple[str, str]
) -> None:
    assert place(Seen("an-id-of-ours", status=status), path) == expected
    if expected[0] not in ("static", "none"):
        assert place(Seen("an-id-of-ours", match=resolve(path)), path) == expected


@pytest.mark.parametrize(
    "given", ["", "short", "a" * 65, "two words here", "*/ SELECT 1", "ümlaut-0000", "line\nline-000"]
)
def test_an_id_that_could_do_harm_is_replaced(given: str) -> None:
    assert accepted(given) != given
    assert accepted("0123-ABC_def") == "0123-ABC_def"


def record(message: str, **extra: Any) -> logging.LogRecord:
    return logging.makeLogRecord({"name": "faultbook.access", "levelname": "INFO", "msg": message, **extra})


def test_a_json_line_has_what_is_known_and_nothing_else_that_a_library_adds() -> None:
    work_on("the-request-1", task="kb.tasks.diagnose")
    line = json.loads(
        logs.lines("json").format(record("two\nlines", status=200, request="<GET '/?q=sesame'>", data={}))
    )
    work_on("")
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "INFO", "logger": "faultbook.access", "message": "two\nlines", "request_id": "the-request-1",
        "task": "kb.tasks.diagnose", "status": 200,
    }  # fmt: skip


def test_what_opens_something_is_not_in_djangos_own_lines_either(rf: RequestFactory) -> None:
    request = rf.get("/labeling/join/sesame/")
    request.resolver_match = resolve(request.path)
    broken = record("Internal Server Error: %s", args=(request.path,), request=request)
    assert logs.OneLine().filter(broken)
    assert broken.getMessage() == "Internal Server Error: /labeling/join/-/"


def test_a_stack_trace_is_one_field() -> None:
    try:
        raise ValueError("wrong")
    except ValueError:
        line = logs.lines("json").format(record("broken", exc_info=sys.exc_info()))
    assert "\n" not in line
    assert json.loads(line)["exception"].endswith("ValueError: wrong")


def test_a_line_of_text_ends_with_the_request() -> None:
    work_on("the-request-1")
    line = logs.lines("text").format(record("done"))
    work_on("")
    assert line.endswith("INFO faultbook.access done [the-request-1]")


def test_another_form_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOG_FORMAT", "xml")
    with pytest.raises(ImproperlyConfigured, match="it must be text or json"):
        logs.settings(Env())
