"""What beat starts, and how often, in seconds, which tasks have workers of their own, and Celery's other settings.

The tasks are in each package's `tasks.py`. What is late is not made good: `expires` keeps a broker that was away from
handing out the same thing many times.
"""

from pathlib import Path
from typing import Any

from celery.schedules import crontab

DAY = 24 * 3600.0

BEAT = {
    "changed-labels": {"task": "kb.tasks.follow_labels", "schedule": 5.0, "options": {"expires": 5}},
    "cause-links": {"task": "kb.tasks.rebuild_cause_links", "schedule": DAY},
    "diagnoses": {"task": "kb.tasks.look_after_diagnoses", "schedule": 120.0, "options": {"expires": 120}},
    "shared-diagnoses": {"task": "kb.tasks.forget_shared_diagnoses", "schedule": 600.0, "options": {"expires": 600}},
    "declined-feedback": {"task": "kb.tasks.forget_declined_feedback", "schedule": DAY},
    "old-missed-searches": {"task": "kb.tasks.forget_old_missed_searches", "schedule": DAY},
    "changed-faults": {"task": "kb.tasks.follow_faults", "schedule": 5.0, "options": {"expires": 5}},
    "webhooks": {"task": "kb.tasks.deliver_webhooks", "schedule": 20.0, "options": {"expires": 20}},
    "old-webhook-deliveries": {"task": "kb.tasks.forget_old_deliveries", "schedule": DAY},
    "dumps": {"task": "kb.tasks.publish_dump", "schedule": DAY},
    "backups": {"task": "kb.tasks.make_backup", "schedule": crontab(hour="3", minute="15")},
    "mirrors": {"task": "ingest.tasks.sync_due_mirrors", "schedule": 20.0, "options": {"expires": 20}},
    "deliveries": {"task": "ingest.tasks.handle_deliveries", "schedule": 60.0, "options": {"expires": 60}},
    "asked-sweeps": {"task": "ingest.tasks.sweep_as_asked", "schedule": 60.0, "options": {"expires": 60}},
    "sweeps": {"task": "ingest.tasks.sweep_mirrors", "schedule": 600.0, "options": {"expires": 600}},
    "suggestions": {"task": "ingest.tasks.suggest_labels", "schedule": 300.0, "options": {"expires": 300}},
    "histories": {"task": "ingest.tasks.read_histories", "schedule": DAY},
    "old-runs": {"task": "ingest.tasks.forget_old_runs", "schedule": DAY},
    "old-deliveries": {"task": "ingest.tasks.forget_old_deliveries", "schedule": DAY},
    "due-notices": {"task": "labeling.tasks.tell_what_is_due", "schedule": 3600.0, "options": {"expires": 3600}},
    "notice-mails": {"task": "labeling.tasks.mail_notices", "schedule": DAY},
    "invitation-mails": {"task": "labeling.tasks.mail_invitations", "schedule": 300.0, "options": {"expires": 300}},
    "ended-sessions": {"task": "config.accounts.tasks.forget_ended_sessions", "schedule": DAY},
    "expired-tokens": {"task": "config.accounts.tasks.forget_expired_tokens", "schedule": DAY},
}

# What somebody sent may take many minutes to read: nothing else waits for it.
ROUTES = {"kb.tasks.diagnose": {"queue": "diagnoses"}}


def celery(*, broker: str, folder: Path) -> dict[str, Any]:
    """The settings of Celery. `folder`: where beat writes down when it started what."""
    return {
        "CELERY_BROKER_URL": broker,
        "CELERY_RESULT_BACKEND": broker,
        "CELERY_TASK_ACKS_LATE": True,
        "CELERY_TASK_SOFT_TIME_LIMIT": 300,
        "CELERY_TASK_TIME_LIMIT": 360,
        "CELERY_TASK_IGNORE_RESULT": True,
        "CELERY_WORKER_PREFETCH_MULTIPLIER": 1,
        "CELERY_WORKER_HIJACK_ROOT_LOGGER": False,
        "CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP": True,
        "CELERY_TIMEZONE": "UTC",
        "CELERY_BEAT_SCHEDULE_FILENAME": str(folder / "celerybeat-schedule"),
        "CELERY_BEAT_SCHEDULE": BEAT,
        "CELERY_TASK_ROUTES": ROUTES,
    }
