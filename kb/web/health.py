"""Liveness and readiness for load balancers and orchestrators. The checks are in `kb.health.checks`."""

import time
from threading import Lock

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from kb.health.checks import Check, ready_checks
from kb.search.health import own_index

# A flood of requests must not become a flood of connections to what is checked.
REMEMBER_SECONDS = 2.0
# "Not ready" is checked again sooner, since somebody is waiting.
RETRY_SECONDS = 0.2


class Readiness:
    """The last results of the checks, cached for a moment in each web process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._checks: list[Check] = []
        self._informative: list[Check] = []
        self._until = 0.0

    def checks(self) -> tuple[list[Check], list[Check]]:
        """The checks that decide readiness and the informative ones, run again when the cached results are stale."""
        with self._lock:
            if time.monotonic() >= self._until:
                self._checks = ready_checks()
                well = all(check.ok for check in self._checks)
                # The database answers searches where the index cannot; a database that is down is not asked twice.
                self._informative = [own_index()] if well else []
                self._until = time.monotonic() + (REMEMBER_SECONDS if well else RETRY_SECONDS)
            return self._checks, self._informative

    def forget(self) -> None:
        """Run the checks at the next request."""
        self._until = 0.0


readiness = Readiness()


@require_safe
@never_cache
def healthz(_request: HttpRequest) -> HttpResponse:
    """Liveness: this process answers; nothing is checked."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def readyz(_request: HttpRequest) -> JsonResponse:
    """Readiness: whether pages can be served. The page is public, so details are left to `manage.py doctor`."""
    checks, informative = readiness.checks()
    is_ready = all(check.ok for check in checks)
    states = {check.name: "ok" if check.ok else "failing" for check in (*checks, *informative)}
    return JsonResponse({"ready": is_ready, "checks": states}, status=200 if is_ready else 503)
