"""What load balancers and orchestrators ask: is it alive, is it ready. The checks are in `kb.health.checks`."""

import time
from threading import Lock

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from kb.health.checks import Check, ready_checks
from kb.search.health import own_index

# Many askers, one look: a flood of questions must not become a flood of connections.
REMEMBER_SECONDS = 2.0
# An answer "ready" may be a moment old; "not ready" is looked at again sooner, since somebody is waiting.
RETRY_SECONDS = 0.2


class Readiness:
    """The last look, kept for a moment in each web process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._checks: list[Check] = []
        self._told: list[Check] = []
        self._until = 0.0

    def checks(self) -> tuple[list[Check], list[Check]]:
        """Return what a host must have to be ready, and what is only told; look again when that is too long ago."""
        with self._lock:
            if time.monotonic() >= self._until:
                self._checks = ready_checks()
                well = all(check.ok for check in self._checks)
                # The database answers searches where the index cannot; a database that is down is not asked twice.
                self._told = [own_index()] if well else []
                self._until = time.monotonic() + (REMEMBER_SECONDS if well else RETRY_SECONDS)
            return self._checks, self._told

    def forget(self) -> None:
        """Look again at the next question."""
        self._until = 0.0


readiness = Readiness()


@require_safe
@never_cache
def healthz(_request: HttpRequest) -> HttpResponse:
    """Answer, which says that this process is alive; nothing else is asked."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def readyz(_request: HttpRequest) -> JsonResponse:
    """Say whether pages can be served; details stay with `manage.py doctor`, since anybody may ask here."""
    checks, told = readiness.checks()
    ready = all(check.ok for check in checks)
    body = {"ready": ready, "checks": {check.name: "ok" if check.ok else "failing" for check in (*checks, *told)}}
    return JsonResponse(body, status=200 if ready else 503)
