"""Where logging in leads: to the work that waits, unless the address says where to go on."""

import datetime as dt

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.urls import reverse

from labeling.models import Member, Repeat, Role, Round
from labeling.services.people import invite, leave
from labeling.services.repeats import next_work, skip_repeat
from tests.kb.web.people import PASSWORD, log_in
from tests.labeling.factories import cast, make_member, make_open_round, make_project, make_round
from tests.labeling.test_settling import Conflict, lead_of

pytestmark = pytest.mark.django_db


def landing(member: Member, **more: str) -> str:
    """Where logging in leads this member."""
    user = member.user
    user.set_password(PASSWORD)
    user.email = f"{user.username}@example.org"
    user.save()
    EmailAddress.objects.get_or_create(user=user, email=user.email, primary=True, verified=True)
    return str(log_in(Client(), user.username, **more)["Location"])


def test_an_annotator_lands_on_the_round_with_the_nearest_deadline() -> None:
    first, (member, _) = make_open_round()
    urgent = make_round(lead_of(first), deadline=dt.date(2030, 1, 1))
    assert landing(member) == reverse("labeling:next", args=[first.project.slug, urgent.number])


def test_who_has_no_place_left_lands_on_their_projects() -> None:
    round_, (member, _) = make_open_round()
    cast(member, round_)
    assert landing(member) == reverse("labeling:projects")


def test_who_has_left_all_projects_lands_on_their_account() -> None:
    _, (member, _) = make_open_round()
    leave(member=member)
    assert landing(member) == reverse("account")


def test_who_has_only_issues_to_answer_again_lands_on_them() -> None:
    round_, (member,) = make_open_round(annotators=1, issues=2, votes_wanted=1, repeats=1, repeats_after=1)
    cast(member, round_)
    cast(member, round_)
    assert landing(member) == reverse("labeling:next", args=[round_.project.slug, round_.number])
    work = next_work(member=member, round_=round_)
    assert isinstance(work, Repeat)
    skip_repeat(member=member, item=work.vote.item, reason="It is done.")
    assert landing(member) == reverse("labeling:projects")


def test_who_is_invited_lands_on_the_invitation() -> None:
    _, (member, _) = make_open_round()
    leave(member=member)
    lead = make_project()
    invite(lead=lead, roles=[Role.ANNOTATOR], addressee=member.user.username)
    assert landing(member) == reverse("labeling:projects")


def test_an_adjudicator_lands_on_their_desk() -> None:
    conflict = Conflict(rule=Round.Rule.THIRD_EXPERT)
    assert landing(conflict.adjudicator) == reverse("labeling:adjudication", args=[conflict.round.project.slug])


def test_an_address_to_go_on_to_comes_first() -> None:
    round_, _ = make_open_round()
    member = make_member(round_.project, Role.ANNOTATOR)
    assert landing(member, next="/symptoms/") == "/symptoms/"
