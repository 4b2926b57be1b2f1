"""Projects and the people in them: founding, inviting, joining, leaving."""

import datetime as dt
import secrets
from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone

from labeling.models import AuditEntry, Invitation, Member, Notice, NoticeChoice, Project, Role, Slot
from labeling.models.projects import RESERVED_SLUGS
from labeling.refusals import RefusedError
from labeling.rights import Right, has_right, require_right
from labeling.selectors.invitations import addressed_to, by_token, hash_of, invitations_to, opens_sign_up, to_mail
from labeling.selectors.invitations import why_not as why_not_good
from labeling.selectors.role_changes import why_not
from labeling.services import audit
from labeling.services.notices import tell

INVITATION_DAYS = 14
MOST_DAYS = 365
MOST_USES = 100
TOKEN_BYTES = 24
# Each may cause a mail to somebody who asked for none.
MOST_ADDRESSED_A_DAY = 30


@transaction.atomic
def found_project(*, user: User, slug: str, name: str, question: str, is_demo: bool = False) -> Member:
    """Start a project led by `user`. A demo, which an operator makes, needs no right to found one.

    Raises RefusedError when the short name is taken or reserved.
    """
    if not is_demo:
        require_right(user, Right.FOUND)
    if slug in RESERVED_SLUGS:
        raise RefusedError(f"“{slug}” is the address of another page. Choose another short name.")
    try:
        with transaction.atomic():
            project = Project.objects.create(slug=slug, name=name, question=question, created_by=user, is_demo=is_demo)
    except IntegrityError as error:
        raise RefusedError(f"There is a project “{slug}” already. Choose another short name.") from error
    return add_member(project, user, [Role.LEAD], is_senior=True)


@transaction.atomic
def invite(
    *, lead: Member, roles: Sequence[Role], is_senior: bool = False, note: str = "", uses: int = 1,
    days: int = INVITATION_DAYS, addressee: str = "",
) -> tuple[Invitation, str]:  # fmt: skip
    """Make an invitation; returns it with the token of its link, of which only a hash is stored.

    `addressee`: the e-mail address or user name of the one person for whom it waits after log-in, too.
    Where sign-up is closed, it opens as many accounts as it has uses, if the lead has the right to invite newcomers.
    """
    require(lead, Role.LEAD)
    require_at_work(lead)
    if not roles:
        raise RefusedError("Say what the invited person will do: choose at least one role.")
    if not (1 <= uses <= MOST_USES and 1 <= days <= MOST_DAYS):
        raise RefusedError(f"A link is for 1 to {MOST_USES} people and for 1 to {MOST_DAYS} days.")
    if addressee:
        _require_addressable(lead, uses)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    invitation = Invitation.objects.create(
        project=lead.project,
        roles=list(dict.fromkeys(roles)),
        is_senior=is_senior,
        note=note,
        addressee=addressee.strip().lower(),
        token_hash=hash_of(token),
        created_by=lead,
        expires_at=timezone.now() + dt.timedelta(days=days),
        uses_left=uses,
        accounts_left=uses if has_right(lead.user, Right.INVITE) else 0,
    )
    audit.record(by=lead, kind=AuditEntry.Kind.INVITED, detail=f"{invitation.role_names}, for {uses}")
    return invitation, token


def _require_addressable(lead: Member, uses: int) -> None:
    if uses != 1:
        raise RefusedError("An invitation to one address is for one person. For more people, leave the address empty.")
    day = timezone.now() - dt.timedelta(days=1)
    since = Invitation.objects.filter(created_by__user=lead.user_id, created_at__gt=day).exclude(addressee="")
    if since.count() >= MOST_ADDRESSED_A_DAY:
        raise RefusedError(
            f"You invited {MOST_ADDRESSED_A_DAY} people by their address within a day, which is the most. Make a link "
            "without an address, and send it yourself."
        )


