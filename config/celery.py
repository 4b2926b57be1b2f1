"""The Celery app. Tasks live in each package's `tasks.py`; the beat schedule is in `settings.py`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("faultbook")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
