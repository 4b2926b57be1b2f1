"""Sending one request and reading the whole answer: the only module that knows HTTP.

No retries and no budgets here; see `retries.py`. A server that stalls or drips is given up after a deadline, which
HTTP libraries do not do by themselves: their time-outs are between two bytes.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx
import orjson

MOST_BYTES = 64 * 1024 * 1024
# Longer than a host thinks about a question before it gives up itself.
CONNECT_SECONDS = 10.0
DEADLINE_FACTOR = 3


class BrokenError(Exception):
    """No whole answer came, or none that can be read; the message says which."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer; header names are in lower case. `data` is None when there is no body."""

    status: int
    headers: Mapping[str, str]
    data: Any
    url: str

    @property
    def next_url(self) -> str:
        """The address after `rel="next"`, as it was given; empty when there is none."""
        for link in self.headers.get("link", "").split(","):
            target, _, relation = link.partition(";")
            if 'rel="next"' in relation:
                return target.strip().strip("<>")
        return ""

    def moment(self, default: float) -> float:
        """When the host says it answered, in seconds since 1970 by its own clock."""
        try:
            return parsedate_to_datetime(self.headers["date"]).timestamp()
        except (KeyError, ValueError):
            return default


class Http:
    """Keeps connections open between requests. `seconds` is the longest silence; three times that, a whole answer."""

    def __init__(self, *, seconds: float, agent: str) -> None:
        self._deadline = seconds * DEADLINE_FACTOR
        timeout = httpx.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
        self._client = httpx.Client(timeout=timeout, headers={"User-Agent": agent}, follow_redirects=False)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def send(self, *, method: str, url: str, headers: Mapping[str, str], content: bytes | None = None) -> Answer:
        """Send a request. Raises `BrokenError` when no whole, readable answer came."""
        deadline = time.monotonic() + self._deadline
        try:
            with self._client.stream(method, url, headers=dict(headers), content=content) as response:
                body = _read(response, deadline)
        except httpx.TimeoutException as error:
            raise BrokenError("it did not answer in time") from error
        except httpx.HTTPError as error:
            raise BrokenError(f"the connection broke ({type(error).__name__})") from error
        lowered = {name.lower(): value for name, value in response.headers.items()}
        return Answer(response.status_code, lowered, _decoded(response.status_code, body), url)


def redirect_target(answer: Answer) -> str:
    """Where an answer sends us on; empty when it does not, or to another host, which must not see our token."""
    location = answer.headers.get("location", "")
    if answer.status not in (301, 302, 307, 308) or not location:
        return ""
    target = urljoin(answer.url, location)
    asked, sent_to = urlsplit(answer.url), urlsplit(target)
    return target if (asked.scheme, asked.netloc) == (sent_to.scheme, sent_to.netloc) else ""


def _read(response: httpx.Response, deadline: float) -> bytes:
    parts: list[bytes] = []
    size = 0
    for part in response.iter_bytes():
        parts.append(part)
        size += len(part)
        if size > MOST_BYTES:
            raise BrokenError("the response is implausibly large")
        if time.monotonic() > deadline:
            raise BrokenError("it answered too slowly")
    return b"".join(parts)


def _decoded(status: int, body: bytes) -> Any:
    """The answer as JSON; errors may come as anything, a good answer may not."""
    if not body.strip():
        return None
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        pass
    try:
        # Halves of surrogate pairs, which people's texts do hold, are refused by the quick reader.
        return json.loads(body)
    except ValueError as error:
        if status >= 300:
            return None
        raise BrokenError("the response is not JSON") from error
