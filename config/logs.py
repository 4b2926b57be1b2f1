"""What is logged, and where: one line each on the console, which whoever runs the process keeps."""

from typing import Any


def to_console(*, level: str) -> dict[str, Any]:
    """The settings of Python's logging; `level` is a name such as INFO."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"plain": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
        "root": {"handlers": ["console"], "level": level},
        # httpx would write a line for each request that a mirror makes.
        "loggers": {"django.request": {"level": "ERROR"}, "httpx": {"level": "WARNING"}},
    }
