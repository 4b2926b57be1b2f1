"""Asking for publication, and the curators' decision: two people stand behind everything that becomes public.

What is accepted is kept answer by answer (`AcceptedAnswer`); writing it into the knowledge base is `publishing`'s.
"""

from collections.abc import Collection, Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from labeling.models import (
    AcceptedAnswer,
    AuditEntry,
    Job,
    Member,
    Project,
    ProjectNode,
    PublicationRequest,
    Role,
)
from labeling.refusals import RefusedError
from labeling.rights import Right, require_right
from labeling.selectors.findings import decisions_in_force
from labeling.selectors.publication import Preview, Row, digest_of, preview
from labeling.selectors.targets import targets
from labeling.selectors.withdrawals import names_of_scope
from labeling.services import audit, jobs
from labeling.services.categories import request_categories
from labeling.services.people import require, require_not_suspended

State = PublicationRequest.State


def why_not_ask(*, lead: Member) -> str:
    """Why the lead may not ask for publication, in a sentence; empty where they may."""
    try:
        _require_may_ask(lead)
    except RefusedError as error:
        return str(error)
    return ""


@transaction.atomic
def ask_for_publication(*, lead: Member, scope: Collection[str] = (), pilots: bool = False) -> PublicationRequest:
    """Ask curators to publish the decisions in force within a scope, and to take new categories into the house.

    Raises RefusedError where the lead may not, where a request waits or a publication runs, and where there is nothing.
    """
    _require_may_ask(lead)
    require_known(scope)
    project = Project.objects.select_for_update().get(pk=lead.project_id)
    if waiting_request(project_id=project.pk):
        raise RefusedError("A request already waits for a curator. Take it back before you make another.")
    if job := jobs.unfinished(project_id=project.pk, kind=Job.Kind.PUBLISH):
        raise RefusedError(f"{job.get_kind_display()} is already running. Wait for it, or retry it from its page.")
    shown = preview(project_id=project.pk, pilots=pilots)
    rows = shown.within(scope)
    _require_something(shown, rows, scope)
    _request_categories(project, pilots=pilots)
    audit.record(by=lead, kind=AuditEntry.Kind.PUBLISH)
    return PublicationRequest.objects.create(
        project=project, member=lead, scope=sorted(scope), pilots=pilots, digest=digest_of(rows),
        decisions=[row.decision for row in rows if row.decision is not None],
    )  # fmt: skip


@transaction.atomic
def publish_demo(*, lead: Member, pilots: bool = False) -> Job:
    """Publish a demo project at once: nobody has to accept what everybody knows to be made up."""
    if not lead.project.is_demo:
        raise RefusedError("Only a demo project is published without a curator.")
    request = ask_for_publication(lead=lead, pilots=pilots)
    rows = preview(project_id=lead.project_id, pilots=pilots).rows
    _accept(request, by=lead.user, scope=(), rows=rows)
    return jobs.begin(lead=lead, kind=Job.Kind.PUBLISH, arguments={"request": request.pk})


@transaction.atomic
def take_request_back(*, lead: Member) -> None:
    """Take the project's waiting request back."""
    require(lead, Role.LEAD)
    request = (
        PublicationRequest.objects.select_for_update().filter(project=lead.project_id, state=State.WAITING).first()
    )
    if request is None:
        raise RefusedError("No request is waiting.")
    _decide(request, lead.user, State.WITHDRAWN)
    audit.record(by=lead, kind=AuditEntry.Kind.TAKEN_BACK)


@transaction.atomic
def accept_publication(*, by: User, request: PublicationRequest, digest: str, scope: Collection[str] = ()) -> Job:
    """Accept a request, or the part of it within `scope`, and queue the job that publishes exactly that.

    `digest` is that of everything the request asks for, as the curator saw it. Raises RefusedError where it differs by
    now, and for people of the project.
    """
    require_right(by, Right.OVERSEE)
    require_known(scope)
    locked = _locked(request)
    require_not_suspended(locked.project)
    if reason := why_not_accept(user=by, project=locked.project):
        raise RefusedError(reason)
    shown = preview(project_id=locked.project_id, pilots=locked.pilots)
    asked = shown.within(locked.scope)
    if digest_of(asked) != digest:
        raise RefusedError("The answers changed since you opened this page, so nothing was accepted. Look again.")
    within = set(shown.within(scope))
    rows = [row for row in asked if row in within]
    if not rows:
        raise RefusedError("Nothing in this request is within your choice: choose more of it, or refuse it.")
    _accept(locked, by=by, scope=scope, rows=rows)
    audit.record_staff(by=by, project=locked.project, kind=AuditEntry.Kind.GRANTED)
    return jobs.begin_for_staff(project_id=locked.project_id, kind=Job.Kind.PUBLISH, arguments={"request": locked.pk})


