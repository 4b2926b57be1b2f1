"""What runs in the background. A task calls one service and adds nothing but its name and its retries."""

import uuid
from contextlib import suppress

from celery import shared_task
from django.conf import settings
from django.db import OperationalError
from django.utils import timezone

from kb.backup.dump import make_nightly
from kb.diagnose import feedback, jobs, sharing
from kb.diagnose import worker as working
from kb.exports.dumps.publishing import publish
from kb.health import heartbeat
from kb.services import cause_links, fault_changes, missed_searches, webhooks
from kb.services.locks import LockHeldError


@shared_task(name="kb.tasks.record_heartbeat")
def record_heartbeat(sent_at: float) -> None:
    """Write down that beat and a worker live."""
    heartbeat.record_heartbeat(sent_at=sent_at)


@shared_task(name="kb.tasks.follow_labels", autoretry_for=(OperationalError,), retry_backoff=True, max_retries=1)
def follow_labels() -> None:
    """Bring the cause links up to date with the labels that changed; one worker at a time does."""
    cause_links.follow_labels(wait=False)


@shared_task(name="kb.tasks.rebuild_cause_links", autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3)
def rebuild_cause_links() -> None:
    """Draw the cause links anew from the labels."""
    cause_links.rebuild_cause_links()


# The job itself looks at the clock while it reads; the limits here are for what does not come to that.
@shared_task(
    name="kb.tasks.diagnose",
    soft_time_limit=settings.DIAGNOSIS_MINUTES * 60 + 30,
    time_limit=settings.DIAGNOSIS_MINUTES * 60 + 90,
)
def diagnose(job_id: str) -> None:
    """Make the diagnosis of a job."""
    working.run(job_id=uuid.UUID(job_id))


@shared_task(name="kb.tasks.look_after_diagnoses")
def look_after_diagnoses() -> None:
    """Delete diagnoses whose hour is over, and see to those whose worker is gone."""
    jobs.look_after()


@shared_task(name="kb.tasks.forget_shared_diagnoses")
def forget_shared_diagnoses() -> None:
    """Delete shared diagnoses whose time is over."""
    sharing.forget_expired()


@shared_task(name="kb.tasks.forget_declined_feedback")
def forget_declined_feedback() -> None:
    """Delete what people said of diagnoses and staff declined a while ago."""
    feedback.forget_declined()


@shared_task(name="kb.tasks.follow_faults")
def follow_faults() -> None:
    """Number the changes of described faults, so that programs can read them in order, and queue what webhooks tell."""
    fault_changes.follow_faults()
    webhooks.queue_changes()


@shared_task(name="kb.tasks.deliver_webhooks")
def deliver_webhooks() -> None:
    """Send the messages of webhooks that are due."""
    webhooks.deliver_due()


@shared_task(name="kb.tasks.forget_old_deliveries")
def forget_old_deliveries() -> None:
    """Delete old messages of webhooks."""
    webhooks.forget_old_deliveries()


@shared_task(name="kb.tasks.publish_dump", soft_time_limit=1_500, time_limit=1_600)
def publish_dump() -> None:
    """Publish what changed since the last version of the dump, unless somebody does by hand."""
    with suppress(LockHeldError):
        publish(settings.DUMPS_DIR, today=timezone.localdate(), keep=settings.DUMPS_KEPT)


@shared_task(name="kb.tasks.make_backup", soft_time_limit=14_000, time_limit=14_400)
def make_backup() -> None:
    """Back the database up, unless somebody does by hand."""
    with suppress(LockHeldError):
        make_nightly()


@shared_task(name="kb.tasks.forget_old_missed_searches")
def forget_old_missed_searches() -> None:
    """Delete counted searches that nobody has repeated in a long time."""
    missed_searches.forget_old()
