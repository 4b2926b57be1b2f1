"""Pages about people: founding, inviting by link, joining, roles, leaving."""

import datetime as dt
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from labeling.models import Invitation, Member, Project, Role
from labeling.services.people import invite, leave, revoke
from tests.kb.web.people import PASSWORD, log_in, mailed_path
from tests.kb.web.reading import read
from tests.labeling.factories import make_axes, make_founder, make_member, make_project, make_user
from tests.support.factories import make_axis, make_node

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]

SIGN_UP = {"username": "grace", "email": "grace@example.org", "password1": PASSWORD, "password2": PASSWORD}


def address(member: Member, name: str, *rest: int) -> str:
    return reverse(f"labeling:{name}", args=[member.project.slug, *rest])


class TestFounding:
    @pytest.fixture
    def browser(self, client: Client) -> Client:
        client.force_login(make_founder("ada"))
        return client

    def test_who_sends_the_form_leads_a_project_with_the_chosen_axes(self, browser: Client) -> None:
        symptom, kind = make_axes()
        page = read(browser.get(reverse("labeling:new-project")))
        assert "Several answers" in page.words
        assert "One answer" in page.words
        values = {"name": "Why runs hang", "question": "Why?", "axes": [kind.pk]}
        response = browser.post(reverse("labeling:new-project"), values)
        assert response["Location"] == "/labeling/why-runs-hang/"
        member = Member.objects.get()
        assert (member.user.username, member.roles) == ("ada", ["lead"])
        assert [axis.code for axis in member.project.axes.all()] == [kind.code]
        assert symptom.code not in {axis.code for axis in member.project.axes.all()}

    def test_no_axis_is_chosen_beforehand(self, browser: Client) -> None:
        """One that the codebook gained burdens nobody who does not ask for it."""
        make_node("amd", axis=make_axis("hardware"))
        form = browser.get(reverse("labeling:new-project")).context["form"]
        assert "hardware" in {axis.code for axis in form.fields["axes"].queryset}
        assert not form["axes"].value()

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ({"slug": "join"}, "the address of another page"),
            ({"slug": "taken"}, "already"),
            ({"axes": []}, "at least one axis"),
            ({"question": " "}, "required"),
        ],
    )
    def test_what_cannot_be_is_said_and_nothing_is_lost(
        self, browser: Client, change: dict[str, object], says: str
    ) -> None:
        make_project(slug="taken")
        values = {"name": "Why runs hang", "question": "Why?", "axes": [axis.pk for axis in make_axes()]} | change
        page = read(browser.post(reverse("labeling:new-project"), values))
        assert says in page.words
        assert page.inputs["name"] == "Why runs hang"
        assert Project.objects.count() == 1

    def test_settings_change_the_name_and_keep_the_address(self, browser_of: BrowserOf) -> None:
        lead = make_project(slug="hangs")
        browser = browser_of(lead)
        browser.post(address(lead, "settings"), {"name": "Stalls", "question": "How many?"})
        lead.project.refresh_from_db()
        assert (lead.project.slug, lead.project.name, lead.project.question) == ("hangs", "Stalls", "How many?")
        browser.post(address(lead, "archive"))
        assert "in the archive" in read(browser.get(address(lead, "settings"))).words
        assert "Archived" in read(browser.get(reverse("labeling:projects"))).words
        browser.post(address(lead, "unarchive"))
        lead.project.refresh_from_db()
        assert lead.project.archived_at is None


class TestInviting:
    def test_the_link_is_shown_once_and_lets_in(self, browser_of: BrowserOf) -> None:
        lead = make_project()
        browser = browser_of(lead)
        values = {"roles": ["annotator", "adjudicator"], "is_senior": "on", "uses": 1, "days": 3, "note": "For Grace"}
        assert browser.post(address(lead, "invite"), values)["Location"] == address(lead, "people")
        first = read(browser.get(address(lead, "people"))).words
        assert "shown only now" in first
        link = next(word for word in first.split() if "/join/" in word)
        again = read(browser.get(address(lead, "people"))).words
        assert "/join/" not in again
        assert "For Grace" in again
        guest = Client()
        guest.force_login(make_user("grace"))
        assert guest.post(link)["Location"] == address(lead, "project")
        member = Member.objects.get(user__username="grace")
        assert (member.roles, member.is_senior) == (["annotator", "adjudicator"], True)

    @pytest.mark.parametrize(
        ("change", "says"),
        [({"roles": []}, "at least one role"), ({"uses": 0}, "greater than or equal"), ({"days": 4_000}, "less than")],
    )
    def test_a_link_has_bounds(self, browser_of: BrowserOf, change: dict[str, object], says: str) -> None:
        lead = make_project()
        values = {"roles": ["annotator"], "uses": 1, "days": 3} | change
        assert says in read(browser_of(lead).post(address(lead, "invite"), values)).words
        assert not Invitation.objects.exists()

    def test_withdrawing_shuts_the_link(self, browser_of: BrowserOf, client: Client) -> None:
        lead = make_project()
        invitation, token = invite(lead=lead, roles=[Role.ANNOTATOR])
        browser_of(lead).post(address(lead, "revoke", invitation.pk))
        client.force_login(make_user())
        assert client.post(reverse("labeling:join", args=[token])).status_code == 410

    def test_only_leads_see_invitations(self, browser_of: BrowserOf) -> None:
        lead = make_project()
        invite(lead=lead, roles=[Role.ANNOTATOR], note="For Grace")
        annotator = make_member(lead.project)
        assert "For Grace" not in read(browser_of(annotator).get(address(lead, "people"))).words


