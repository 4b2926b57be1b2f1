"""How the addresses of diagnoses are described: what they take, and every answer that they can give."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse

from kb.api.parameters import HEADER, STATES_OF_RATE
from kb.api.problems import MEDIA_TYPE, problem
from kb.api.serializers.diagnose import DiagnosisJobSerializer, DiagnosisSerializer
from kb.api.serializers.problems import ProblemSerializer

FILES = {"type": "array", "items": {"type": "string", "format": "binary"}}
SENT: Mapping[str, Any] = {
    "multipart/form-data": {
        "type": "object",
        "properties": {
            "file": FILES | {"description": "Logs of the run, archives of logs, Flight Recorder dumps."},
            "healthy": FILES | {"description": "Logs of runs of this kind that went well."},
        },
        "required": ["file"],
        "additionalProperties": False,
    },
    "application/json": {
        "type": "object",
        "properties": {
            "text": {"type": "string", "minLength": 1, "description": "The log."},
            "name": {"type": "string", "description": "What to call it; “log” unless given."},
        },
        "required": ["text"],
        "additionalProperties": False,
    },
    "text/plain": {"type": "string", "minLength": 1, "description": "The log as it is."},
    "application/octet-stream": {
        "type": "string",
        "format": "binary",
        "minLength": 1,
        "description": "The log, also compressed (gzip, zstd, bzip2, xz), or an archive of logs (tar, zip).",
    },
}
DETAILS = {
    HTTPStatus.BAD_REQUEST: "Nothing can be read of it, or a parameter is unknown; `detail` says what to do.",
    HTTPStatus.NOT_FOUND: "There is no such job. They are gone an hour after their end.",
    HTTPStatus.NOT_ACCEPTABLE: "The `Accept` header leaves no form in which this address can answer.",
    HTTPStatus.LENGTH_REQUIRED: "A form or JSON came without its length.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "More was sent than is taken at a time.",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "The content type is not taken; `detail` names those that are.",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many requests from this client, or too much waits to be read already; "
    "`Retry-After` says when to go on.",
}
UNREADABLE = OpenApiExample(
    "Nothing to read",
    value=problem(HTTPStatus.BAD_REQUEST, "There is not a single word in it. Give the log itself, as text."),
)
RATE = tuple(
    OpenApiParameter(name, int, HEADER, response=[200, 202, 204, 400, 404, 413, 415, 429], description=text)
    for name, text in STATES_OF_RATE
)
RESPONSE_HEADERS = (
    OpenApiParameter("Location", str, HEADER, response=[202], description="The job's address."),
    OpenApiParameter(
        "Retry-After", int, HEADER, response=[202, 429], description="Seconds to wait before the next request."
    ),
    *RATE,
)


def _responses(shapes: Mapping[int, OpenApiResponse], *problems: HTTPStatus) -> dict[Any, OpenApiResponse]:
    responses: dict[Any, OpenApiResponse] = dict(shapes)
    for status in (*problems, HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_ACCEPTABLE, HTTPStatus.TOO_MANY_REQUESTS):
        examples = [UNREADABLE] if status == HTTPStatus.BAD_REQUEST else []
        responses[int(status), MEDIA_TYPE] = OpenApiResponse(ProblemSerializer, DETAILS[status], examples)
    return responses


DIAGNOSED = _responses(
    {
        200: OpenApiResponse(DiagnosisSerializer, "The diagnosis."),
        202: OpenApiResponse(DiagnosisJobSerializer, "A job that makes it."),
    },
    HTTPStatus.LENGTH_REQUIRED,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
)
FOUND = _responses({200: OpenApiResponse(DiagnosisJobSerializer, "The job as it stands.")}, HTTPStatus.NOT_FOUND)
DELETED = _responses({204: OpenApiResponse(None, "It is gone.")}, HTTPStatus.NOT_FOUND)
