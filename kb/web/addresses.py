"""Full addresses of our pages, for citations and for other tools."""

from django.conf import settings
from django.http import HttpRequest
from django.shortcuts import resolve_url


def absolute(request: HttpRequest, to: str) -> str:
    """The full address of a page: below SITE_URL where that is set, else as the visitor reached us.

    `to` is a page's name or path.
    """
    path = resolve_url(to)
    site: str = settings.SITE_URL
    return site.rstrip("/") + path if site else request.build_absolute_uri(path)
