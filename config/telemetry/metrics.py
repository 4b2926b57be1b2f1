"""Numbers for Prometheus: what the web processes of this host counted, and what is read from the servers.

For collectors that show METRICS_TOKEN only; for anybody else there is no such address.
"""

import hmac
from collections.abc import Iterable

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from ingest.selectors.mirror_numbers import mirrors
from kb.health.numbers import counted
from kb.health.readings import database, diagnoses, processes, queues, read_all
from kb.search.health import index_lag

BEARER = "Bearer "
READINGS = (queues, processes, database, diagnoses, index_lag, mirrors)


class _Readings(Collector):
    """What is read when it is asked for."""

    def collect(self) -> Iterable[Metric]:
        """Every family of numbers."""
        return read_all(READINGS)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """All numbers in Prometheus's text format. Raises `Http404` for anyone who does not show the token."""
    shown = request.headers.get("Authorization", "").encode()
    if not settings.METRICS_TOKEN or not hmac.compare_digest(shown, f"{BEARER}{settings.METRICS_TOKEN}".encode()):
        raise Http404("There is nothing here.")
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Readings())
    text = generate_latest(counted()) + generate_latest(registry)
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)
