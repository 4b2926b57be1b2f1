"""The id of the request that is worked on: in its answer, its log lines, its tasks and its statements to PostgreSQL.

Empty where nobody asked: in commands, and in tasks that beat starts.
"""

import re
import uuid
from contextvars import ContextVar

HEADER = "X-Request-ID"
# It ends up in logs and in SQL comments, and a proxy in front may choose it.
WELL_FORMED = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{7,63}")

_request: ContextVar[str] = ContextVar("request", default="")
_task: ContextVar[str] = ContextVar("task", default="")


def accepted(given: str) -> str:
    """The given id if it is well formed, else a new one."""
    return given if WELL_FORMED.fullmatch(given) else uuid.uuid4().hex


def current() -> str:
    """The id of the request that this thread works on, or an empty text."""
    return _request.get()


def current_task() -> str:
    """The name of the task that this thread works on, or an empty text."""
    return _task.get()


def work_on(request_id: str, *, task: str = "") -> None:
    """From here on this thread works on that request, in a task where it is one."""
    _request.set(request_id if WELL_FORMED.fullmatch(request_id) else "")
    _task.set(task)
