"""Requests by HTTP, made only where the user named a server: sizes and times are limited, and errors say what to do."""

import json
import time
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException, HTTPMessage
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from faultbook import __version__
from faultbook.commands import NoAnswerError

MIB = 1024 * 1024
BLOCK = 64 * 1024
# How long a server may be silent, and how long an answer may take as a whole.
SILENT_SECONDS, MOST_SECONDS = 60, 300
LONGEST_PROBLEM = 64 * 1024


class WebError(NoAnswerError):
    """The server gave no answer that can be used; the message says why and what to do."""


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a server elsewhere, but not from an encrypted connection to a plain one, and never with what was sent."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        if req.data is not None:
            raise WebError(f"{req.full_url} has moved to {newurl}. Name that address.")
        if req.type == "https" and not newurl.startswith("https:"):
            raise WebError(f"{req.full_url} leads to {newurl}, which is not encrypted. It was not followed.")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener() -> urllib.request.OpenerDirector:
    """Opens http and https, and nothing else that addresses may name."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(), urllib.request.HTTPHandler(), urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(), _Redirects(), urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
    ):  # fmt: skip
        opener.add_handler(handler)
    return opener


def checked_address(url: str) -> str:
    """The address of a server without a slash at its end. Raises `WebError`."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise WebError(f"“{url}” is no address of a server. Give one such as https://faultbook.example.org.")
    return url.rstrip("/")


def fetched(
    url: str,
    *,
    largest: int,
    content: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    method: str | None = None,
) -> bytes:
    """What the address answers, to this content if there is any. Raises `WebError`."""
    request = urllib.request.Request(  # noqa: S310 `_opener` takes http and https alone
        url,
        content,
        {"User-Agent": f"faultbook/{__version__}", "Accept-Encoding": "identity", **(headers or {})},
        method=method,
    )
    deadline = time.monotonic() + MOST_SECONDS
    try:
        with _opener().open(request, timeout=SILENT_SECONDS) as response:
            return _read(response, url, largest, deadline)
    except HTTPError as error:
        raise WebError(f"{url} answers {error.code} {error.reason}. {_problem(error)}".strip()) from error
    except URLError as error:
        raise WebError(f"{url} cannot be reached: {error.reason}.") from error
    except (TimeoutError, HTTPException, OSError) as error:
        raise WebError(f"{url} did not answer: {error or type(error).__name__}. Try again later.") from error


def answered(url: str, *, content: bytes, kind: str, largest: int = 32 * MIB) -> Any:
    """The JSON that the address answers to this content. Raises `WebError`."""
    return as_json(url, fetched(url, largest=largest, content=content, headers={"Content-Type": kind}))


def as_json(url: str, content: bytes) -> Any:
    """The content of an answer, read as JSON. Raises `WebError`."""
    try:
        return json.loads(content)
    except ValueError as error:
        raise WebError(f"{url} does not answer with JSON. Is it the address of a Faultbook server?") from error


def _read(response: Any, url: str, largest: int, deadline: float) -> bytes:
    """The whole body. Raises `WebError` where it is too large, too slow or cut off."""
    blocks: list[bytes] = []
    size = 0
    while block := response.read1(BLOCK):
        blocks.append(block)
        size += len(block)
        if size > largest:
            raise WebError(f"{url} has more than {largest / MIB:.0f} MB. It was not read further.")
        if time.monotonic() > deadline:
            raise WebError(f"{url} took longer than {MOST_SECONDS} seconds. Try again later.")
    announced = response.headers.get("Content-Length", "")
    if announced.isdecimal() and int(announced) != size:
        raise WebError(f"{url} broke off after {size:,} of {int(announced):,} bytes. Try again.")
    return b"".join(blocks)


def _problem(error: HTTPError) -> str:
    """What the server says is wrong, in its own words, if it has any."""
    with suppress(ValueError, OSError, HTTPException):
        body = json.loads(error.read(LONGEST_PROBLEM))
        if isinstance(body, dict) and isinstance(detail := body.get("detail"), str):
            return "".join(letter for letter in detail[:500] if letter.isprintable())
    return ""
