"""What runs in the background. A task calls one service and adds nothing but its name."""

from celery import shared_task

from ingest.services import deliveries as kept_deliveries
from ingest.services import history, suggestions
from ingest.sync import deliveries, schedule


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


@shared_task(name="ingest.tasks.sweep_as_asked")
def sweep_as_asked() -> None:
    """Hand out the sweeps that somebody asked for."""
    for mirror_id in schedule.asked_sweeps():
        sweep_whole_mirror.delay(mirror_id)


@shared_task(name="ingest.tasks.sweep_whole_mirror")
def sweep_whole_mirror(mirror_id: int) -> None:
    """Look at all of one mirror's issues, as far as the time goes."""
    schedule.run_asked_sweep(mirror_id=mirror_id)


@shared_task(name="ingest.tasks.suggest_labels")
def suggest_labels() -> None:
    """Hand out the repositories whose issues may need suggestions."""
    for repository_id in schedule.changed_repositories():
        suggest_labels_in.delay(repository_id)


@shared_task(name="ingest.tasks.suggest_labels_in")
def suggest_labels_in(repository_id: int) -> None:
    """Suggest labels for what one repository's mirror brought."""
    suggestions.suggest_labels(issue_ids=suggestions.due_issues(repository_id=repository_id))


@shared_task(name="ingest.tasks.read_histories")
def read_histories() -> None:
    """Hand out the repositories of whose history we have a clone."""
    for repository_id in history.cloned_repositories():
        read_history.delay(repository_id)


@shared_task(name="ingest.tasks.read_history")
def read_history(repository_id: int) -> None:
    """Read what is new in one repository's history."""
    history.read_again(repository_id=repository_id)


@shared_task(name="ingest.tasks.handle_deliveries")
def handle_deliveries() -> None:
    """Read anew what webhooks hinted at."""
    deliveries.handle_deliveries()


@shared_task(name="ingest.tasks.forget_old_deliveries")
def forget_old_deliveries() -> None:
    """Delete deliveries that nobody asks about any more."""
    kept_deliveries.forget_old_deliveries()


@shared_task(name="ingest.tasks.forget_old_runs")
def forget_old_runs() -> None:
    """Delete runs that nobody asks about any more."""
    schedule.forget_old_runs()
