"""Text files as answers. What is in them is made elsewhere."""

from collections.abc import Iterable

from django.http import HttpResponse, StreamingHttpResponse


def download(name: str, text: str, media: str = "text/csv") -> HttpResponse:
    """The text as a file of this name."""
    return HttpResponse(text, content_type=f"{media}; charset=utf-8", headers=_headers(name))


def streamed(name: str, parts: Iterable[str], media: str = "text/csv") -> StreamingHttpResponse:
    """The same of parts that are made while they are sent."""
    return StreamingHttpResponse(parts, content_type=f"{media}; charset=utf-8", headers=_headers(name))


def _headers(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}
