"""Traces and durations for OpenTelemetry, where OTEL_EXPORTER_OTLP_ENDPOINT is set; else nothing imports this.

Spans have names, times and the statements that Django writes, never values: no query string, parameter, log, name or
text of an exception. OpenTelemetry's instrumentations add some of these, so the spans are made here instead.
A visitor's own `traceparent` is not believed.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from opentelemetry import metrics, propagate, trace
from opentelemetry.context import Context, attach, detach
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from config.telemetry.requests import SEEN, Seen
from kb.http import spans

tracer = trace.get_tracer("faultbook")
duration = metrics.get_meter("faultbook").create_histogram(
    "http.server.request.duration", "s", "From a request's arrival to Django's answer"
)
# In a task, while it runs.
TASK = "faultbook.span"


def start() -> None:
    """Send spans and durations from this process, also after it has forked."""
    resource = Resource.create({"service.name": "faultbook"})
    provider = TracerProvider(ParentBased(TraceIdRatioBased(settings.OTEL_TRACES_SAMPLER_ARG)), resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    metrics.set_meter_provider(MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())], resource))
    spans.record_with(part)


@contextmanager
def part(name: str, **more: Any) -> Iterator[Span]:
    """A span; of an exception it has the class."""
    with tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False, **more) as span:
        try:
            yield span
        except BaseException as error:
            span.set_attribute("error.type", type(error).__qualname__)
            span.set_status(Status(StatusCode.ERROR))
            raise


def traced(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: a request is a trace, from its arrival on, so that what it waited for a thread shows."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        seen: Seen | None = request.META.get(SEEN)
        if seen is None:
            return get_response(request)
        waited = time.perf_counter() - seen.began
        known = {"http.request.method": request.method or "", "faultbook.request_id": seen.id}
        began = time.time_ns() - int(waited * 1e9)
        with part(
            known["http.request.method"], kind=SpanKind.SERVER, context=Context(), start_time=began, attributes=known
        ) as span:
            span.set_attribute("faultbook.waited_ms", round(waited * 1000, 1))
            response = get_response(request)
            _end(span, request, response.status_code, seen)
        return response

    return middleware


def _end(span: Span, request: HttpRequest, status: int, seen: Seen) -> None:
    match = request.resolver_match
    route = (match.view_name or "none") if match else "none"
    span.update_name(f"{request.method} {route}")
    span.set_attributes({"http.route": route, "http.response.status_code": status})
    if status >= 500:
        span.set_status(Status(StatusCode.ERROR))
    seconds, method = time.perf_counter() - seen.began, request.method or ""
    duration.record(seconds, {"http.request.method": method, "http.route": route, "http.response.status_code": status})


def statement(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """Django's execute wrapper: a span for each statement within a trace, without its parameters."""
    if not trace.get_current_span().is_recording():
        return execute(sql, params, many, context)
    text = str(sql)
    known = {"db.system.name": "postgresql", "db.query.text": text[:2_000]}
    with part(text.lstrip().partition(" ")[0].upper()[:20], kind=SpanKind.CLIENT, attributes=known):
        return execute(sql, params, many, context)


def send(headers: dict[str, Any]) -> None:
    """A task that is sent within a trace joins it."""
    propagate.inject(headers)


def begin_task(task: Any) -> None:
    """The task is a span of the trace that sent it, or a trace of its own."""
    carried = {"traceparent": getattr(task.request, "traceparent", None) or ""}
    span = tracer.start_span(task.name, context=propagate.extract(carried), kind=SpanKind.CONSUMER)
    task.request.update({TASK: (span, attach(trace.set_span_in_context(span)))})


def end_task(task: Any, state: str) -> None:
    """The task is over."""
    begun = task.request.get(TASK)
    if begun is not None:
        span, token = begun
        if state == "FAILURE":
            span.set_status(Status(StatusCode.ERROR))
        detach(token)
        span.end()
