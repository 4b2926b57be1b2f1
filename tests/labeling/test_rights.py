"""Rights that staff give: each opens its own doors and no other, whatever somebody's role in a project."""

from collections.abc import Callable
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from labeling.models import CategoryRequest, Job, Member, Project, ProjectNode, PublicationRequest, Role
from labeling.refusals import RefusedError
from labeling.rights import Right, has_right
from labeling.selectors.invitations import opens_sign_up
from labeling.services import oversight
from labeling.services.categories import accept_category, refuse_category
from labeling.services.people import found_project, invite, join, take_account
from labeling.services.publication_requests import accept_publication, ask_for_publication, refuse_publication
from tests.kb.web.reading import read
from tests.labeling.factories import make_member, make_project, make_user
from tests.labeling.results.builders import do, lead_of, settled_round

pytestmark = pytest.mark.django_db


def person_with(*rights: Right) -> User:
    user = make_user()
    oversight.give_rights(user=user, rights=rights)
    return user


def lead_with(*rights: Right) -> Member:
    return make_project(rights=rights)


def founds(right: list[Right]) -> None:
    found_project(user=person_with(*right), slug="mine", name="Mine", question="Why?")


def publishes(right: list[Right]) -> None:
    lead = lead_with(*right)
    settled_round(lead=lead)
    ask_for_publication(lead=lead)


def opens_accounts(right: list[Right]) -> None:
    _, token = invite(lead=lead_with(*right), roles=[Role.ANNOTATOR])
    take_account(token=token)


def published_project() -> Project:
    round_ = settled_round()
    do(lead_of(round_), Job.Kind.PUBLISH)
    return round_.project


def withdraws(right: list[Right]) -> None:
    oversight.withdraw_publication(by=person_with(*right), project=published_project(), reason="Invented.")


def waiting_request() -> tuple[PublicationRequest, str]:
    round_ = settled_round()
    request = ask_for_publication(lead=lead_of(round_))
    return request, request.digest


def accepts_publication(right: list[Right]) -> None:
    request, digest = waiting_request()
    accept_publication(by=person_with(*right), request=request, digest=digest)


def refuses_publication(right: list[Right]) -> None:
    refuse_publication(by=person_with(*right), request=waiting_request()[0], reason="Too few votes.")


def suspends(right: list[Right]) -> None:
    oversight.suspend_project(by=person_with(*right), project=make_project().project, reason="Invented.")


def resumes(right: list[Right]) -> None:
    project = make_project().project
    oversight.suspend_project(by=person_with(Right.OVERSEE), project=project, reason="Invented.")
    oversight.resume_project(by=person_with(*right), project=project, reason="Explained.")


def allows(right: list[Right]) -> None:
    project = published_project()
    oversight.withdraw_publication(by=person_with(Right.OVERSEE), project=project, reason="Invented.")
    oversight.allow_publication(by=person_with(*right), project=project, reason="Explained.")


def asked_category() -> CategoryRequest:
    node = ProjectNode.objects.filter(axis__project=make_project().project).earliest("pk")
    return CategoryRequest.objects.create(node=node)


def accepts(right: list[Right]) -> None:
    accept_category(by=person_with(*right), request=asked_category())


def refuses(right: list[Right]) -> None:
    refuse_category(by=person_with(*right), request=asked_category(), reason="It is there already.")


ACTIONS: list[tuple[Callable[[list[Right]], None], Right]] = [
    (founds, Right.FOUND), (publishes, Right.PUBLISH), (opens_accounts, Right.INVITE), (withdraws, Right.OVERSEE),
    (allows, Right.OVERSEE), (suspends, Right.OVERSEE), (resumes, Right.OVERSEE), (accepts, Right.OVERSEE),
    (refuses, Right.OVERSEE), (accepts_publication, Right.OVERSEE), (refuses_publication, Right.OVERSEE),
]  # fmt: skip


@pytest.mark.parametrize(("action", "wanted"), ACTIONS)
def test_an_action_needs_its_right(action: Callable[[list[Right]], None], wanted: Right) -> None:
    action([wanted])


@pytest.mark.parametrize(("action", "wanted"), ACTIONS)
def test_no_other_right_stands_in_for_it(action: Callable[[list[Right]], None], wanted: Right) -> None:
    with pytest.raises(RefusedError):
        action([right for right in Right if right is not wanted])


