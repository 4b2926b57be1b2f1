"""Projects and the people in them: founding, inviting, joining, leaving."""

import datetime as dt
import hashlib
import secrets
from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from labeling.models import Invitation, Member, Project, Role, Slot
from labeling.refusals import RefusedError

INVITATION_DAYS = 14
TOKEN_BYTES = 24


@transaction.atomic
def found_project(*, user: User, slug: str, name: str, question: str, is_demo: bool = False) -> Member:
    """Start a project; who founds it leads it. Raises RefusedError when the short name is taken."""
    if Project.objects.filter(slug=slug).exists():
        raise RefusedError(f"There is a project “{slug}” already. Choose another short name.")
    project = Project.objects.create(slug=slug, name=name, question=question, created_by=user, is_demo=is_demo)
    return _add(project, user, [Role.LEAD], is_senior=True)


@transaction.atomic
def invite(
    *, lead: Member, roles: Sequence[Role], is_senior: bool = False, note: str = "", uses: int = 1,
    days: int = INVITATION_DAYS,
) -> tuple[Invitation, str]:  # fmt: skip
    """Make an invitation; returns it with the secret of its link, which is told this once."""
    require(lead, Role.LEAD)
    if not roles:
        raise RefusedError("Say what the invited person will do: choose at least one role.")
    token = secrets.token_urlsafe(TOKEN_BYTES)
    made = Invitation.objects.create(
        project=lead.project,
        roles=list(dict.fromkeys(roles)),
        is_senior=is_senior,
        note=note,
        token_hash=_hash(token),
        created_by=lead,
        expires_at=timezone.now() + dt.timedelta(days=days),
        uses_left=uses,
    )
    return made, token


@transaction.atomic
def join(*, user: User, token: str) -> Member:
    """Take an invitation up. Who is in the project already stays as they are; who had left comes back."""
    invitation = Invitation.objects.select_for_update().filter(token_hash=_hash(token)).first()
    if invitation is None:
        raise RefusedError("This invitation is not known. Ask the project's lead for a new one.")
    member = Member.objects.filter(project=invitation.project, user=user).first()
    if member and member.is_active:
        return member
    if invitation.revoked_at or not invitation.uses_left or invitation.expires_at <= timezone.now():
        raise RefusedError("This invitation was used, withdrawn, or is too old. Ask the project's lead for a new one.")
    Invitation.objects.filter(pk=invitation.pk).update(uses_left=F("uses_left") - 1)
    if member is None:
        return _add(invitation.project, user, invitation.roles, is_senior=invitation.is_senior)
    member.left_at, member.roles, member.is_senior = None, invitation.roles, invitation.is_senior
    member.save(update_fields=["left_at", "roles", "is_senior"])
    return member


@transaction.atomic
def leave(*, member: Member) -> int:
    """Let somebody go: their votes stay, what was kept for them is free again. Returns how many places came free.

    Raises RefusedError for the last lead.
    """
    Project.objects.select_for_update().get(pk=member.project_id)
    member.refresh_from_db()
    if not member.is_active:
        return 0
    others = Member.objects.filter(project=member.project_id, left_at=None).exclude(pk=member.pk)
    if Role.LEAD in member.roles and not others.filter(roles__contains=[Role.LEAD]).exists():
        raise RefusedError("The project needs a lead: make somebody else lead before you leave.")
    Member.objects.filter(pk=member.pk).update(left_at=timezone.now())
    member.refresh_from_db()
    open_slots = Slot.objects.filter(vote=None)
    held = open_slots.filter(member=member).update(member=None, reserved_until=None)
    open_slots.filter(only_for=member).update(only_for=None)
    return held


def require(member: Member, *roles: Role) -> None:
    """Raises RefusedError unless the member is in the project and has one of the roles."""
    if not member.has(*roles):
        wanted = " or ".join(role.label.lower() for role in roles)
        raise RefusedError(f"Only somebody who is {wanted} in this project may do this.")


def _add(project: Project, user: User, roles: Sequence[str], *, is_senior: bool) -> Member:
    Project.objects.select_for_update().get(pk=project.pk)
    number = Member.objects.filter(project=project).count() + 1
    return Member.objects.create(
        project=project, user=user, roles=list(roles), is_senior=is_senior, pseudonym=f"Coder {number}"
    )


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
