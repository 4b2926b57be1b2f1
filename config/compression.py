"""Compresses answers for visitors whose server has no proxy in front that does it.

What is compressed together with a secret can betray it by its length (BREACH): Django pads each answer by a random
number of bytes and masks its tokens against forgery, and an answer that may not be stored is not compressed at all.
"""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

TEXTS = ("text/", "font/ttf", "image/svg+xml")
# Of application/: JSON, JavaScript, XML and YAML, also as the last part of a longer name.
LANGUAGES = ("json", "javascript", "xml", "yaml", "ndjson", "x-ndjson")


class Compression(GZipMiddleware):
    """Django's, for texts that may be stored. A part of a file keeps the bytes that were asked for."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """The answer, compressed if the visitor's program takes that."""
        if response.status_code == 206 or not _is_text(response) or "no-store" in response.get("Cache-Control", ""):
            return response
        return super().process_response(request, response)


def _is_text(response: HttpResponseBase) -> bool:
    kind = response.get("Content-Type", "").partition(";")[0].strip()
    return kind.startswith(TEXTS) or kind.rpartition("/")[2].rpartition("+")[2] in LANGUAGES
