"""What has to be said once in each process that serves or works, before the first request or task."""

import logging
from importlib import import_module

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.telemetry.statements import name_all
from config.telemetry.tasks import carry_ids

# By the setting that turns each on; what is not set is not imported.
OPTIONAL = {"OTEL_EXPORTER_OTLP_ENDPOINT": "config.telemetry.tracing", "SENTRY_DSN": "config.telemetry.errors"}


def start() -> None:
    """Say it. Raises `ImproperlyConfigured` where something is set whose packages are missing."""
    logging.captureWarnings(True)
    carry_ids()
    name_all()
    for setting, module in OPTIONAL.items():
        if getattr(settings, setting):
            try:
                import_module(module).start()
            except ImportError as error:
                how = "install requirements/run.txt, or leave it empty"
                raise ImproperlyConfigured(f"{setting} is set and {error.name} is not installed: {how}.") from error
