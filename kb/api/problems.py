"""The API's error responses, all in the format of RFC 9457 (`application/problem+json`)."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import NotRequired, TypedDict

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import Http404
from django.utils.log import log_response
from rest_framework.exceptions import APIException, NotAcceptable, NotFound, ParseError
from rest_framework.exceptions import PermissionDenied as Forbidden
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import set_rollback

from kb.api.examples import JsonObject
from kb.health.outages import AWAY, RETRY_SECONDS, database_is_away
from kb.http.problem_types import type_of
from kb.http.request_ids import current

MEDIA_TYPE = "application/problem+json"
UNEXPECTED = "Something went wrong on our side. It has been logged; please try again later."


class ParameterFault(TypedDict):
    """An error in one query parameter."""

    parameter: str
    detail: str


class Problem(TypedDict):
    """The body of an error response. `type` is the path of a page about its kind (`kb.http.problem_types`)."""

    type: str
    title: str
    status: int
    detail: str
    errors: NotRequired[list[ParameterFault]]
    request_id: NotRequired[str]


class ProblemRenderer(JSONRenderer):
    """JSON under the media type of RFC 9457."""

    media_type = MEDIA_TYPE


class InvalidParametersError(APIException):
    """One or more query parameters are invalid; `errors` has each by name."""

    status_code = HTTPStatus.BAD_REQUEST
    default_detail = "Some query parameters are invalid."
    default_code = "invalid"

    def __init__(self, errors: Mapping[str, Iterable[str]]) -> None:
        super().__init__()
        self.errors: list[ParameterFault] = []
        for name, texts in errors.items():
            self.errors += [{"parameter": name, "detail": text} for text in texts]


class UnavailableError(APIException):
    """The database does not answer at the moment."""

    status_code = HTTPStatus.SERVICE_UNAVAILABLE
    default_detail = AWAY
    wait = RETRY_SECONDS


def problem_response(error: Exception, context: JsonObject) -> Response:
    """REST framework's exception handler: the response to any exception of a view."""
    set_rollback()
    request: Request = context["request"]
    request.accepted_renderer = ProblemRenderer()
    request.accepted_media_type = MEDIA_TYPE
    api_error = _as_api_error(error)
    if api_error is None:
        response = Response(problem(HTTPStatus.INTERNAL_SERVER_ERROR, UNEXPECTED), HTTPStatus.INTERNAL_SERVER_ERROR)
        log_response("Internal Server Error: %s", request.path, response=response, request=request, exception=error)
        return response
    status = HTTPStatus(api_error.status_code)
    body = problem(status, str(api_error.detail), getattr(api_error, "errors", None))
    response = Response(body, status)
    wait = getattr(api_error, "wait", None)
    if wait is not None:
        response.headers["Retry-After"] = f"{wait:.0f}"
    if isinstance(api_error, UnavailableError):
        log_response("%s: the database does not answer", request.path, response=response, request=request)
    return response


def _as_api_error(error: Exception) -> APIException | None:
    if isinstance(error, Http404):
        return NotFound("There is nothing at this address.")
    if isinstance(error, SuspiciousOperation):
        return ParseError(
            "The request is broken: its query string is too long, it has too many parameters, or it holds something"
            " that no address can."
        )
    if isinstance(error, PermissionDenied):
        return Forbidden()
    if isinstance(error, NotAcceptable):
        return NotAcceptable("This address answers in JSON only: send “Accept: application/json”.")
    if database_is_away(error):
        return UnavailableError()
    return error if isinstance(error, APIException) else None


def problem(status: HTTPStatus, detail: str, errors: list[ParameterFault] | None = None) -> Problem:
    """The body of an error response."""
    kind = type_of(status, has_errors=bool(errors))
    body: Problem = {"type": kind, "title": status.phrase, "status": int(status), "detail": detail}
    if errors:
        body["errors"] = errors
    if current():
        body["request_id"] = current()
    return body
