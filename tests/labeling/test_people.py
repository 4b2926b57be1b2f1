"""Founding projects, inviting, joining and leaving."""

import datetime as dt

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from labeling.models import Invitation, Member, Project, Role
from labeling.refusals import RefusedError
from labeling.services.people import found_project, invite, join, leave
from tests.labeling.factories import make_founder, make_member, make_project, make_user

pytestmark = pytest.mark.django_db


def test_who_founds_a_project_leads_it() -> None:
    lead = found_project(user=make_founder(), slug="hangs", name="Hangs", question="Why do runs hang?")
    assert lead.has(Role.LEAD)
    assert not lead.has(Role.ANNOTATOR)


def test_a_short_name_is_given_once() -> None:
    found_project(user=make_founder(), slug="hangs", name="Hangs", question="Why?")
    with pytest.raises(RefusedError, match="already"):
        found_project(user=make_founder(), slug="hangs", name="Others", question="Why?")
    assert Project.objects.count() == 1


def test_an_invitation_gives_its_roles_once() -> None:
    lead = make_project()
    invitation, token = invite(lead=lead, roles=[Role.ANNOTATOR, Role.ADJUDICATOR], is_senior=True)
    member = join(user=make_user(), token=token)
    assert member.roles == ["annotator", "adjudicator"]
    assert member.is_senior
    assert token not in invitation.token_hash
    with pytest.raises(RefusedError, match="has been used up"):
        join(user=make_user(), token=token)


def test_taking_an_invitation_up_twice_changes_nothing() -> None:
    lead = make_project()
    _, token = invite(lead=lead, roles=[Role.OBSERVER], uses=2)
    user = make_user()
    assert join(user=user, token=token) == join(user=user, token=token)
    assert Invitation.objects.get().uses_left == 1


def test_an_old_or_withdrawn_or_unknown_invitation_is_refused() -> None:
    lead = make_project()
    for change in ({"expires_at": timezone.now() + dt.timedelta(milliseconds=1)}, {"revoked_at": timezone.now()}):
        invitation, token = invite(lead=lead, roles=[Role.ANNOTATOR])
        # Expired a day ago: made two days before that.
        if "expires_at" in change:
            long_ago = timezone.now() - dt.timedelta(days=3)
            change = {"created_at": long_ago, "expires_at": long_ago + dt.timedelta(days=2)}
        Invitation.objects.filter(pk=invitation.pk).update(**change)
        with pytest.raises(RefusedError, match="Ask the project's lead"):
            join(user=make_user(), token=token)
    with pytest.raises(RefusedError, match="does not exist"):
        join(user=make_user(), token="made-up")


def test_only_a_lead_invites() -> None:
    annotator = make_member(make_project().project)
    with pytest.raises(RefusedError, match="Only somebody who is lead"):
        invite(lead=annotator, roles=[Role.LEAD])


def test_the_last_lead_cannot_leave() -> None:
    lead = make_project()
    with pytest.raises(RefusedError, match="needs a lead"):
        leave(member=lead)
    make_member(lead.project, Role.LEAD)
    leave(member=lead)
    lead.refresh_from_db()
    assert not lead.is_active


def test_who_left_comes_back_by_invitation_as_the_same_member() -> None:
    lead = make_project()
    member = make_member(lead.project)
    leave(member=member)
    _, token = invite(lead=lead, roles=[Role.OBSERVER])
    again = join(user=member.user, token=token)
    assert (again.pk, again.roles, again.is_active) == (member.pk, ["observer"], True)


def test_postgres_refuses_unknown_and_missing_roles() -> None:
    lead = make_project()
    for roles in ([], ["emperor"]):
        with pytest.raises(IntegrityError, match="member_has_known_roles"), transaction.atomic():
            Member.objects.filter(pk=lead.pk).update(roles=roles)