class TestJoining:
    def test_a_visitor_reads_what_it_is_about_first(self, client: Client) -> None:
        lead = make_project(question="Why do runs hang?")
        _, token = invite(lead=lead, roles=[Role.ANNOTATOR])
        page = read(client.get(reverse("labeling:join", args=[token])))
        assert "Why do runs hang?" in page.words
        assert "Annotators label issues" in page.words
        assert any(link.startswith("/account/signup/?next=") for link in page.links)

    def test_an_invitation_opens_sign_up_for_its_visitor_only(self, client: Client, settings: Settings) -> None:
        settings.SIGNUP_OPEN = False
        lead = make_project()
        _, token = invite(lead=lead, roles=[Role.ANNOTATOR])
        path = reverse("labeling:join", args=[token])
        assert "by invitation" in read(client.get("/account/signup/")).words
        client.get(path)
        assert "/account/signup/" in read(client.get("/account/login/")).links
        assert "by invitation" in read(Client().get("/account/signup/")).words
        response = client.post("/account/signup/", SIGN_UP | {"next": path})
        assert response["Location"] == path
        assert client.post(path)["Location"] == address(lead, "project")
        assert Member.objects.get(user__username="grace").roles == ["annotator"]

    def test_an_invitation_for_one_opens_one_account(self, client: Client, settings: Settings) -> None:
        settings.SIGNUP_OPEN = False
        _, token = invite(lead=make_project(), roles=[Role.ANNOTATOR])
        path = reverse("labeling:join", args=[token])
        client.get(path)
        client.post("/account/signup/", SIGN_UP)
        another = Client()
        another.get(path)
        again = SIGN_UP | {"username": "hopper", "email": "hopper@example.org"}
        assert "by invitation" in read(another.post("/account/signup/", again)).words
        assert not User.objects.filter(username="hopper").exists()

    def test_a_withdrawn_invitation_opens_nothing(self, client: Client, settings: Settings) -> None:
        settings.SIGNUP_OPEN = False
        lead = make_project()
        invitation, token = invite(lead=lead, roles=[Role.ANNOTATOR])
        client.get(reverse("labeling:join", args=[token]))
        revoke(lead=lead, invitation=invitation)
        assert "by invitation" in read(client.post("/account/signup/", SIGN_UP)).words
        assert not User.objects.filter(username="grace").exists()

    def test_who_has_to_prove_an_address_first_comes_back_to_the_invitation(
        self, client: Client, settings: Settings
    ) -> None:
        settings.LOCAL = settings.SIGNUP_OPEN = False
        settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
        _, token = invite(lead=make_project(), roles=[Role.ANNOTATOR])
        path = reverse("labeling:join", args=[token])
        client.get(path)
        client.post("/account/signup/", SIGN_UP | {"next": path})
        client.post(mailed_path())
        assert log_in(client, "grace")["Location"] == path

    def test_opening_the_page_joins_nothing(self, client: Client) -> None:
        _, token = invite(lead=make_project(), roles=[Role.ANNOTATOR])
        client.force_login(make_user("grace"))
        client.get(reverse("labeling:join", args=[token]))
        assert not Member.objects.filter(user__username="grace").exists()

    def test_a_visitor_who_sends_the_form_logs_in_first(self, client: Client) -> None:
        _, token = invite(lead=make_project(), roles=[Role.ANNOTATOR])
        response = client.post(reverse("labeling:join", args=[token]))
        assert response["Location"].startswith("/account/login/?next=")

    @pytest.mark.parametrize(
        ("change", "status", "says"),
        [
            ({"revoked_at": timezone.now()}, 410, "withdrawn"),
            ({"uses_left": 0}, 410, "used up"),
            (
                {
                    "created_at": timezone.now() - dt.timedelta(days=9),
                    "expires_at": timezone.now() - dt.timedelta(days=2),
                },
                410,
                "expired",
            ),
        ],
    )
    def test_a_link_that_is_not_good_says_what_to_do(
        self, client: Client, change: dict[str, object], status: int, says: str
    ) -> None:
        invitation, token = invite(lead=make_project(), roles=[Role.ANNOTATOR])
        Invitation.objects.filter(pk=invitation.pk).update(**change)
        response = client.get(reverse("labeling:join", args=[token]))
        assert response.status_code == status
        words = read(response).words
        assert says in words
        assert "Ask the person who sent it" in words

    def test_a_wrong_address_is_kind_too(self, client: Client) -> None:
        response = client.get(reverse("labeling:join", args=["made-up"]))
        assert response.status_code == 404
        assert "Check that you copied all of it" in read(response).words

    def test_a_member_goes_to_the_project_even_by_a_used_link(self, browser_of: BrowserOf) -> None:
        lead = make_project()
        invitation, token = invite(lead=lead, roles=[Role.ANNOTATOR])
        revoke(lead=lead, invitation=invitation)
        response = browser_of(lead).get(reverse("labeling:join", args=[token]))
        assert response["Location"] == address(lead, "project")


