"""Mirrors as numbers for Prometheus. They come from the database, so that every web process tells the same.

For collectors that show METRICS_TOKEN only; for anybody else there is no such address.
"""

import datetime as dt
import hmac
from collections.abc import Callable, Iterable, Iterator

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from ingest.models import SyncRun
from ingest.selectors.status import MirrorStatus, Waiting, all_statuses, waiting_deliveries

LABELS = ("host", "repository")
BEARER = "Bearer "

Reading = Callable[[MirrorStatus], float | dt.timedelta | None]


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """All numbers in Prometheus's text format. Raises `Http404` for whoever does not show the token."""
    shown = request.headers.get("Authorization", "").encode()
    if not settings.METRICS_TOKEN or not hmac.compare_digest(shown, f"{BEARER}{settings.METRICS_TOKEN}".encode()):
        raise Http404("There is nothing here.")
    registry = CollectorRegistry(auto_describe=False)
    registry.register(MirrorNumbers(all_statuses(), waiting_deliveries()))
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class MirrorNumbers(Collector):
    """The numbers of mirrors that were read a moment ago."""

    def __init__(self, statuses: Iterable[MirrorStatus], waiting: Waiting) -> None:
        self._statuses, self._waiting = list(statuses), waiting

    def collect(self) -> Iterator[Metric]:
        """Every family of numbers."""
        each = self._gauge
        yield each("lag_seconds", "Seconds since mirror and host were last the same", lambda status: status.lag)
        yield each(
            "late",
            "1 when it is on and older than three intervals: needs attention",
            lambda status: status.is_late,
        )
        yield each("on", "1 when it is on", lambda status: status.mirror.is_on)
        yield each("running", "1 while a run is in progress", lambda status: status.running is not None)
        yield each("left_out", "Issues and excluding pull requests by keywords", lambda status: status.left_out)
        yield each("pending", "Issues whose comments and fixes are still to come", lambda status: status.pending)
        yield each("requests_last_day", "Requests of the last 24 hours", lambda status: status.day.requests)
        yield each("not_modified_last_day", "Those of them answered 304", lambda status: status.day.not_modified)
        yield each(
            "budget_left",
            "Requests that the host still allows",
            lambda status: status.last.budget_left if status.last else None,
        )
        yield each(
            "last_run_seconds",
            "How long the last run took",
            lambda status: status.last.duration if status.last else None,
        )
        yield self._held()
        yield self._last_status()
        number, oldest = self._waiting.number, self._waiting.oldest_seconds
        yield GaugeMetricFamily("faultbook_deliveries_waiting", "Webhook deliveries not handled yet", value=number)
        yield GaugeMetricFamily("faultbook_deliveries_oldest_seconds", "Age of the oldest of them", value=oldest)

    def _gauge(self, name: str, text: str, read: Reading) -> GaugeMetricFamily:
        """One number of each mirror; none where it is not known."""
        family = GaugeMetricFamily(f"faultbook_mirror_{name}", text, labels=LABELS)
        for status in self._statuses:
            value = read(status)
            if isinstance(value, dt.timedelta):
                value = value.total_seconds()
            if value is not None:
                family.add_metric(_labels(status), value)
        return family

    def _held(self) -> GaugeMetricFamily:
        family = GaugeMetricFamily("faultbook_mirror_held", "What the mirror holds", labels=(*LABELS, "kind"))
        for status in self._statuses:
            family.add_metric([*_labels(status), "issue"], status.held.issues)
            family.add_metric([*_labels(status), "pull_request"], status.held.pull_requests)
        return family

    def _last_status(self) -> GaugeMetricFamily:
        text = "1 for how the last run ended, 0 for every other way"
        family = GaugeMetricFamily("faultbook_mirror_last_run_status", text, labels=(*LABELS, "status"))
        for status in self._statuses:
            last = status.last.status if status.last else None
            for value in SyncRun.Status:
                family.add_metric([*_labels(status), value.value], last == value)
        return family


def _labels(status: MirrorStatus) -> list[str]:
    return [status.mirror.repository.host, status.mirror.repository.full_name]
