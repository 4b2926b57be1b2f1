"""The id of a request, and its trace, travel with the tasks that it sends: as headers of theirs."""

from typing import Any

from celery.signals import before_task_publish, task_postrun, task_prerun
from django.conf import settings

from kb.http import request_ids

# Celery shows a task's headers as attributes of its request.
NAME = "request_id"


def carry_ids() -> None:
    """Have Celery do so in this process."""
    before_task_publish.connect(send_id)
    task_prerun.connect(take_id)
    task_postrun.connect(forget_id)


def send_id(headers: dict[str, Any], **_: Any) -> None:
    """Add the id of what sends the task."""
    headers.setdefault(NAME, request_ids.current())
    if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        _tracing().send(headers)


def take_id(task: Any, **_: Any) -> None:
    """The task works on that request."""
    request_ids.work_on(getattr(task.request, NAME, None) or "", task=task.name)
    if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        _tracing().begin_task(task)


def forget_id(task: Any, state: str | None = None, **_: Any) -> None:
    """The task is over."""
    if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        _tracing().end_task(task, state or "")
    request_ids.work_on("")


def _tracing() -> Any:
    """Imported only where it is on."""
    from config.telemetry import tracing

    return tracing
