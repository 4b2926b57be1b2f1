"""The id of a request travels with the tasks that it sends: as a header of theirs, and into what they log and ask."""

from typing import Any

from celery.signals import before_task_publish, task_postrun, task_prerun

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


def take_id(task: Any, **_: Any) -> None:
    """The task works on that request."""
    request_ids.work_on(getattr(task.request, NAME, None) or "", task=task.name)


def forget_id(**_: Any) -> None:
    """The task is over."""
    request_ids.work_on("")
