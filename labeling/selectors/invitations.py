"""Invitations, found by their link's token, of which only the hash is stored, or by whom they are addressed to."""

import hashlib

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone

from labeling.models import Invitation, Member, Notice, NoticeChoice
from labeling.rights import Right, has_right


def hash_of(token: str) -> str:
    """The SHA-256 of a link's token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def by_token(*, token: str) -> Invitation | None:
    """The invitation with this token, good or not, with its project and its author."""
    invitations = Invitation.objects.select_related("project", "created_by__user")
    return invitations.filter(token_hash=hash_of(token)).first()


def invitation_of(*, lead: Member, pk: int) -> Invitation:
    """An invitation to the lead's project. Raises Invitation.DoesNotExist."""
    return Invitation.objects.get(pk=pk, project=lead.project_id)


def why_not(invitation: Invitation | None) -> str:
    """Why an invitation lets nobody in; empty for a good one."""
    if invitation is None:
        return "This is not an invitation's address. Check that you copied all of it."
    if invitation.project.archived_at:
        return "The project is archived: nobody can join it."
    if invitation.project.suspended_at:
        return "The site's staff suspended the project: nobody can join it."
    if invitation.revoked_at:
        return "This invitation was withdrawn."
    if not invitation.uses_left:
        return "This invitation has been used up."
    if invitation.expires_at <= timezone.now():
        return "This invitation has expired."
    return ""


def opens_sign_up(*, token: str) -> bool:
    """Whether the holder of this token may create an account where sign-up is closed.

    Only if the lead who made the invitation had the right to invite newcomers, and still has it.
    """
    invitation = by_token(token=token) if token else None
    if invitation is None or why_not(invitation) or not invitation.accounts_left:
        return False
    return has_right(invitation.created_by.user, Right.INVITE)


def addressed_to(*, user: User) -> QuerySet[Invitation]:
    """All invitations to this account, over or not, by its user name or an address that it has confirmed."""
    confirmed = EmailAddress.objects.filter(user=user, verified=True).values_list("email", flat=True)
    names = [*(email.lower() for email in confirmed), *([] if "@" in user.username else [user.username.lower()])]
    return Invitation.objects.filter(addressee__in=names)


def invitations_to(*, user: User) -> QuerySet[Invitation]:
    """Those of them that the account can accept now."""
    invitations = _waiting(addressed_to(user=user)).filter(project__archived_at=None, project__suspended_at=None)
    mine = Member.objects.filter(user=user, left_at=None).values("project")
    return invitations.exclude(project__in=mine).select_related("project", "created_by__user")


def shown_to(*, user: User) -> QuerySet[Invitation]:
    """Those of them that the site shows the person, who may want none."""
    if NoticeChoice.objects.filter(user=user, kind=Notice.Kind.INVITED, on_site=False).exists():
        return Invitation.objects.none()
    return invitations_to(user=user)


def to_mail() -> QuerySet[Invitation]:
    """The addressed invitations that nobody was mailed of yet."""
    return (
        _waiting(Invitation.objects.exclude(addressee=""))
        .filter(mailed_at=None)
        .select_related("project", "created_by__user")
    )


def address_of(invitation: Invitation) -> str:
    """Where an invitation is mailed to; empty where there is no such address, or its owner wants no such mail."""
    name = invitation.addressee
    addresses = EmailAddress.objects.filter(verified=True, user__is_active=True)
    known = addresses.filter(Q(email__iexact=name) if "@" in name else Q(user__username__iexact=name, primary=True))
    if found := known.select_related("user").first():
        unwanted = NoticeChoice.objects.filter(user=found.user, kind=Notice.Kind.INVITED, by_mail=False)
        return "" if unwanted.exists() else found.email
    return name if "@" in name else ""


def _waiting(invitations: QuerySet[Invitation]) -> QuerySet[Invitation]:
    return invitations.filter(revoked_at=None, uses_left__gt=0, expires_at__gt=timezone.now())


def open_invitations(*, lead: Member) -> QuerySet[Invitation]:
    """The invitations to the lead's project that can still be accepted, the newest first."""
    return _waiting(Invitation.objects.filter(project=lead.project_id)).select_related("created_by__user")
