"""How often one visitor may have a page that costs much, and the page for who asks more often."""

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
    """The page for who asks too often."""
    return render(request, "429.html", status=429)


def within_rate(
    what: str, *, methods: tuple[str, ...] = ("GET", "HEAD", "POST"), refusal: Refusal = too_often
) -> Callable[[View[P]], View[P]]:
    """Count the requests by these methods under the rate of this name (`kb.http.rates`); refuse what is beyond it."""

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def counted(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            found = count_request(what, request) if request.method in methods else None
            if found is None or found.is_allowed:
                return view(request, *args, **kwargs)
            response = refusal(request)
            response["Retry-After"] = str(found.wait)
            add_never_cache_headers(response)
            return response

        return counted

    return decorate
