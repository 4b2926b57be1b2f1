"""The error pages; none of them uses the database."""

import sys

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseServerError, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from kb.core.addresses import RepositoryAddress, issue_address
from kb.health.outages import AWAY, RETRY_SECONDS, database_is_away
from kb.http.problem_types import UNAVAILABLE
from kb.http.request_ids import current
from kb.models import Host


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400, with the view's own message if there is one."""
    reason = str(exception) if isinstance(exception, BadRequest) else ""
    return render(request, "400.html", {"reason": reason}, status=400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403, with the reason if there is one."""
    return render(request, "403.html", {"reason": str(exception)}, status=403)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django names it
    """404; for an unknown issue with a link to the original."""
    original = _original(request)
    name = "{name}#{ref}".format_map(request.resolver_match.kwargs) if original and request.resolver_match else ""
    return render(request, "404.html", {"original": original, "name": name}, status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """500, or 503 when the database does not answer. Both pages need no context processor: anything may be broken."""
    if database_is_away(sys.exc_info()[1]):
        return unavailable(request)
    return HttpResponseServerError(render_to_string("500.html"))


def unavailable(request: HttpRequest) -> HttpResponse:
    """503; as `application/problem+json` below `/api/`."""
    if request.path_info.startswith("/api/"):
        problem = {"type": UNAVAILABLE.path, "title": "Service Unavailable", "status": 503, "detail": AWAY}
        problem |= {"request_id": current()} if current() else {}
        response: HttpResponse = JsonResponse(problem, status=503, content_type="application/problem+json")
    else:
        response = HttpResponse(render_to_string("503.html"), status=503)
    response["Retry-After"] = str(RETRY_SECONDS)
    response["Cache-Control"] = "no-store"
    return response


def _original(request: HttpRequest) -> str | None:
    match = request.resolver_match
    if match is None or match.url_name not in ("issue", "cite") or match.kwargs["host"] not in Host.values:
        return None
    repository = RepositoryAddress(match.kwargs["host"], f"{match.kwargs['owner']}/{match.kwargs['name']}")
    return issue_address(repository, match.kwargs["ref"], is_pull_request=False)
