"""The outermost ASGI layer: gives each request its id, and notes its answer in a log line and in the numbers.

What only Django knows of a request, `middleware` adds.
"""

import logging
import time
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.urls import Resolver404, ResolverMatch, resolve

from kb.health.numbers import IN_PROGRESS, REFUSED, REQUEST_SECONDS, REQUESTS
from kb.http.request_ids import HEADER, accepted

log = logging.getLogger("faultbook.access")

# In a request's scope and environment: what is seen of it.
SEEN = "faultbook.seen"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# Parts of an address that open what lies there; they are not logged.
SECRETS = frozenset({"token", "secret", "key", "uidb36", "job", "job_id"})
# Asked every few seconds by balancers and collectors.
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
_HEADER = HEADER.lower().encode()


@dataclass
class Seen:
    """A request as it is known so far."""

    id: str
    began: float = field(default_factory=time.perf_counter)
    by_django: bool = False
    match: ResolverMatch | None = None
    user: int | None = None
    status: int = 0
    bytes: int = 0
    seconds: float = 0.0


class Observed:
    """An ASGI application, observed."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        given = next((value for name, value in scope["headers"] if name == _HEADER), b"")
        seen = scope[SEEN] = Seen(accepted(given.decode("latin1")))

        async def send_observed(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                seen.status, seen.seconds = message["status"], time.perf_counter() - seen.began
                message = {**message, "headers": [*message["headers"], (_HEADER, seen.id.encode())]}
            else:
                seen.bytes += len(message.get("body", b""))
            await send(message)

        with IN_PROGRESS.track_inprogress():
            try:
                await self._application(scope, receive, send_observed)
            finally:
                note(seen, scope["method"], scope["path"])


def note(seen: Seen, method: str, path: str) -> None:
    """Count the answer and log its line."""
    method = method if method in METHODS else "other"
    route, shown = place(seen, path)
    if not seen.by_django and seen.status >= 400:
        REFUSED.labels(seen.status).inc()
    REQUESTS.labels(route, method, f"{seen.status // 100}xx" if seen.status else "gone").inc()
    if seen.status:
        REQUEST_SECONDS.labels(route, method).observe(seen.seconds)
    level = logging.WARNING if seen.status >= 500 else logging.DEBUG if path in PROBES else logging.INFO
    if log.isEnabledFor(level):
        milliseconds = round((time.perf_counter() - seen.began) * 1000, 1)
        known = {
            "request_id": seen.id, "method": method, "path": shown, "route": route, "status": seen.status,
            "ms": milliseconds, "bytes": seen.bytes, "user": seen.user,
        }  # fmt: skip
        log.log(level, "%s %s %s %s ms", method, shown, seen.status, milliseconds, extra=known)


def place(seen: Seen, path: str) -> tuple[str, str]:
    """The name of the address, and the path as it may be logged."""
    match = seen.match
    if match is None and not path.startswith(settings.STATIC_URL) and seen.status not in (301, 302, 400, 404):
        match = _resolved(path)
    if match is None:
        return ("static" if path.startswith(settings.STATIC_URL) else "none"), quote(path[:200])
    return match.view_name or "none", masked(match, path)


def masked(match: ResolverMatch, path: str) -> str:
    """The path on one line, without what opens something."""
    for name in SECRETS & match.kwargs.keys():
        path = path.replace(str(match.kwargs[name]), "-")
    return quote(path[:200])


@lru_cache(maxsize=1_000)
def _resolved(path: str) -> ResolverMatch | None:
    """For what was answered from a cache or refused; often the same addresses."""
    try:
        return resolve(path)
    except Resolver404:
        return None
