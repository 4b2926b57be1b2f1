"""What load balancers and orchestrators ask: is it alive, is it ready. What is looked at is in `selectors.health`."""

import time
from threading import Lock

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from kb.selectors.health import Check, ready_checks

# Many askers, one look: a flood of questions must not become a flood of connections.
REMEMBER_SECONDS = 2.0
# An answer "ready" may be a moment old; "not ready" is looked at again sooner, since somebody is waiting.
RETRY_SECONDS = 0.2


class Readiness:
    """The last look, kept for a moment in each web process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._checks: list[Check] = []
        self._until = 0.0

    def checks(self) -> list[Check]:
        """Return what was seen, looking again when that is too long ago."""
        with self._lock:
            if time.monotonic() >= self._until:
                self._checks = ready_checks()
                well = all(check.ok for check in self._checks)
                self._until = time.monotonic() + (REMEMBER_SECONDS if well else RETRY_SECONDS)
            return self._checks

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
    checks = readiness.checks()
    ready = all(check.ok for check in checks)
    body = {"ready": ready, "checks": {check.name: "ok" if check.ok else "failing" for check in checks}}
    return JsonResponse(body, status=200 if ready else 503)
