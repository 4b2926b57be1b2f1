"""The members of a project: their roles, seniority, removal, and the names they are shown by.

Inviting, joining and leaving are `people`'s.
"""

from collections.abc import Collection

from django.db import transaction

from labeling.models import AuditEntry, Member, Project, Role
from labeling.refusals import RefusedError
from labeling.selectors.role_changes import why_not
from labeling.services import audit
from labeling.services.people import free_places, leave, require, require_another_lead, withdraw_invitations


@transaction.atomic
def change_roles(*, lead: Member, member: Member, roles: Collection[Role], is_senior: bool) -> Member:
    """Give somebody other roles; returns the member as now stored. Who is no annotator any more frees their slots.

    Raises RefusedError for the last lead, and where the change would reveal votes (`selectors.role_changes`).
    """
    member = _locked(lead, member)
    if not roles:
        raise RefusedError("Choose at least one role, or remove the person from the project.")
    if Role.LEAD not in roles:
        require_another_lead(member, "gives up the role")
    if reason := why_not(member=member, roles=roles):
        raise RefusedError(reason)
    lost = set(member.roles) - set(roles)
    member.roles = [role for role in Role if role in roles]
    member.is_senior = is_senior
    member.save(update_fields=["roles", "is_senior"])
    if Role.ANNOTATOR in lost:
        free_places(member)
    if Role.LEAD in lost:
        withdraw_invitations(member)
    detail = member.role_names + (", senior" if is_senior else "")
    audit.record(by=lead, kind=AuditEntry.Kind.ROLES, about=member, detail=detail)
    return member


@transaction.atomic
def remove_member(*, lead: Member, member: Member) -> int:
    """Take somebody out of the project, as if they left. Returns how many places came free."""
    return leave(member=_locked(lead, member), by=lead)


@transaction.atomic
def show_name(*, member: Member, shows_name: bool) -> None:
    """Show, or stop showing, the name beside published results: the person's own decision."""
    member.refresh_from_db()
    if shows_name and member.is_pseudonymous:
        raise RefusedError("Your team sees only your pseudonym. Show the team your name first.")
    Member.objects.filter(pk=member.pk).update(shows_name=shows_name)
    member.refresh_from_db()


@transaction.atomic
def pseudonymise(*, member: Member, by: Member, is_pseudonymous: bool = True) -> None:
    """Show somebody by their pseudonym everywhere in the project, or by their name again.

    Everybody decides for themselves; a lead may hide the name of somebody who left and asks for it.
    """
    member.refresh_from_db()
    if member.pk != by.pk:
        require(by, Role.LEAD)
        if member.project_id != by.project_id:
            raise RefusedError("This person belongs to another project.")
        if member.is_active or not is_pseudonymous:
            raise RefusedError("Members choose for themselves how their name is shown.")
    changes = {"is_pseudonymous": is_pseudonymous}
    if is_pseudonymous:
        changes["shows_name"] = False
    Member.objects.filter(pk=member.pk).update(**changes)
    member.refresh_from_db()


def _locked(lead: Member, member: Member) -> Member:
    """The member, locked after the project. Raises RefusedError where the member is not in the lead's project."""
    require(lead, Role.LEAD)
    Project.objects.select_for_update().get(pk=lead.project_id)
    members = Member.objects.select_for_update(of=("self",)).select_related("user", "project")
    active = members.filter(pk=member.pk, project=lead.project_id, left_at=None).first()
    if active is None:
        raise RefusedError("This person is no longer in the project.")
    return active
