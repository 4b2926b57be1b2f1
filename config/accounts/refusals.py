"""The response to too many requests: 429, with the time to wait in words and in Retry-After."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

# allauth does not say for how long; all limits of its own that it answers with a page are per minute.
MINUTE = 60


def refuse(request: HttpRequest, seconds: int = MINUTE) -> HttpResponse:
    """The page that says when to try again; also the site's `handler429`, which allauth uses."""
    page = render(request, "429.html", {"wait": in_words(seconds)}, status=429)
    page["Retry-After"] = str(seconds)
    return page


def in_words(seconds: int) -> str:
    """A time to wait in words, rounded up, so that trying then is never too early."""
    for unit, length in (("hour", 3600), ("minute", 60)):
        if seconds > length:
            return f"{-(-seconds // length)} {unit}s"
    return "a minute" if seconds > 1 else "a second"
