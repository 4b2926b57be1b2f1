"""What each kind of fault does to an answer; which requests it meets is decided in `faults`."""

import random
from collections.abc import Callable
from typing import Any

from tests.doubles.github.churn import USUAL, change_some
from tests.doubles.github.faults import Fault
from tests.doubles.github.graphql import Prepared, undefined_fields
from tests.doubles.github.limits import Block
from tests.doubles.github.repository_changes import RepositoryChanges
from tests.doubles.github.requests import Answer, Delivery, Request, refusal

PROXY_PAGE = (
    "<html>\r\n<head><title>{0}</title></head>\r\n<body>\r\n<center><h1>{0}</h1></center>\r\n</body>\r\n</html>\r\n"
)
PAGE = b"<!DOCTYPE html>\n<html><head><title>Unicorn!</title></head><body><h1>This page is taking too long.</h1></body></html>\n"  # noqa: E501
PHRASES = {502: "502 Bad Gateway", 503: "503 Service Unavailable", 504: "504 Gateway Time-out"}
WENT_WRONG = "Something went wrong while executing your query. Please include `0A1B:2C3D` when reporting this issue."
EXCEEDED = "Resource limits for this query exceeded."
MESSAGES = {
    401: "Bad credentials",
    403: "Resource not accessible by personal access token",
    404: "Not Found",
    409: "Git Repository is empty.",
    410: "Issues are disabled for this repo",
    451: "Repository access blocked",
}


def block_of(fault: Fault, now: float) -> Block | None:
    """The limit that a fault puts in force; none for other faults."""
    options = fault.options
    if fault.kind not in ("primary_limit", "secondary_limit"):
        return None
    return Block(
        until=now + options.get("seconds", 60),
        status=options.get("status", 403),
        is_secondary=fault.kind == "secondary_limit",
        retry_after=options.get("retry_after", True),
        bare=options.get("bare", False),
        graphql_type=options.get("type", "RATE_LIMIT"),
    )


def answer_instead(fault: Fault, request: Request, prepared: Prepared | None) -> Answer | None:
    """What is answered in place of the truth; None for faults that let it be answered."""
    make = INSTEAD.get(fault.kind)
    return make(fault, request, prepared) if make else None


def _server_error(fault: Fault, request: Request, prepared: Prepared | None) -> Answer:
    status = fault.options.get("status", 502)
    if status in PHRASES:
        page = PROXY_PAGE.format(PHRASES[status]).encode()
        return Answer(status, body=page, content_type="text/html", bare=True)
    return Answer(status, {"message": "Server Error"})


def _undefined_field(fault: Fault, request: Request, prepared: Prepared | None) -> Answer | None:
    return undefined_fields(prepared, fault.options["names"]) if prepared else None


def _status(fault: Fault, request: Request, prepared: Prepared | None) -> Answer:
    status = fault.options.get("status", STATUSES.get(fault.kind, 404))
    return refusal(status, fault.options.get("message") or MESSAGES.get(status, "Unknown"))


def _not_modified(fault: Fault, request: Request, prepared: Prepared | None) -> Answer | None:
    if fault.options.get("only_conditional") and "if-none-match" not in request.headers:
        return None
    return Answer(304, body=b"", cost=0)


def _html(fault: Fault, request: Request, prepared: Prepared | None) -> Answer:
    return Answer(fault.options.get("status", 200), body=PAGE, content_type="text/html; charset=utf-8")


STATUSES = {"unauthorized": 401, "empty_repository": 409, "feature_disabled": 410}
INSTEAD: dict[str, Callable[[Fault, Request, Prepared | None], Answer | None]] = {
    "server_error": _server_error,
    "too_large": _server_error,
    "undefined_field": _undefined_field,
    "status": _status,
    **dict.fromkeys(STATUSES, _status),
    "not_modified": _not_modified,
    "html": _html,
}


def delivery_of(fault: Fault) -> Delivery | None:
    """How an answer is sent because of a fault; None when as usual."""
    options = fault.options
    deliveries = {
        "cut": Delivery(cut_at=options.get("at", 0.5)),
        "truncated": Delivery(truncate_at=options.get("at", 0.5)),
        "close": Delivery(close_first=True),
        "drip": Delivery(drip_seconds=options.get("seconds", 0.02)),
        "stall": Delivery(stall_seconds=options.get("seconds", 3_600), stall_before=options.get("before", False)),
    }
    return deliveries.get(fault.kind)


def spoil(fault: Fault, answer: Answer, rng: random.Random) -> None:
    """Take nodes, or a field of them, out of a GraphQL answer and say so in its errors."""
    data: dict[str, Any] | None = answer.value.get("data") if isinstance(answer.value, dict) else None
    if fault.kind not in ("partial", "resource_limits") or not data:
        return
    options: dict[str, Any] = {"share": 1.0, "type": "RESOURCE_LIMITS_EXCEEDED", "message": EXCEEDED} | fault.options
    if fault.kind == "partial":
        options = {"share": 0.3, "type": "SERVICE_UNAVAILABLE", "message": WENT_WRONG} | fault.options
    if options.get("all"):
        answer.value = {"data": None, "errors": [{"type": options["type"], "message": options["message"]}]}
        return
    places = _places(data)
    name = options.get("field", "")
    for path in sorted(rng.sample(places, min(len(places), max(1, round(len(places) * options["share"]))))):
        where = [*path, name] if name else path
        _empty(data, where)
        error = {"type": options["type"], "path": where, "message": options["message"]}
        answer.value.setdefault("errors", []).append(error)


def _places(data: dict[str, Any]) -> list[list[Any]]:
    """The paths to everything that was asked for by id or name and found."""
    found: list[list[Any]] = []
    for key, value in data.items():
        if isinstance(value, list):
            found += [[key, index] for index, each in enumerate(value) if each is not None]
        elif value is not None and key != "rateLimit":
            found.append([key])
    return found


def _empty(data: Any, path: list[Any]) -> None:
    for step in path[:-1]:
        data = data[step]
    if isinstance(data, list) or path[-1] in data:
        data[path[-1]] = None


def churn(fault: Fault, world: RepositoryChanges) -> None:
    """Change the world between two requests."""
    options = fault.options
    repository = world.find(options["repo"]) if "repo" in options else None
    seed = options.get("seed", 1) * 1_000_003 + fault.hits
    change_some(world, repository or world.repository, count=options.get("items", 3), seed=seed,
                kinds=options.get("kinds", USUAL))  # fmt: skip
