"""Compresses answers for visitors whose server has no proxy in front that does it.

What is compressed together with a secret can betray it by its length (BREACH): Django pads each answer by a random
number of bytes and masks its tokens against forgery, and an answer that may not be stored is not compressed at all.
Zstandard, which Django does not pad, is for the public API alone, whose answers hold no secret.
"""

import re
import sys

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXTS = ("text/", "font/ttf", "image/svg+xml")
# Of application/: JSON, JavaScript, XML and YAML, also as the last part of a longer name.
LANGUAGES = ("json", "javascript", "xml", "yaml", "ndjson", "x-ndjson")
# Without it, or with a weight of 0, the program does not take it.
TAKES_ZSTD = re.compile(r"\bzstd\b(?!\s*;\s*q=0(?:\.0*)?(?![.\d]))")
API, PRIVATE = "/api/v1/", "/api/v1/labeling/"
LEAST_BYTES, LEVEL = 200, 3


class Compression(GZipMiddleware):
    """Django's, for texts that may be stored. A part of a file keeps the bytes that were asked for."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """The answer, compressed if the visitor's program takes that."""
        if response.status_code == 206 or not _is_text(response) or "no-store" in response.get("Cache-Control", ""):
            return response
        if isinstance(response, HttpResponse) and _may_be_zstd(request, response):
            return _as_zstd(response)
        return super().process_response(request, response)


def _is_text(response: HttpResponseBase) -> bool:
    kind = response.get("Content-Type", "").partition(";")[0].strip()
    return kind.startswith(TEXTS) or kind.rpartition("/")[2].rpartition("+")[2] in LANGUAGES


def _may_be_zstd(request: HttpRequest, response: HttpResponse) -> bool:
    is_public = request.path_info.startswith(API) and not request.path_info.startswith(PRIVATE)
    takes_it = TAKES_ZSTD.search(request.headers.get("Accept-Encoding", ""))
    is_worth_it = len(response.content) >= LEAST_BYTES and not response.has_header("Content-Encoding")
    return bool(is_public and takes_it and is_worth_it)


def _as_zstd(response: HttpResponse) -> HttpResponse:
    response.content = zstd.compress(response.content, LEVEL)
    response.headers["Content-Length"] = str(len(response.content))
    response.headers["Content-Encoding"] = "zstd"
    patch_vary_headers(response, ("Accept-Encoding",))
    # Other bytes than what the strong ETag is of (RFC 9110, 8.8.1).
    if (etag := response.get("ETag", "")).startswith('"'):
        response.headers["ETag"] = f"W/{etag}"
    return response
