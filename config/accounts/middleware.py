"""Keeps responses that were made for one person out of shared caches."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.cache import add_never_cache_headers, patch_cache_control

GetResponse = Callable[[HttpRequest], HttpResponseBase]


def private_answers(get_response: GetResponse) -> GetResponse:
    """Middleware: responses for which the session was read are private; account pages are never cached at all."""
    account = reverse("account")

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if response.has_header("Cache-Control"):
            return response
        if request.path.startswith(account):
            add_never_cache_headers(response)
        elif request.session.accessed:
            patch_cache_control(response, private=True)
        return response

    return middleware
