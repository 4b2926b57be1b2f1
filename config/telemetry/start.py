"""What has to be said once in each process that serves or works, before the first request or task."""

import logging

from config.telemetry.statements import name_all
from config.telemetry.tasks import carry_ids


def start() -> None:
    """Say it."""
    logging.captureWarnings(True)
    carry_ids()
    name_all()
