"""Deleting one's own account: what names the person goes, what they labelled stays."""

import pytest
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.db.models import ForeignKey, ManyToOneRel
from django.test import Client

from kb.models import SurveyAnswer
from labeling.models import Member, Notice, NoticeChoice, Role, Vote
from labeling.selectors.notices import Wish
from labeling.services.notices import choose
from tests.kb.web.people import PASSWORD, confirm_password, is_in, log_in, logged_in, make_user
from tests.kb.web.reading import read
from tests.labeling.factories import cast, make_member, make_open_round, make_project

pytestmark = pytest.mark.django_db

PATH = "/account/delete/"
# What becomes of each is decided in `delete_account` and what it calls.
POINTS_TO_AN_ACCOUNT = {
    # Gone with it.
    "account.EmailAddress.user",
    "faultbook_accounts.ApiToken.user",
    "kb.DiagnosisJob.owner",
    "kb.SharedDiagnosis.owner",
    "kb.SurveyAnswer.user",
    "labeling.NoticeChoice.user",
    "mfa.Authenticator.user",
    "socialaccount.SocialAccount.user",
    "usersessions.UserSession.user",
    "auth.User_groups.user",
    "auth.User_user_permissions.user",
    # Stays without it.
    "kb.DiagnosisFeedback.sender",
    # Stays with the empty row.
    "labeling.AuditEntry.staff",
    "labeling.PublicationRequest.decided_by",
    "admin.LogEntry.user",
    "ingest.LeftOut.overruled_by",
    "kb.FeedbackDecision.by",
    "kb.KnownSignature.confirmed_by",
    "labeling.CategoryRequest.decided_by",
    "labeling.Member.user",
    "labeling.Project.created_by",
    "labeling.StaffAction.by",
    "pghistory.MiddlewareEvents.user",
}


def delete(client: Client) -> Client:
    """Give the password once more, and delete the account."""
    confirm_password(client, PATH)
    response = client.post(PATH, follow=True)
    assert "Your account is deleted" in read(response).words
    return client


def test_asks_for_the_password_again() -> None:
    make_user()
    client = logged_in()
    for response in (client.get(PATH), client.post(PATH)):
        assert response.headers["Location"].startswith("/account/reauthenticate/")
    assert User.objects.get(username="ada").is_active


def test_nothing_names_the_person_any_more() -> None:
    user = make_user()
    User.objects.filter(pk=user.pk).update(first_name="Ada", last_name="Lovelace")
    SurveyAnswer.objects.create(user=user, role="user", experience="over_3")
    here, there = logged_in(), logged_in()
    delete(here)
    for client in (here, there):
        assert not is_in(client)
    user.refresh_from_db()
    assert user.username.startswith("deleted-")
    assert (user.email, user.get_full_name(), user.is_active, user.has_usable_password()) == ("", "", False, False)
    for model in (EmailAddress, UserSession, SurveyAnswer):
        assert not model.objects.exists()
    for name in ("ada", "ada@example.org"):
        assert log_in(Client(), name).status_code == 200


def test_the_name_and_the_address_are_free_again() -> None:
    make_user()
    delete(logged_in())
    form = {"username": "ada", "email": "ada@example.org", "password1": PASSWORD, "password2": PASSWORD}
    assert Client().post("/account/signup/", form).status_code == 302
    assert EmailAddress.objects.get().user.username == "ada"


def test_votes_stay_under_the_pseudonym() -> None:
    round_, (member, _) = make_open_round()
    cast(member, round_)
    User.objects.filter(pk=member.user_id).update(username="ada")
    Member.objects.filter(pk=member.pk).update(shows_name=True)
    user = User.objects.get(pk=member.user_id)
    user.set_password(PASSWORD)
    user.save()
    delete(logged_in())
    member = Member.objects.select_related("user").get(pk=member.pk)
    assert Vote.objects.filter(member=member).count() == 1
    assert (member.is_active, member.shows_name, member.called) == (False, False, member.pseudonym)


def test_notices_and_their_switches_go() -> None:
    lead = make_project(user=make_user(), name="Hangs")
    make_member(lead.project, Role.LEAD)
    choose(user=lead.user, wishes=[Wish(Notice.Kind.FLAG, on_site=False, by_mail=False)])
    assert Notice.objects.filter(member=lead).exists()
    delete(logged_in())
    assert not Notice.objects.filter(member=lead).exists()
    assert not NoticeChoice.objects.exists()


def test_the_last_lead_is_told_what_to_do_first() -> None:
    lead = make_project(user=make_user(), name="Hangs")
    client = logged_in()
    confirm_password(client, PATH)
    response = client.post(PATH)
    assert response.status_code == 409
    assert "Only you lead Hangs. Make someone else a lead there first." in read(response).words
    assert is_in(client)
    make_member(lead.project, Role.LEAD)
    assert client.post(PATH).status_code == 302


def test_the_last_superuser_is_told_what_to_do_first() -> None:
    make_user("root", is_staff=True, is_superuser=True)
    make_user("helper", is_staff=True)
    client = logged_in("root")
    confirm_password(client, PATH)
    assert "Make somebody else a superuser first" in read(client.post(PATH)).words
    make_user("other", is_staff=True, is_superuser=True)
    assert client.post(PATH).status_code == 302


def test_everything_that_points_to_an_account_was_thought_of() -> None:
    relations = [one for one in User._meta.get_fields(include_hidden=True) if isinstance(one, ManyToOneRel)]
    fields = [one.field for one in relations if isinstance(one.field, ForeignKey)]
    assert {f"{field.model._meta.label}.{field.name}" for field in fields} == POINTS_TO_AN_ACCOUNT
