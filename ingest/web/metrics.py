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
        yield each("lag_seconds", "Seconds since mirror and host were last the same", lambda one: one.lag)
        yield each("late", "1 when it is on and older than three intervals: somebody should look", lambda o: o.is_late)
        yield each("on", "1 when it is on", lambda one: one.mirror.is_on)
        yield each("running", "1 while a run goes on", lambda one: one.running is not None)
        yield each("left_out", "Issues and pull requests left out by keywords", lambda one: one.left_out)
        yield each("pending", "Issues whose comments and fixes are still to come", lambda one: one.pending)
        yield each("requests_last_day", "Requests of the last 24 hours", lambda one: one.day.requests)
        yield each("not_modified_last_day", "Those of them answered 304", lambda one: one.day.not_modified)
        yield each(
            "budget_left", "Requests that the host still allows", lambda o: o.last.budget_left if o.last else None
        )
        yield each("last_run_seconds", "How long the last run took", lambda one: _took(one.last))
        yield self._held()
        yield self._last_status()
        yield _lonely("deliveries_waiting", "Webhook deliveries not handled yet", self._waiting.number)
        yield _lonely("deliveries_oldest_seconds", "Age of the oldest of them", self._waiting.oldest_seconds)

    def _gauge(self, name: str, text: str, value: Reading) -> GaugeMetricFamily:
        """One number of each mirror; none where it is not known."""
        family = GaugeMetricFamily(f"faultbook_mirror_{name}", text, labels=LABELS)
        for one in self._statuses:
            found = value(one)
            if found is not None:
                family.add_metric(_names(one), found.total_seconds() if isinstance(found, dt.timedelta) else found)
        return family

    def _held(self) -> GaugeMetricFamily:
        family = GaugeMetricFamily("faultbook_mirror_held", "What the mirror holds", labels=(*LABELS, "kind"))
        for one in self._statuses:
            family.add_metric([*_names(one), "issue"], one.held.issues)
            family.add_metric([*_names(one), "pull_request"], one.held.pull_requests)
        return family

    def _last_status(self) -> GaugeMetricFamily:
        text = "1 for how the last run ended, 0 for every other way"
        family = GaugeMetricFamily("faultbook_mirror_last_run_status", text, labels=(*LABELS, "status"))
        for one in self._statuses:
            for status in SyncRun.Status:
                family.add_metric([*_names(one), status.value], one.last is not None and one.last.status == status)
        return family


def _names(status: MirrorStatus) -> list[str]:
    return [status.mirror.repository.host, status.mirror.repository.full_name]


def _left(run: SyncRun | None) -> int | None:
    return run.budget_left if run else None


def _took(run: SyncRun | None) -> dt.timedelta | None:
    return run.finished_at - run.started_at if run and run.finished_at else None


def _lonely(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"faultbook_{name}", text, value=value)
