"""Validators of responses: an ETag over the rendered bytes, and 304 when the client already has them."""

import hashlib

from django.http import HttpRequest, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from rest_framework.response import Response

FRESH = "public, max-age=60"
DESCRIBES_BODY = {"content-type", "content-length"}


def validate(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Add ETag and Cache-Control; answer 304 when `If-None-Match` has that ETag. A view's own Cache-Control stays."""
    patch_vary_headers(response, ["Accept"])
    if not isinstance(response, Response) or request.method not in ("GET", "HEAD") or response.status_code != 200:
        response.headers["Cache-Control"] = "no-store"
        return response
    if response.has_header("Cache-Control"):
        return response
    response.render()
    etag = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = FRESH
    if not is_known(etag, request.headers.get("If-None-Match", "")):
        return response
    headers = {name: value for name, value in response.headers.items() if name.lower() not in DESCRIBES_BODY}
    return HttpResponseNotModified(headers=headers)


def is_known(etag: str, if_none_match: str) -> bool:
    """Whether `If-None-Match` matches the ETag, by weak comparison (RFC 9110, 13.1.2): a proxy may have weakened it."""
    etags = [listed.strip().removeprefix("W/") for listed in parse_etags(if_none_match)]
    return "*" in etags or etag in etags
