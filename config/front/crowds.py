"""While requests wait for a turn, what everybody is answered alike is answered from the cache for a second.

Pages that are kept anyway are not kept here a second time: see `pages`.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.cache import CacheMiddleware
from django.utils.cache import get_max_age

# Set by the front in a request's environment: a function that says whether others wait for a turn.
CROWDED = "faultbook.crowded"
SECONDS = 1
# In a request's environment, by `pages`: what a page is made from that is going to be kept.
STAMP = "faultbook.stamp"
# Who sends one of these may be answered in another way than others.
PERSONAL = ("Cookie", "Authorization", "If-None-Match", "If-Modified-Since", "Range", "Cache-Control")


class CrowdCache(CacheMiddleware):
    """Django's cache of whole answers, for requests that do not say who asks. Without a crowd it does nothing."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        super().__init__(get_response, page_timeout=SECONDS, key_prefix="crowd")

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """The answer that somebody else just had, if there is one."""
        if request.method in ("GET", "HEAD") and not any(request.headers.get(name) for name in PERSONAL):
            request._cache_update_cache = True  # type: ignore[attr-defined]  # as Django's own middleware notes it
            return super().process_request(request) if is_crowded(request) else None
        return None

    def process_response(self, request: HttpRequest, response: HttpResponseBase | str) -> HttpResponseBase | str:
        """Keep it for those who wait by now, unless it says that it is out of date at once."""
        is_stale = isinstance(response, HttpResponse) and get_max_age(response) == 0
        is_for_all = is_crowded(request) and not is_stale and not request.META.get(STAMP)
        return super().process_response(request, response) if is_for_all else response


def is_crowded(request: HttpRequest) -> bool:
    """Does anybody wait for a turn now?"""
    crowded: Callable[[], bool] | None = request.META.get(CROWDED)
    return crowded is not None and crowded()
