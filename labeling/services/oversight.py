"""What the site's staff do to projects: withdraw a publication, suspend a project, and undo either.

Each is recorded as a `StaffAction` with who did it and why, which the project's members can read.
"""

from collections.abc import Collection

from django.contrib.auth.models import Permission, User
from django.db import transaction
from django.utils import timezone

from labeling.models import AuditEntry, Job, Project, Publication, StaffAction
from labeling.refusals import RefusedError
from labeling.rights import Right, require_right
from labeling.scopes import still_withdrawn
from labeling.selectors.withdrawals import publication_actions
from labeling.services import audit, jobs
from labeling.services.publication_requests import require_known, why_not_accept

AUDITED = {
    StaffAction.Kind.WITHDRAW: AuditEntry.Kind.BARRED,
    StaffAction.Kind.ALLOW: AuditEntry.Kind.ALLOWED,
    StaffAction.Kind.SUSPEND: AuditEntry.Kind.SUSPENDED,
    StaffAction.Kind.RESUME: AuditEntry.Kind.RESUMED,
}


@transaction.atomic
def withdraw_publication(*, by: User, project: Project, reason: str, scope: Collection[str] = ()) -> Job:
    """Keep answers out of public until staff allow them again, and queue the job that takes them back.

    An empty scope is the whole publication. May be called again where the job failed.
    """
    if Publication.objects.select_for_update().filter(project=project).first() is None:
        raise RefusedError("This project has never published anything.")
    _record(by, project, StaffAction.Kind.WITHDRAW, reason, scope)
    return jobs.begin_for_staff(project_id=project.pk, kind=Job.Kind.WITHDRAW)


@transaction.atomic
def allow_publication(*, by: User, project: Project, reason: str, scope: Collection[str] = ()) -> None:
    """Let answers be published again; nothing comes back by itself."""
    require_right(by, Right.OVERSEE)
    if refusal := why_not_accept(user=by, project=project):
        raise RefusedError(refusal)
    Publication.objects.select_for_update().filter(project=project).first()
    if not still_withdrawn(publication_actions(project_id=project.pk)):
        raise RefusedError("This project may already publish.")
    _record(by, project, StaffAction.Kind.ALLOW, reason, scope)


@transaction.atomic
def suspend_project(*, by: User, project: Project, reason: str) -> None:
    """Let everything in a project be read, and nothing be changed. What it published stays until it is withdrawn."""
    _record(by, project, StaffAction.Kind.SUSPEND, reason)
    if not Project.objects.filter(pk=project.pk, suspended_at=None).update(suspended_at=timezone.now()):
        raise RefusedError("This project is already suspended.")


@transaction.atomic
def resume_project(*, by: User, project: Project, reason: str) -> None:
    """Let a suspended project go on where it was."""
    _record(by, project, StaffAction.Kind.RESUME, reason)
    if not Project.objects.filter(pk=project.pk).exclude(suspended_at=None).update(suspended_at=None):
        raise RefusedError("This project is not suspended.")


def give_rights(*, user: User, rights: Collection[Right]) -> None:
    """Make these the rights that the account has for the site, and take the others away."""
    permissions = Permission.objects.filter(content_type__app_label="labeling", codename__in=list(Right))
    user.user_permissions.remove(*permissions)
    user.user_permissions.add(*permissions.filter(codename__in=list(rights)))


def _record(by: User, project: Project, kind: StaffAction.Kind, reason: str, scope: Collection[str] = ()) -> None:
    require_right(by, Right.OVERSEE)
    require_known(scope)
    if not reason.strip():
        raise RefusedError("Say why: the project's members see it.")
    StaffAction.objects.create(project=project, kind=kind, scope=sorted(scope), reason=reason.strip(), by=by)
    audit.record_staff(by=by, project=project, kind=AUDITED[kind])
