"""Jobs: asking for one, doing it where nobody else does, and keeping its row true. What is done is the work's own.

Who works on a job holds a lock of the database's own, which goes with the process that held it: a killed job can be
tried again at once, and two workers never do the same.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from kb.services.locks import LockHeldError, session_lock
from labeling.models import AuditEntry, Job, Member, Project, Role
from labeling.refusals import RefusedError
from labeling.services import audit
from labeling.services.people import require, require_not_suspended

LOCK_SPACE = 26_871
UNFINISHED = (Job.State.WAITING, Job.State.RUNNING)
# What comes of the work is counts, by name.
Work = Callable[[Job], Mapping[str, int]]


@transaction.atomic
def begin(*, lead: Member, kind: Job.Kind, arguments: Mapping[str, object] | None = None) -> Job:
    """Ask for a job; `arguments` are JSON, as its work reads them. Raises RefusedError while one is `unfinished`."""
    require(lead, Role.LEAD)
    require_not_suspended(lead.project)
    Project.objects.select_for_update().get(pk=lead.project_id)
    if other := unfinished(project_id=lead.project_id, kind=kind):
        raise RefusedError(f"{other.get_kind_display()} is already running. Wait for it, or retry it from its page.")
    if kind == Job.Kind.WITHDRAW:
        audit.record(by=lead, kind=AuditEntry.Kind.WITHDRAW)
    return Job.objects.create(project=lead.project, kind=kind, member=lead, arguments=dict(arguments or {}))


@transaction.atomic
def begin_for_staff(*, project_id: int, kind: Job.Kind, arguments: Mapping[str, object] | None = None) -> Job:
    """Ask for a job in the name of the site's staff. Raises RefusedError for a publication while one is `unfinished`.

    A withdrawal never waits: one that is under way for a lead becomes the staff's.
    """
    Project.objects.select_for_update().get(pk=project_id)
    if kind == Job.Kind.WITHDRAW:
        under_way = Job.objects.filter(project=project_id, kind=kind, state__in=UNFINISHED)
        under_way.update(member=None)
        other = under_way.first()
        if other is not None:
            return other
    elif other := unfinished(project_id=project_id, kind=kind):
        raise RefusedError(f"{other.get_kind_display()} is already running in this project. Wait until it is done.")
    return Job.objects.create(project_id=project_id, kind=kind, arguments=dict(arguments or {}))


def unfinished(*, project_id: int, kind: Job.Kind) -> Job | None:
    """The job of this kind that waits or runs; of publishing and withdrawing, either: they undo each other."""
    rivals = (Job.Kind.PUBLISH, Job.Kind.WITHDRAW)
    kinds = rivals if kind in rivals else (kind,)
    return Job.objects.filter(project=project_id, kind__in=kinds, state__in=UNFINISHED).first()


def asker(job: Job) -> Member:
    """The lead who asked for a job. Raises RefusedError for a job of the site's staff."""
    if job.member is None:
        raise RefusedError("Only a lead of the project can ask for this.")
    return job.member


@transaction.atomic
def try_again(*, lead: Member, job: Job) -> Job:
    """Let a job that failed, or whose worker is gone, be done again. Raises RefusedError for one that is done.

    Whoever tries it again answers for it; the staff's stays theirs.
    """
    require(lead, Role.LEAD)
    Project.objects.select_for_update().get(pk=lead.project_id)
    job = Job.objects.select_for_update().get(pk=job.pk, project=lead.project_id)
    if job.state == Job.State.DONE:
        raise RefusedError("This is already done.")
    other = unfinished(project_id=job.project_id, kind=Job.Kind(job.kind))
    if other is not None and other.pk != job.pk:
        raise RefusedError(f"{other.get_kind_display()} is already running in another attempt.")
    job.state, job.message, job.finished_at = Job.State.WAITING, "", None
    if job.member is not None:
        job.member = lead
    job.save(update_fields=["state", "message", "finished_at", "member"])
    return job


def run(*, job_id: int, work: Work) -> bool:
    """Do a job with `work`, unless it is done or somebody else is at it. Returns whether it was done here.

    What the work refuses is written on the job; any other error is too, in plain words, and raised.
    """
    try:
        with session_lock((LOCK_SPACE, job_id)):
            return _run_locked(job_id, work)
    except LockHeldError:
        return False


def report(job: Job, *, done: int, total: int) -> None:
    """Say how far a job is."""
    Job.objects.filter(pk=job.pk).update(done=min(done, total), total=total)


def _run_locked(job_id: int, work: Work) -> bool:
    job = Job.objects.select_related("project", "member__project", "member__user").filter(pk=job_id).first()
    if job is None or job.state in (Job.State.DONE, Job.State.FAILED):
        return False
    Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING, started_at=timezone.now(), message="")
    try:
        if job.member is not None:
            require_not_suspended(job.project)
        result = work(job)
    except RefusedError as refused:
        _finish(job, Job.State.FAILED, message=str(refused))
        return False
    except Exception:
        _finish(job, Job.State.FAILED, message="It failed; the server's log has the error. Try again.")
        raise
    _finish(job, Job.State.DONE, result=dict(result))
    return True


def _finish(job: Job, state: Job.State, **values: Any) -> None:
    Job.objects.filter(pk=job.pk).update(state=state, finished_at=timezone.now(), **values)
