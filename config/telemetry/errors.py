"""Errors for Sentry, where SENTRY_DSN is set; nothing imports this where it is not.

An error is sent as its kind and the places in the code that it passed. What it says, what was asked, who asked and what
happened before stay here: people paste logs into searches. The tag `request_id` leads to the line in our own log.
"""

from typing import Any

import sentry_sdk
from django.conf import settings

from kb.http.request_ids import current, current_task

KEPT = (
    "event_id", "timestamp", "platform", "level", "logger", "transaction", "exception", "release", "environment",
    "modules", "sdk",
)  # fmt: skip


def start() -> None:
    """Send errors from this process, also after it has forked."""
    sentry_sdk.init(
        dsn=settings.SENTRY_DSN,
        before_send=stripped,
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        auto_session_tracking=False,
    )


def stripped(event: Any, _hint: dict[str, Any]) -> Any:
    """What may leave."""
    left = {name: event[name] for name in KEPT if name in event}
    for exception in left.get("exception", {}).get("values", ()):
        exception.pop("value", None)
    left["tags"] = {"request_id": current(), "task": current_task()}
    return left
