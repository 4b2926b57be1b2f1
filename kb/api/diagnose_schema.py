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
            "healthy": FILES | {"description": "Logs of successful runs of the same kind."},
        },
        "required": ["file"],
        "additionalProperties": False,
    },
    "application/json": {
        "type": "object",
        "properties": {
            "text": {"type": "string", "minLength": 1, "description": "The log."},
            "name": {"type": "string", "description": "Its name; default “log”."},
        },
        "required": ["text"],
        "additionalProperties": False,
    },
    "text/plain": {"type": "string", "minLength": 1, "description": "The raw log."},
    "application/octet-stream": {
        "type": "string",
        "format": "binary",
        "minLength": 1,
        "description": "The log, also compressed (gzip, zstd, bzip2, xz), or an archive of logs (tar, zip).",
    },
}
DETAILS = {
    HTTPStatus.BAD_REQUEST: "It cannot be read, or a parameter is unknown; `detail` says what to do.",
    HTTPStatus.NOT_FOUND: "No such job. Jobs are deleted an hour after they finish.",
    HTTPStatus.NOT_ACCEPTABLE: "This address cannot answer in a format that the `Accept` header allows.",
    HTTPStatus.LENGTH_REQUIRED: "A form or JSON came without Content-Length.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The request is larger than the limit.",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "Unsupported content type; `detail` names the supported ones.",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many requests from this client, or too much waits to be read already; "
    "`Retry-After` says when to retry.",
}
UNREADABLE = OpenApiExample(
    "Nothing to read",
    value=problem(HTTPStatus.BAD_REQUEST, "It contains no text. Send the log itself, as text."),
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
        202: OpenApiResponse(DiagnosisJobSerializer, "The job that runs it."),
    },
    HTTPStatus.LENGTH_REQUIRED,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
)
FOUND = _responses({200: OpenApiResponse(DiagnosisJobSerializer, "The job's current state.")}, HTTPStatus.NOT_FOUND)
DELETED = _responses({204: OpenApiResponse(None, "It is gone.")}, HTTPStatus.NOT_FOUND)