@transaction.atomic
def join(*, user: User, token: str) -> Member:
    """Accept an invitation. Nothing changes for an active member.

    A former member returns only by an invitation made after they left, in roles that go with what they have seen.
    """
    invitation = by_token(token=token)
    if invitation is None:
        raise RefusedError("This invitation does not exist. Ask the project's lead for a new one.")
    return _accept(user, invitation)


@transaction.atomic
def answer_invitation(*, user: User, pk: int, accepts: bool) -> Member | None:
    """Join by an invitation that is addressed to this account, as `join` does, or decline it."""
    invitation = invitations_to(user=user).filter(pk=pk).first()
    if invitation is None:
        raise RefusedError("This invitation no longer waits for you. Ask the project's lead for a new one.")
    if accepts:
        return _accept(user, invitation)
    Invitation.objects.filter(pk=pk).update(revoked_at=timezone.now(), addressee="")
    return None


def take_for_mailing(*, pk: int) -> Invitation | None:
    """An invitation that waits to be mailed, now counted as mailed; in a transaction that ends with the mail."""
    waiting = to_mail().select_for_update(of=("self",), skip_locked=True).filter(pk=pk).first()
    if waiting:
        Invitation.objects.filter(pk=pk).update(mailed_at=timezone.now())
    return waiting


def forget_addressees() -> None:
    """Forget whom invitations were addressed to that nobody can accept any more."""
    over = Q(expires_at__lte=timezone.now()) | Q(uses_left=0) | ~Q(revoked_at=None)
    Invitation.objects.filter(over).exclude(addressee="").update(addressee="")


def _accept(user: User, invitation: Invitation) -> Member:
    # In this order everywhere: the project, then its invitations.
    Project.objects.select_for_update().get(pk=invitation.project_id)
    invitation = (
        Invitation.objects.select_for_update(of=("self",)).select_related("project", "created_by").get(pk=invitation.pk)
    )
    member = Member.objects.filter(project=invitation.project_id, user=user).first()
    if member and member.is_active:
        return member
    if reason := why_not_good(invitation):
        raise RefusedError(f"{reason} Ask the project's lead for a new one.")
    if member and member.left_at and invitation.created_at < member.left_at:
        raise RefusedError("You left the project after this invitation was made. Ask the project's lead for a new one.")
    if member and (reason := why_not(member=member, roles=invitation.roles)):
        raise RefusedError(reason)
    Invitation.objects.filter(pk=invitation.pk).update(uses_left=F("uses_left") - 1, addressee="")
    if member is None:
        member = add_member(invitation.project, user, invitation.roles, is_senior=invitation.is_senior)
    else:
        member.left_at, member.roles, member.is_senior = None, invitation.roles, invitation.is_senior
        member.save(update_fields=["left_at", "roles", "is_senior"])
    event = f"{invitation.pk}-{member.pk}"
    tell(members=[invitation.created_by], kind=Notice.Kind.JOINED, event=event)
    audit.record(by=member, kind=AuditEntry.Kind.JOINED, detail=member.role_names)
    return member


def take_account(*, token: str) -> None:
    """Count one account created by an invitation. Raises RefusedError where it is good for none any more."""
    invitations = Invitation.objects.filter(token_hash=hash_of(token), accounts_left__gt=0)
    if not opens_sign_up(token=token) or not invitations.update(accounts_left=F("accounts_left") - 1):
        raise RefusedError("This invitation cannot create another account. Ask the project's lead for a new one.")


@transaction.atomic
def revoke(*, lead: Member, invitation: Invitation) -> None:
    """Revoke an invitation's link. Members who joined by it stay."""
    require(lead, Role.LEAD)
    if invitation.project_id != lead.project_id:
        raise RefusedError("This invitation belongs to another project.")
    if Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(revoked_at=timezone.now()):
        audit.record(by=lead, kind=AuditEntry.Kind.REVOKED, detail=invitation.role_names)