def test_every_right_is_in_the_matrix() -> None:
    assert {wanted for _, wanted in ACTIONS} == set(Right)


class TestPages:
    def test_who_may_not_found_a_project_reads_how_they_may(self, client: Client) -> None:
        client.force_login(make_user("ada"))
        for response in (client.get(reverse("labeling:new-project")), client.post(reverse("labeling:new-project"))):
            assert response.status_code == 403
            assert "Ask the operator of this site" in read(response).words
        assert "Start a project" not in read(client.get(reverse("labeling:projects"))).words
        assert not Project.objects.exists()

    def test_a_lead_without_the_right_sees_what_would_change_and_no_button(self, client: Client) -> None:
        lead = lead_with()
        settled_round(lead=lead)
        client.force_login(lead.user)
        page = read(client.get(reverse("labeling:publish", args=[lead.project.slug])))
        assert "What would change" in page.words
        assert "Only people approved by this site's staff can publish" in page.words
        response = client.post(reverse("labeling:publish-now", args=[lead.project.slug]), follow=True)
        assert "Only people approved by this site's staff can publish" in read(response).words
        assert not PublicationRequest.objects.exists()

    def test_a_leads_link_says_whether_it_opens_sign_up(self, client: Client, settings: Settings) -> None:
        settings.SIGNUP_OPEN = False
        for rights, says in (([], "does not open sign-up"), ([Right.INVITE], "also opens sign-up")):
            lead = lead_with(*rights)
            client.force_login(lead.user)
            assert says in read(client.get(reverse("labeling:invite", args=[lead.project.slug]))).words


class TestInvitations:
    def test_an_annotators_own_project_opens_no_accounts(self, client: Client, settings: Settings) -> None:
        settings.SIGNUP_OPEN = False
        _, token = invite(lead=lead_with(Right.FOUND), roles=[Role.ANNOTATOR], uses=100)
        page = read(client.get(reverse("labeling:join", args=[token])))
        assert "does not open one" in page.words
        assert not any("signup" in link for link in page.links)
        assert "by invitation" in read(client.get("/account/signup/")).words

    def test_it_still_lets_in_who_has_an_account(self) -> None:
        _, token = invite(lead=lead_with(), roles=[Role.ANNOTATOR])
        assert join(user=make_user(), token=token).is_active

    def test_it_opens_as_many_accounts_as_it_is_for(self) -> None:
        _, token = invite(lead=lead_with(Right.INVITE), roles=[Role.ANNOTATOR], uses=2)
        take_account(token=token)
        take_account(token=token)
        with pytest.raises(RefusedError, match="cannot create another account"):
            take_account(token=token)

    def test_taking_the_right_away_closes_links_that_are_out(self) -> None:
        lead = lead_with(Right.INVITE)
        _, token = invite(lead=lead, roles=[Role.ANNOTATOR])
        assert opens_sign_up(token=token)
        oversight.give_rights(user=lead.user, rights=[])
        assert not opens_sign_up(token=token)

    def test_a_lead_who_got_the_right_later_makes_a_new_link(self) -> None:
        lead = lead_with()
        _, token = invite(lead=lead, roles=[Role.ANNOTATOR])
        oversight.give_rights(user=lead.user, rights=[Right.INVITE])
        assert not opens_sign_up(token=token)


class TestCommand:
    def test_it_gives_the_rights_that_it_names_and_takes_the_others_away(self) -> None:
        make_user("ada")
        out = StringIO()
        call_command("allow", "ada", "found", "publish", stdout=out)
        assert out.getvalue().strip() == "ada may: found, publish."
        call_command("allow", "ada", "invite", stdout=out)
        ada = User.objects.get(username="ada")
        assert [right for right in Right if has_right(ada, right)] == [Right.INVITE]

    def test_an_unknown_name_is_an_error_that_says_what_to_do(self) -> None:
        with pytest.raises(CommandError, match="no account “nobody”"):
            call_command("allow", "nobody", "found")


def test_a_closed_account_has_no_right() -> None:
    user = person_with(*Right)
    user.is_active = False
    user.save()
    assert not any(has_right(User.objects.get(pk=user.pk), right) for right in Right)


def test_roles_in_a_project_are_no_rights() -> None:
    member = make_member(make_project().project, Role.LEAD, Role.ADJUDICATOR)
    assert not any(has_right(member.user, right) for right in Right)