class TestMembers:
    def test_a_lead_changes_roles_and_is_told_why_not(self, browser_of: BrowserOf) -> None:
        lead = make_project()
        annotator = make_member(lead.project)
        browser = browser_of(lead)
        browser.post(address(lead, "roles", annotator.pk), {"roles": ["annotator", "lead"], "is_senior": "on"})
        annotator.refresh_from_db()
        assert (annotator.roles, annotator.is_senior) == (["lead", "annotator"], True)
        browser.post(address(lead, "roles", annotator.pk), {"roles": ["annotator"]})
        page = read(browser.post(address(lead, "roles", lead.pk), {"roles": ["observer"]}))
        assert "needs a lead" in page.words

    def test_removing_asks_first_and_says_what_it_does(self, browser_of: BrowserOf) -> None:
        lead = make_project()
        annotator = make_member(lead.project)
        browser = browser_of(lead)
        assert "Votes stay" in read(browser.get(address(lead, "remove", annotator.pk))).words
        browser.post(address(lead, "remove", annotator.pk))
        annotator.refresh_from_db()
        assert not annotator.is_active
        assert "Left the project" in read(browser.get(address(lead, "people"))).words

    def test_leaving_with_ones_name_hidden(self, browser_of: BrowserOf) -> None:
        lead = make_project()
        annotator = make_member(lead.project)
        response = browser_of(annotator).post(address(lead, "leave"), {"hide": "on"})
        assert response["Location"] == reverse("labeling:projects")
        words = read(browser_of(lead).get(address(lead, "people"))).words
        assert annotator.user.username not in words
        assert annotator.pseudonym in words

    def test_the_last_lead_is_told_to_make_another(self, browser_of: BrowserOf) -> None:
        lead = make_project()
        page = read(browser_of(lead).post(address(lead, "leave"), follow=True))
        assert "needs a lead" in page.words

    @pytest.mark.parametrize(
        ("named", "shows", "hides"), [("shown", True, False), ("hidden", False, True), ("team", False, False)]
    )
    def test_who_sees_a_name_is_the_persons_own_choice(
        self, browser_of: BrowserOf, named: str, shows: bool, hides: bool
    ) -> None:
        member = make_member(make_project().project)
        browser_of(member).post(address(member, "me"), {"named": named})
        member.refresh_from_db()
        assert (member.shows_name, member.is_pseudonymous) == (shows, hides)

    def test_pseudonyms_are_nobody_elses_to_see(self, browser_of: BrowserOf) -> None:
        lead = make_project()
        annotator = make_member(lead.project)
        for reader in (lead, make_member(lead.project)):
            assert annotator.pseudonym not in read(browser_of(reader).get(address(lead, "people"))).words

    def test_a_lead_hides_the_name_of_who_left(self, browser_of: BrowserOf) -> None:
        lead = make_project()
        annotator = make_member(lead.project)
        leave(member=annotator)
        browser = browser_of(lead)
        browser.post(address(lead, "hide-name", annotator.pk))
        assert annotator.user.username not in read(browser.get(address(lead, "people"))).words
