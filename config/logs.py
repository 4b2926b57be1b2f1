"""What is logged, and how: one line each on the console, which whoever runs the process keeps. `settings.py` takes it.

granian, whose main process knows no settings, gets the same lines by `granian_logs.json`.
"""

import logging
import os
from datetime import UTC, datetime
from typing import Any

import environ
import orjson
from django.core.exceptions import ImproperlyConfigured, SuspiciousOperation

from kb.health.outages import database_is_away
from kb.http.request_ids import current, current_task

FORMATS = ("text", "json")
# What our own lines may add. Nothing else that a library adds is written: Django's lines carry the whole request, and
# Celery's a task's arguments.
ADDED = ("method", "path", "route", "status", "ms", "bytes", "user")


class OneLine(logging.Filter):
    """Says in one line that the database is away: hundreds of equal stack traces would hide everything else.

    Of the paths that Django logs, it hides what opens something.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten the record; none is held back."""
        if record.exc_info and database_is_away(record.exc_info[1]):
            record.msg, record.args = f"{record.getMessage()}: the database does not answer", ()
            record.exc_info = record.exc_text = None
        if record.exc_info and isinstance(record.exc_info[1], SuspiciousOperation):
            # What a visitor sent wrongly, such as a foreign host, is in the message: scanners send it by the thousand.
            record.exc_info = record.exc_text = None
        match = getattr(getattr(record, "request", None), "resolver_match", None)
        if match is not None and isinstance(record.args, tuple):
            # Needs settings, which need this module.
            from config.telemetry.requests import masked

            record.args = tuple(masked(match, part) if isinstance(part, str) else part for part in record.args)
        return True


class TextLines(logging.Formatter):
    """For people: the time, the level, who says it, what, and whose request it was."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name} {message}", style="{")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 logging's name
        """The line without a stack trace."""
        request = _request_id(record)
        return super().formatMessage(record) + (f" [{request}]" if request else "")


class JsonLines(logging.Formatter):
    """For programs: one JSON object a line, a stack trace in one field of it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": _request_id(record),
            "task": current_task(),
            **{name: getattr(record, name, None) for name in ADDED},
            "exception": self.formatException(record.exc_info) if record.exc_info else None,
        }
        known = {name: value for name, value in line.items() if value not in (None, "")}
        return orjson.dumps(known, default=str).decode()


def _request_id(record: logging.LogRecord) -> str:
    return getattr(record, "request_id", "") or current()


def lines(form: str = "") -> logging.Formatter:
    """The lines of that form; granian's main process asks without one."""
    return JsonLines() if (form or os.environ.get("LOG_FORMAT")) == "json" else TextLines()


def settings(env: environ.Env) -> dict[str, Any]:
    """What the environment says of logs and numbers."""
    form = env.str("LOG_FORMAT", default="") or "text"
    if form not in FORMATS:
        raise ImproperlyConfigured(f"LOG_FORMAT is “{form}”; it must be text or json.")
    level = env.str("LOG_LEVEL", default="") or "INFO"
    access = env.str("ACCESS_LOG_LEVEL", default="") or level
    return {
        "LOGGING": to_console(form=form, level=level, access=access),
        # Collectors of metrics (Prometheus) show this to read /metrics; without it there is no such address.
        "METRICS_TOKEN": env.str("METRICS_TOKEN", default=""),
        # Where traces go, which share of them, and where errors go; empty: nowhere.
        "OTEL_EXPORTER_OTLP_ENDPOINT": env.str("OTEL_EXPORTER_OTLP_ENDPOINT", default=""),
        "OTEL_TRACES_SAMPLER_ARG": float(env.str("OTEL_TRACES_SAMPLER_ARG", default="") or 1.0),
        "SENTRY_DSN": env.str("SENTRY_DSN", default=""),
    }


def to_console(*, form: str, level: str, access: str) -> dict[str, Any]:
    """The settings of Python's logging; levels are names such as INFO."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": lines, "form": form}},
        "filters": {"one_line": {"()": OneLine}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "lines", "filters": ["one_line"]}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "faultbook.access": {"level": access},
            "django.request": {"level": "ERROR"},
            # httpx would write a line for each request that a mirror makes, mcp one for each that an agent makes.
            "httpx": {"level": "WARNING"},
            "mcp": {"level": "WARNING"},
        },
    }
