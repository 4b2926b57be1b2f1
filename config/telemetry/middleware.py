"""The outermost middleware: tells the thread its request's id, and notes what Django finds out about the request."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import SimpleLazyObject

from config.telemetry.requests import SEEN, Seen
from kb.http.request_ids import work_on

GetResponse = Callable[[HttpRequest], HttpResponseBase]


def observed(get_response: GetResponse) -> GetResponse:
    """Middleware; where no front is, as in most tests, it does nothing."""
    if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        from config.telemetry.tracing import traced

        get_response = traced(get_response)

    def middleware(request: HttpRequest) -> HttpResponseBase:
        seen: Seen | None = request.META.get(SEEN)
        if seen is None:
            return get_response(request)
        seen.by_django = True
        # Until the thread's next request: an answer may be written after this returns.
        work_on(seen.id)
        response = get_response(request)
        seen.match, seen.user = request.resolver_match, _user_id(request)
        return response

    return middleware


def _user_id(request: HttpRequest) -> int | None:
    """The id of who asks, if the answer needed to know; asking for it would make every page personal."""
    user = request.__dict__.get("_cached_user") or request.__dict__.get("user")
    # `isinstance` would look the user up.
    return None if user is None or type(user) is SimpleLazyObject else user.pk
