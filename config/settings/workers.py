"""Celery: its broker, how long a task may take, and what beat starts when."""

from config.settings.base import REDIS_URL
from config.settings.environment import DATA_DIR

CELERY_BROKER_URL = REDIS_URL
CELERY_RESULT_BACKEND = REDIS_URL
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_SOFT_TIME_LIMIT = 300
CELERY_TASK_TIME_LIMIT = 360
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "celerybeat-schedule")
CELERY_BEAT_SCHEDULE = {
    "cause-links": {"task": "kb.tasks.rebuild_cause_links", "schedule": 24 * 3600.0},
    "ended-sessions": {"task": "config.accounts.tasks.forget_ended_sessions", "schedule": 24 * 3600.0},
}
