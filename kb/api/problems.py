"""Every error of the API in one shape, RFC 9457's `application/problem+json`. When to refuse is the views' business."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import Http404
from django.utils.log import log_response
from rest_framework.exceptions import APIException, NotAcceptable, NotFound, ParseError
from rest_framework.exceptions import PermissionDenied as Forbidden
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import set_rollback

from kb.health.outages import AWAY, RETRY_SECONDS, database_is_away

MEDIA_TYPE = "application/problem+json"
UNEXPECTED = "Something went wrong on our side. It has been logged; please try again later."


class ProblemRenderer(JSONRenderer):
    """JSON under the media type that says "this is an error"."""

    media_type = MEDIA_TYPE


class InvalidParametersError(APIException):
    """One or more query parameters cannot be understood."""

    status_code = HTTPStatus.BAD_REQUEST
    default_detail = "Some query parameters cannot be understood."
    default_code = "invalid"

    def __init__(self, errors: Mapping[str, Iterable[str]]) -> None:
        super().__init__()
        self.errors = [{"parameter": name, "detail": text} for name, texts in errors.items() for text in texts]


class UnavailableError(APIException):
    """The database does not answer, which passes."""

    status_code = HTTPStatus.SERVICE_UNAVAILABLE
    default_detail = AWAY
    wait = RETRY_SECONDS


def problem_response(error: Exception, context: dict[str, Any]) -> Response:
    """Answer any exception of a view; DRF calls this."""
    set_rollback()
    request: Request = context["request"]
    request.accepted_renderer = ProblemRenderer()
    request.accepted_media_type = MEDIA_TYPE
    known = _as_api_error(error)
    if known is None:
        response = Response(problem(HTTPStatus.INTERNAL_SERVER_ERROR, UNEXPECTED), HTTPStatus.INTERNAL_SERVER_ERROR)
        log_response("Internal Server Error: %s", request.path, response=response, request=request, exception=error)
        return response
    status = HTTPStatus(known.status_code)
    headers = {"Retry-After": f"{wait:.0f}"} if (wait := getattr(known, "wait", None)) is not None else {}
    response = Response(problem(status, str(known.detail), getattr(known, "errors", None)), status, headers=headers)
    if isinstance(known, UnavailableError):
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


def problem(status: HTTPStatus, detail: str, errors: list[dict[str, str]] | None = None) -> dict[str, Any]:
    """The body of a problem. Type `about:blank` means: the status says what kind of problem it is."""
    body: dict[str, Any] = {"type": "about:blank", "title": status.phrase, "status": int(status), "detail": detail}
    return body | ({"errors": errors} if errors else {})
