"""What is logged, and where: one line each on the console, which whoever runs the process keeps."""

import logging
from typing import Any

from django.core.exceptions import SuspiciousOperation

from kb.health.outages import database_is_away


class OneLine(logging.Filter):
    """Says in one line that the database is away: hundreds of equal stack traces would hide everything else."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Take the stack trace away."""
        if record.exc_info and database_is_away(record.exc_info[1]):
            record.msg, record.args = f"{record.getMessage()}: the database does not answer", ()
            record.exc_info = record.exc_text = None
        if record.exc_info and isinstance(record.exc_info[1], SuspiciousOperation):
            # What a visitor sent wrongly, such as a foreign host, is in the message: scanners send it by the thousand.
            record.exc_info = record.exc_text = None
        return True


def to_console(*, level: str) -> dict[str, Any]:
    """The settings of Python's logging; `level` is a name such as INFO."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"plain": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
        "filters": {"one_line": {"()": OneLine}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain", "filters": ["one_line"]}},
        "root": {"handlers": ["console"], "level": level},
        # httpx would write a line for each request that a mirror makes, mcp one for each that an agent makes.
        "loggers": {"django.request": {"level": "ERROR"}, "httpx": {"level": "WARNING"}, "mcp": {"level": "WARNING"}},
    }
