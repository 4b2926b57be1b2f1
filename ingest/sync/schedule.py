"""Which mirrors are due, and running them within the time that a worker gives one task.

Nothing waits in the broker: when a mirror goes on is in its cursor, and whoever looks next begins it.
"""

import datetime as dt
from contextlib import suppress

from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from ingest.hosts.connections import connect
from ingest.models import Cursor, Mirror, SyncRun
from ingest.services.mirrors import make_due
from ingest.sync.mirror_run import bring_up_to_date, sweep_on, sweep_share
from ingest.sync.pace import held_of, pace_of
from ingest.sync.runs import take_over_killed
from kb.services.locks import LockHeldError

# Below the workers' limit for a task, with room for the longest single request.
RUN_SECONDS = 200.0
# What was handed to a worker and never begun is handed out again after this.
HANDED_OUT_FOR = dt.timedelta(minutes=10)
# A run's issues get their suggestions within minutes; one that was cut short is gone on with for so long.
LATELY = dt.timedelta(hours=1)
# A look that failed is tried again after this.
REST_OF_FAILED = dt.timedelta(hours=1)
LONG_AGO = dt.datetime.min.replace(tzinfo=dt.UTC)
# Runs that brought nothing are forgotten after this; what they would tell is in the later ones.
QUIET_RUNS_KEPT = dt.timedelta(days=7)
RUNS_KEPT = dt.timedelta(days=400)


def take_due() -> list[int]:
    """Return the ids of the mirrors that are due, the longest waiting first, and hand each out once.

    One whose worker died is due.
    """
    take_over_killed()
    now = timezone.now()
    due = Q(due_at__isnull=True) | Q(due_at__lte=now)
    limited = Q(resume_at__gt=now)
    waiting = Cursor.objects.filter(due, mirror__is_on=True).exclude(limited).order_by("due_at", "pk")
    ids = list(waiting.values_list("pk", flat=True))
    Cursor.objects.filter(pk__in=ids).filter(due).update(due_at=now + HANDED_OUT_FOR)
    return ids


def run_mirror(*, mirror_id: int) -> None:
    """Bring one mirror up to date as far as the time goes; another run goes on with the rest."""
    mirror = _mirror(mirror_id)
    if mirror is None:
        return
    try:
        bring_up_to_date(mirror=mirror, host=connect(repository=mirror.repository), seconds=RUN_SECONDS)
    except LockHeldError:
        # Whoever is at it may only be looking at issues again, which says nothing about what is new.
        make_due(mirror=mirror)


def changed_repositories() -> list[int]:
    """The ids of the repositories of which runs lately brought something."""
    lately = SyncRun.objects.filter(started_at__gte=timezone.now() - LATELY).exclude(created=0, updated=0)
    mirrors = Mirror.objects.filter(runs__in=lately).order_by("repository")
    return list(mirrors.values_list("repository", flat=True).distinct())


def mirrors_to_sweep(*, now: dt.datetime | None = None) -> list[int]:
    """The ids of the mirrors whose next look at a share of their issues is due, the longest waiting first."""
    now = now or timezone.now()
    mirrors = list(_may_sweep(now))
    done, failed = _last_sweeps(SyncRun.Status.DONE), _last_sweeps(SyncRun.Status.FAILED)
    due: list[int] = []
    for name in {mirror.repository.host for mirror in mirrors}:
        here = [mirror for mirror in mirrors if mirror.repository.host == name]
        host = connect(repository=here[0].repository)
        held = held_of(host=host, name=name)
        for mirror in here:
            pace = pace_of(repository=mirror.repository, host=host, held=held)
            rested = now - failed.get(mirror.pk, LONG_AGO) >= REST_OF_FAILED
            if rested and now - done.get(mirror.pk, LONG_AGO) >= pace.step:
                due.append(mirror.pk)
    return sorted(due, key=lambda pk: (done.get(pk, LONG_AGO), pk))


def run_sweep(*, mirror_id: int, now: dt.datetime | None = None) -> None:
    """Look again at the share of one mirror's issues that is due, unless another worker did meanwhile."""
    now = now or timezone.now()
    mirror = _may_sweep(now).filter(pk=mirror_id).first()
    if mirror is None:
        return
    host, done = connect(repository=mirror.repository), _last_sweeps(SyncRun.Status.DONE).get(mirror_id)
    held = held_of(host=host, name=mirror.repository.host)
    pace = pace_of(repository=mirror.repository, host=host, held=held)
    elapsed = now - done if done else None
    if elapsed is not None and elapsed < pace.step:
        return
    with suppress(LockHeldError):
        sweep_share(mirror=mirror, host=host, pace=pace, elapsed=elapsed, seconds=RUN_SECONDS)


def _may_sweep(now: dt.datetime) -> QuerySet[Mirror]:
    """The mirrors whose hosts may be asked now."""
    free = Q(cursor__resume_at__isnull=True) | Q(cursor__resume_at__lte=now)
    mirrors = Mirror.objects.filter(free, is_on=True, cursor__is_complete=True, cursor__failures=0)
    return mirrors.select_related("repository", "keywords")


def _last_sweeps(status: SyncRun.Status) -> dict[int, dt.datetime]:
    """When the last look of each mirror that ended so began."""
    runs = SyncRun.objects.filter(kind=SyncRun.Kind.SWEEP, status=status).order_by().values("mirror")
    return {row["mirror"]: row["last"] for row in runs.annotate(last=Max("started_at"))}


def asked_sweeps() -> list[int]:
    """The ids of the mirrors that somebody wants looked at as a whole, as far as their host allows that now."""
    free = Q(resume_at__isnull=True) | Q(resume_at__lte=timezone.now())
    cursors = Cursor.objects.filter(free, sweep_asked_at__isnull=False, mirror__is_on=True)
    return list(cursors.order_by("sweep_asked_at", "pk").values_list("pk", flat=True))


def run_asked_sweep(*, mirror_id: int) -> None:
    """Go on with a sweep that somebody asked for, unless it came to its end meanwhile."""
    mirror = _mirror(mirror_id)
    if mirror is None or not Cursor.objects.filter(pk=mirror_id, sweep_asked_at__isnull=False).exists():
        return
    with suppress(LockHeldError):
        sweep_on(mirror=mirror, host=connect(repository=mirror.repository), seconds=RUN_SECONDS)


def _mirror(mirror_id: int) -> Mirror | None:
    return Mirror.objects.select_related("repository", "keywords").filter(pk=mirror_id, is_on=True).first()


def forget_old_runs() -> int:
    """Delete runs that nobody asks about any more; returns how many."""
    now = timezone.now()
    quiet = Q(created=0, updated=0, deleted=0, moved=0, status=SyncRun.Status.DONE)
    old = Q(started_at__lt=now - RUNS_KEPT) | Q(quiet, started_at__lt=now - QUIET_RUNS_KEPT)
    return SyncRun.objects.filter(old).delete()[0]
