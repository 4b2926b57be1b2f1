"""How the address of checks is described: what it takes, and every answer that it can give."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiResponse

from kb.api.diagnose_schema import DETAILS, FILES
from kb.api.problems import MEDIA_TYPE, problem
from kb.api.serializers.diagnose import serializer_of
from kb.api.serializers.problems import ProblemSerializer
from kb.core.check.schema import CheckData

CheckSerializer = serializer_of(CheckData)
TEXT: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "Its name, for the reasons; default “text”."},
        "text": {"type": "string", "description": "A package list, a configuration, a script, a command, ..."},
    },
    "required": ["text"],
    "additionalProperties": False,
}
SENT: Mapping[str, Any] = {
    "multipart/form-data": {
        "type": "object",
        "properties": {"file": FILES | {"description": "The files of the set-up."}},
        "required": ["file"],
        "additionalProperties": False,
    },
    "application/json": {
        "type": "object",
        "properties": {"texts": {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 200}},
        "required": ["texts"],
        "additionalProperties": False,
    },
    "text/plain": {"type": "string", "minLength": 1, "description": "One text, or several in one."},
}
NOTHING = OpenApiExample(
    "Nothing to check",
    value=problem(
        HTTPStatus.BAD_REQUEST,
        "There is nothing to check. Give a list of packages, a configuration, or a launch command.",
    ),
)
REFUSALS = (
    HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_ACCEPTABLE, HTTPStatus.LENGTH_REQUIRED,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNSUPPORTED_MEDIA_TYPE, HTTPStatus.TOO_MANY_REQUESTS,
)  # fmt: skip
REFUSED: dict[Any, OpenApiResponse] = {
    (int(status), MEDIA_TYPE): OpenApiResponse(
        ProblemSerializer, DETAILS[status], [NOTHING] if status == HTTPStatus.BAD_REQUEST else []
    )
    for status in REFUSALS
}
# A draft that is empty is refused in other words.
REFUSED_REPORT: dict[Any, OpenApiResponse] = REFUSED | {
    (int(HTTPStatus.BAD_REQUEST), MEDIA_TYPE): OpenApiResponse(ProblemSerializer, DETAILS[HTTPStatus.BAD_REQUEST])
}
CHECKED: dict[Any, OpenApiResponse] = {200: OpenApiResponse(CheckSerializer, "The findings."), **REFUSED}
