"""The Celery app. Tasks live in each package's `tasks.py`; the beat schedule is in `config.schedule`.

Only the heartbeat is added here, since its argument needs a class that every command would else import.
"""

import os
import time
from datetime import UTC, datetime

from celery import Celery
from celery.beat import BeatLazyFunc

from config.telemetry.start import start
from kb.health.heartbeat import SECONDS

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("faultbook")
# Web processes import this module too: they send tasks.
start()
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.conf.beat_schedule["heartbeat"] = {
    "task": "kb.tasks.record_heartbeat",
    "schedule": float(SECONDS),
    # When beat sends it, not when a worker receives it. The first one is due as soon as beat starts.
    "args": [BeatLazyFunc(time.time)],
    "last_run_at": datetime(2000, 1, 1, tzinfo=UTC),
    "options": {"expires": 60},
}
