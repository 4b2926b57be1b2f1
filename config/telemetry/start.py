"""What has to be said once in each process that serves or works, before the first request or task."""

import logging
from importlib import import_module

from django.conf import settings

from config.telemetry.tasks import carry_ids

# By the setting that turns each on; what is not set is not imported.
OPTIONAL = {"OTEL_EXPORTER_OTLP_ENDPOINT": "config.telemetry.tracing", "SENTRY_DSN": "config.telemetry.errors"}


def start() -> None:
    """Say it."""
    logging.captureWarnings(True)
    carry_ids()
    for setting, module in OPTIONAL.items():
        if getattr(settings, setting):
            import_module(module).start()
