"""The product's Celery app with a clock that looks for due mirrors every second, for soaks that last no hours."""

from config.celery import app

app.conf.beat_schedule = {"mirrors": {"task": "ingest.tasks.sync_due_mirrors", "schedule": 1.0}}

__all__ = ["app"]
