"""What has to be said once in each process that serves or works, before the first request or task."""

import logging

from django.conf import settings

from config.telemetry.statements import name_all
from config.telemetry.tasks import carry_ids


def start() -> None:
    """Say it. What is not set is not imported."""
    logging.captureWarnings(True)
    carry_ids()
    name_all()
    if settings.OTEL_EXPORTER_OTLP_ENDPOINT:
        from config.telemetry import tracing

        tracing.start()
    if settings.SENTRY_DSN:
        from config.telemetry import errors

        errors.start()
