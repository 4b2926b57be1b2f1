"""Rate limits of expensive pages, and the page for visitors over the limit."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers

from kb.http.rates import count_request

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]
Refusal = Callable[[HttpRequest], HttpResponse]


def too_often(request: HttpRequest) -> HttpResponse:
    """The 429 page."""
    return render(request, "429.html", status=429)


def within_rate(
    what: str, *, methods: tuple[str, ...] = ("GET", "HEAD", "POST"), refusal: Refusal = too_often
) -> Callable[[View[P]], View[P]]:
    """Decorator: count requests by these methods under the named rate (`kb.http.rates`) and refuse those beyond it."""

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def counted(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            usage = count_request(what, request) if request.method in methods else None
            if usage is None or usage.is_allowed:
                return view(request, *args, **kwargs)
            response = refusal(request)
            response["Retry-After"] = str(usage.wait)
            add_never_cache_headers(response)
            return response

        return counted

    return decorate
