"""Invitations, found by their link's token, of which only the hash is stored."""

import hashlib

from django.db.models import QuerySet
from django.utils import timezone

from labeling.models import Invitation, Member
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


def open_invitations(*, lead: Member) -> QuerySet[Invitation]:
    """The invitations to the lead's project that can still be accepted, the newest first."""
    invitations = Invitation.objects.filter(project=lead.project_id, revoked_at=None, uses_left__gt=0)
    return invitations.filter(expires_at__gt=timezone.now()).select_related("created_by__user")