@transaction.atomic
def leave(*, member: Member, by: Member | None = None) -> int:
    """End a membership: votes stay, reserved slots are free again. Returns how many reservations were given back.

    `by`: the lead who removes the member; nobody where they leave by themselves.
    Raises RefusedError for the last lead.
    """
    Project.objects.select_for_update().get(pk=member.project_id)
    member.refresh_from_db()
    if not member.is_active:
        return 0
    require_another_lead(member, "leaves")
    Member.objects.filter(pk=member.pk).update(left_at=timezone.now())
    kind = AuditEntry.Kind.REMOVED if by else AuditEntry.Kind.LEFT
    audit.record(by=by or member, kind=kind, about=member if by else None)
    member.refresh_from_db()
    withdraw_invitations(member)
    return free_places(member)


@transaction.atomic
def leave_for_good(*, user: User) -> None:
    """End all memberships of somebody who deletes their account; their votes stay, under their pseudonyms.

    Raises RefusedError for the last lead of a project.
    """
    members = Member.objects.filter(user=user)
    active = members.filter(left_at=None).select_related("project").order_by("project_id")
    if alone := [member.project.name for member in active if _leads_alone(member)]:
        raise RefusedError(f"Only you lead {', '.join(alone)}. Make someone else a lead there first.")
    for member in active:
        leave(member=member)
    members.update(is_pseudonymous=True, shows_name=False)
    Notice.objects.filter(member__user=user).delete()
    NoticeChoice.objects.filter(user=user).delete()
    addressed_to(user=user).update(addressee="")


def free_places(member: Member) -> int:
    """Give back the slots reserved or kept for somebody; returns how many were reserved."""
    open_slots = Slot.objects.filter(vote=None)
    reserved = open_slots.filter(member=member).update(member=None, reserved_until=None)
    open_slots.filter(only_for=member).update(only_for=None)
    return reserved


def withdraw_invitations(member: Member) -> None:
    """Revoke the open invitations of a former lead: their links would let anybody in, and the lead back."""
    Invitation.objects.filter(created_by=member, revoked_at=None).update(revoked_at=timezone.now())


def require_another_lead(member: Member, action: str) -> None:
    """Raises RefusedError for the last lead, who may not do `action`. The project must be locked."""
    if _leads_alone(member):
        raise RefusedError(f"The project needs a lead: make someone else a lead before the last one {action}.")


def _leads_alone(member: Member) -> bool:
    others = Member.objects.filter(project=member.project_id, left_at=None).exclude(pk=member.pk)
    return Role.LEAD in member.roles and not others.filter(roles__contains=[Role.LEAD]).exists()


def require_at_work(member: Member) -> None:
    """Raises RefusedError where the member's project is archived or suspended."""
    project = Project.objects.get(pk=member.project_id)
    require_not_suspended(project)
    if project.archived_at:
        raise RefusedError("This project is archived. A lead can take it out of the archive in its settings.")


def require_not_suspended(project: Project) -> None:
    """Raises RefusedError where staff suspended the project."""
    if project.suspended_at:
        raise RefusedError("The site's staff suspended this project: everything can be read, nothing can be changed.")


def require(member: Member, *roles: Role) -> None:
    """Raises RefusedError unless the member is in the project and has one of the roles."""
    if not member.has(*roles):
        wanted = " or ".join(role.label.lower() for role in roles)
        raise RefusedError(f"Only somebody who is {wanted} in this project may do this.")


def add_member(project: Project, user: User, roles: Sequence[str], *, is_senior: bool) -> Member:
    """A new row for somebody who was never in the project; who may add whom is the caller's."""
    Project.objects.select_for_update().get(pk=project.pk)
    number = Member.objects.filter(project=project).count() + 1
    return Member.objects.create(
        project=project, user=user, roles=list(roles), is_senior=is_senior, pseudonym=f"Coder {number}"
    )