@transaction.atomic
def refuse_publication(*, by: User, request: PublicationRequest, reason: str) -> None:
    """Refuse a request; the project's leads read why."""
    require_right(by, Right.OVERSEE)
    if not reason.strip():
        raise RefusedError("Say why, so that the project can do better.")
    locked = _locked(request)
    _decide(locked, by, State.REFUSED, reason=reason.strip())
    audit.record_staff(by=by, project=locked.project, kind=AuditEntry.Kind.REFUSED)


def ask_to_withdraw(*, lead: Member) -> Job:
    """Queue the job that takes everything the project has published out of the knowledge base."""
    return jobs.begin(lead=lead, kind=Job.Kind.WITHDRAW, arguments={"all": True})


def why_not_accept(*, user: User, project: Project) -> str:
    """Why a curator may not accept what this project publishes, in a sentence; empty where they may."""
    if project.is_demo or not Member.objects.filter(project=project, user=user).exists():
        return ""
    return "You are or were in this project. Another curator has to accept: publishing takes two people."


def waiting_request(*, project_id: int) -> PublicationRequest | None:
    """The project's request that waits for a curator."""
    return PublicationRequest.objects.filter(project=project_id, state=State.WAITING).first()


def require_known(scope: Collection[str]) -> None:
    """Raises RefusedError for a scope that names what is no axis or category of the house codebook."""
    if set(scope) - names_of_scope([scope]).keys():
        raise RefusedError("Choose among the questions and categories that the page offers.")


def _require_may_ask(lead: Member) -> None:
    """Raises RefusedError where the lead may not ask for publication. A demo needs no right."""
    require(lead, Role.LEAD)
    require_not_suspended(Project.objects.get(pk=lead.project_id))
    if not lead.project.is_demo:
        require_right(lead.user, Right.PUBLISH)


def _require_something(shown: Preview, rows: Sequence[Row], scope: Collection[str]) -> None:
    if rows:
        return
    if shown.own and not shown.issues:
        raise RefusedError("Only items of the project's own are decided, and these are never published.")
    if shown.withdrawn:
        reasons = " ".join(shown.withdrawn)
        raise RefusedError(f"The site's staff withdrew this, and it cannot be published again. Their reason: {reasons}")
    if scope and shown.rows:
        raise RefusedError("Nothing is decided yet within your choice. Choose more of the questions and categories.")
    if not shown.waiting:
        raise RefusedError("Nothing is decided yet, so there is nothing to publish.")


def _request_categories(project: Project, *, pilots: bool) -> None:
    """Ask curators about the decided categories that the house codebook lacks."""
    decisions = decisions_in_force(project_id=project.pk, pilots=pilots).filter(item__own=None).order_by()
    used = ProjectNode.objects.filter(versions__in=decisions.values("versions")).distinct()
    all_targets = targets(project_id=project.pk)
    versions = [all_targets[pk].version for pk in used.order_by().values_list("pk", flat=True)]
    request_categories(needed=sorted({version.node_id for version in versions if version is not None}))


def _locked(request: PublicationRequest) -> PublicationRequest:
    """The request, locked after its project. Raises RefusedError where it is decided."""
    Project.objects.select_for_update().get(pk=request.project_id)
    requests = PublicationRequest.objects.select_for_update(of=("self",)).select_related("project")
    locked = requests.filter(pk=request.pk, state=State.WAITING).first()
    if locked is None:
        raise RefusedError("This request has already been decided, or was taken back.")
    return locked


def _accept(request: PublicationRequest, *, by: User, scope: Collection[str], rows: Sequence[Row]) -> None:
    _decide(request, by, State.ACCEPTED, accepted_scope=sorted(scope))
    AcceptedAnswer.objects.bulk_create(
        AcceptedAnswer(
            request=request, issue_id=row.issue, axis_id=row.axis,
            decision_id=None if row.after is None else row.decision, nodes=list(row.after or ()),
        )
        for row in rows
    )  # fmt: skip


def _decide(request: PublicationRequest, by: User, state: PublicationRequest.State, **values: object) -> None:
    request.state, request.decided_by, request.decided_at = state, by, timezone.now()
    for name, value in values.items():
        setattr(request, name, value)
    request.save(update_fields=["state", "decided_by", "decided_at", *values])
