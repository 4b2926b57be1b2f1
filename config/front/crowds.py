"""While requests wait for a turn, what everybody is answered alike is answered from the cache for a second."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.cache import CacheMiddleware
from django.utils.cache import get_max_age

# Set by the front in a request's environment: did others wait when this one's turn came?
CROWDED = "faultbook.crowded"
SECONDS = 1
# Who sends one of these may be answered in another way than others.
PERSONAL = ("Cookie", "Authorization", "If-None-Match", "If-Modified-Since", "Range", "Cache-Control")


class CrowdCache(CacheMiddleware):
    """Django's cache of whole answers, for requests that do not say who asks. Without a crowd it does nothing."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        super().__init__(get_response, page_timeout=SECONDS, key_prefix="crowd")

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """The answer that somebody else just had, if there is one."""
        if request.META.get(CROWDED) and not any(request.headers.get(name) for name in PERSONAL):
            return super().process_request(request)
        request._cache_update_cache = False  # type: ignore[attr-defined]  # what Django's own notes there
        return None

    def process_response(self, request: HttpRequest, response: HttpResponseBase | str) -> HttpResponseBase | str:
        """Keep it, unless it says that it is out of date at once."""
        is_stale = isinstance(response, HttpResponse) and get_max_age(response) == 0
        return response if is_stale else super().process_response(request, response)
