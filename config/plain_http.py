"""Programs are refused over plain http: led to https, they would not notice that their token went in the clear."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase

from config.policy import PROGRAMS

REFUSAL = {
    "type": "about:blank",
    "title": "Forbidden",
    "status": 403,
    "detail": "Ask by https. A token that was sent by http may have been read on its way: revoke it.",
}


def refuse_programs(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware, after Django's own for security, which leads everybody else to https."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if settings.SECURE_SSL_REDIRECT and not request.is_secure() and request.path_info.startswith(PROGRAMS):
            return JsonResponse(REFUSAL, status=403, content_type="application/problem+json")
        return get_response(request)

    return middleware
