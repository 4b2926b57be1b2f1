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
    """Give an answer its ETag and freshness; answer 304 when `If-None-Match` names that ETag.

    What a view says of caches stands.
    """
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
    kept = {name: value for name, value in response.headers.items() if name.lower() not in DESCRIBES_BODY}
    return HttpResponseNotModified(headers=kept)


def is_known(etag: str, if_none_match: str) -> bool:
    """Does the client's list name the ETag? Compared weakly (RFC 9110, 13.1.2): a proxy may have weakened it."""
    listed = [one.strip().removeprefix("W/") for one in parse_etags(if_none_match)]
    return "*" in listed or etag in listed
