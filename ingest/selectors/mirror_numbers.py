"""Mirrors as numbers for Prometheus. They come from the database, so that every web process tells the same."""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence

from prometheus_client.core import GaugeMetricFamily, Metric

from ingest.models import SyncRun
from ingest.selectors.status import MirrorStatus, all_statuses, waiting_deliveries

LABELS = ("host", "repository")

Value = Callable[[MirrorStatus], float | dt.timedelta | None]


def mirrors() -> Iterator[Metric]:
    """Every family of numbers."""
    statuses, waiting = list(all_statuses()), waiting_deliveries()

    def each(name: str, text: str, read: Value) -> GaugeMetricFamily:
        return _gauge(statuses, name, text, read)

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
    yield _held(statuses)
    yield _last_status(statuses)
    number, oldest = waiting.number, waiting.oldest_seconds
    yield GaugeMetricFamily("faultbook_deliveries_waiting", "Webhook deliveries not handled yet", value=number)
    yield GaugeMetricFamily("faultbook_deliveries_oldest_seconds", "Age of the oldest of them", value=oldest)


def _gauge(statuses: Sequence[MirrorStatus], name: str, text: str, read: Value) -> GaugeMetricFamily:
    """One number of each mirror; none where it is not known."""
    family = GaugeMetricFamily(f"faultbook_mirror_{name}", text, labels=LABELS)
    for status in statuses:
        value = read(status)
        if isinstance(value, dt.timedelta):
            value = value.total_seconds()
        if value is not None:
            family.add_metric(_labels(status), value)
    return family


def _held(statuses: Sequence[MirrorStatus]) -> GaugeMetricFamily:
    family = GaugeMetricFamily("faultbook_mirror_held", "What the mirror holds", labels=(*LABELS, "kind"))
    for status in statuses:
        family.add_metric([*_labels(status), "issue"], status.held.issues)
        family.add_metric([*_labels(status), "pull_request"], status.held.pull_requests)
    return family


def _last_status(statuses: Sequence[MirrorStatus]) -> GaugeMetricFamily:
    text = "1 for how the last run ended, 0 for every other way"
    family = GaugeMetricFamily("faultbook_mirror_last_run_status", text, labels=(*LABELS, "status"))
    for status in statuses:
        last = status.last.status if status.last else None
        for value in SyncRun.Status:
            family.add_metric([*_labels(status), value.value], last == value)
    return family


def _labels(status: MirrorStatus) -> list[str]:
    return [status.mirror.repository.host, status.mirror.repository.full_name]
