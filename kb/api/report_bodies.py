"""A report that issues are asked for: what the request carries, its limits, and how that is described. Not judged."""

from collections.abc import Mapping
from typing import Annotated, Any

import orjson
from django.http import UnreadablePostError
from drf_spectacular.utils import OpenApiResponse
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError
from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.request import Request

from kb.api.bodies import JSON, LengthRequired, TooLargeProblem
from kb.api.check_schema import REFUSED_REPORT
from kb.api.serializers.diagnose import serializer_of
from kb.core.setups.facts import Setup
from kb.core.setups.reading import SetupError, read_setup
from kb.core.similar import SimilarReportData
from kb.search import Report

KB = 1024
# A body is longer in JSON than it is, by its escapes.
LARGEST_BODY, LARGEST_SETUP, LARGEST = 256 * KB, 64 * KB, 1024 * KB
HOW = 'Send JSON such as {"title": "Training hangs under ZeRO-3", "body": "...", "framework": "deepspeed"}.'
TOO_LONG = "Send at most 256 kB of text and 64 kB of set-up: the beginning of a report, and the end of its log."
SimilarReportSerializer = serializer_of(SimilarReportData)
ANSWERED: dict[Any, OpenApiResponse] = {
    200: OpenApiResponse(SimilarReportSerializer, "The issues that the report may be of."),
    **REFUSED_REPORT,
}


class _Report(BaseModel):
    """A report of a fault, whole."""

    model_config = ConfigDict(extra="forbid", strict=True)

    title: Annotated[str, StringConstraints(max_length=1_000)] = ""
    body: str = ""
    framework: Annotated[str, StringConstraints(max_length=60)] = ""
    setup: str = ""
    url: Annotated[str, StringConstraints(max_length=500)] = ""


TEXT = {"type": "string"}
SENT: Mapping[str, Any] = {
    JSON: {
        "type": "object",
        "properties": {
            "title": TEXT | {"maxLength": 1_000, "description": "The report's title."},
            "body": TEXT | {"maxLength": LARGEST_BODY, "description": "Its text, up to 256 kB."},
            "framework": TEXT
            | {"maxLength": 60, "description": "Slug of its framework, such as `vllm`; else what the text names."},
            "setup": TEXT
            | {
                "maxLength": LARGEST_SETUP,
                "description": "The run's set-up (pip freeze, a configuration, a command), up to 64 kB: says which "
                "matches are fixed in your version.",
            },
            "url": TEXT
            | {"maxLength": 500, "description": "The report's own address, if it has one: it is no match of itself."},
        },
        "additionalProperties": False,
    }
}


def received_report(request: Request) -> Report:
    """The report that the request carries. Raises API exceptions that say what to send instead."""
    media_type = str(request.META.get("CONTENT_TYPE") or "").partition(";")[0].strip().lower()
    if media_type != JSON:
        raise UnsupportedMediaType(media_type, f"“{media_type[:80]}” is not accepted here. {HOW}")
    if not request.META.get("CONTENT_LENGTH"):
        raise LengthRequired(f"Say how long the body is (Content-Length). {HOW}")
    try:
        content = request._request.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise TooLargeProblem(TOO_LONG)
        sent = _Report.model_validate(orjson.loads(content))
    except UnreadablePostError as error:
        raise ParseError("The request ended early.") from error
    except orjson.JSONDecodeError as error:
        raise ParseError(f"The body is not valid JSON ({error}). {HOW}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "The body"
        raise ParseError(f"“{where[:60]}”: {first['msg']}. {HOW}") from error
    return _checked(sent)


def _checked(sent: _Report) -> Report:
    if len(sent.body.encode()) > LARGEST_BODY or len(sent.setup.encode()) > LARGEST_SETUP:
        raise TooLargeProblem(TOO_LONG)
    title, body = (text.replace("\x00", " ").strip() for text in (sent.title, sent.body))
    if not title and not body:
        raise ParseError(f"There is neither a title nor a text. {HOW}")
    try:
        setup = read_setup([("set-up", sent.setup)]) if sent.setup.strip() else Setup()
    except SetupError as error:
        raise TooLargeProblem(str(error)) from error
    return Report(title, body, sent.framework, setup, sent.url)
