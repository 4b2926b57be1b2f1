"""What runs in the background. A task calls one service and adds nothing but its name."""

from celery import shared_task

from ingest.sync import schedule


@shared_task(name="ingest.tasks.sync_due_mirrors")
def sync_due_mirrors() -> None:
    """Hand out the mirrors that are due."""
    for mirror_id in schedule.take_due():
        sync_mirror.delay(mirror_id)


@shared_task(name="ingest.tasks.sync_mirror")
def sync_mirror(mirror_id: int) -> None:
    """Bring one mirror up to date."""
    schedule.run_mirror(mirror_id=mirror_id)


@shared_task(name="ingest.tasks.sweep_mirrors")
def sweep_mirrors() -> None:
    """Hand out the mirrors whose issues are to be looked at again."""
    for mirror_id in schedule.mirrors_to_sweep():
        sweep_mirror.delay(mirror_id)


@shared_task(name="ingest.tasks.sweep_mirror")
def sweep_mirror(mirror_id: int) -> None:
    """Look at a share of one mirror's issues again."""
    schedule.run_sweep(mirror_id=mirror_id)


@shared_task(name="ingest.tasks.forget_old_runs")
def forget_old_runs() -> None:
    """Delete runs that nobody asks about any more."""
    schedule.forget_old_runs()
