"""Logging in through a company's issuer of OpenID Connect: a real one, which runs beside the test."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import environ
import httpx
import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.contrib.auth.models import User
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import include, path, reverse
from pytest_django import Settings

from config import providers, urls
from config.accounts.urls import oidc_urlpatterns, provider_urlpatterns
from labeling.models import Invitation, Role
from labeling.services.people import invite
from tests.config.test_settings import settings_of
from tests.doubles.oidc import (
    CLIENT_ID,
    CLIENT_SECRET,
    Issuer,
    Person,
    RunningIssuer,
    signed_by_a_known_text,
    signed_by_another,
    signed_without_a_name,
    unsigned,
)
from tests.kb.web.people import PASSWORD, confirm_password, is_framed, is_in, log_in, logged_in, make_user, totp
from tests.kb.web.reading import read, visit
from tests.labeling.factories import make_project

pytestmark = pytest.mark.django_db

LOGIN = "/account/oidc/login/"


@dataclass(frozen=True, eq=False)
class UrlsWithIssuer:
    """The product's addresses as they are where an issuer is set up."""

    provider_id: str
    handler403: str = urls.handler403
    handler404: str = urls.handler404

    @property
    def urlpatterns(self) -> list[Any]:
        ours = [*provider_urlpatterns, *oidc_urlpatterns(self.provider_id)]
        return [*urls.urlpatterns, path("account/", include(ours))]


@pytest.fixture
def issuer(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Issuer]:
    with RunningIssuer() as running:
        set_up(running.address, settings, monkeypatch)
        yield running


def set_up(address: str, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the environment's variables, and have the settings read them."""
    variables = {
        "OIDC_ISSUER": address,
        "OIDC_CLIENT_ID": CLIENT_ID,
        "OIDC_CLIENT_SECRET": CLIENT_SECRET,
        "OIDC_NAME": "Example Corp",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for name, value in providers.log_in(environ.Env(), local=True).items():
        setattr(settings, name, value)
    settings.ROOT_URLCONF = UrlsWithIssuer(settings.OIDC_ID)


def come_back(client: Client, process: str = "login") -> HttpResponseBase:
    """Go to the issuer, which says yes, and come back."""
    target = client.post(LOGIN, {"process": process}).headers["Location"]
    back = httpx.get(target, follow_redirects=False).headers["Location"]
    return client.get(back.removeprefix("http://testserver"), follow=True)


class TestSetUp:
    def test_is_not_offered_without_it(self, client: Client) -> None:
        assert "Log in with" not in read(client.get("/account/login/")).words

    @pytest.mark.usefixtures("issuer")
    def test_is_offered_by_the_name_it_was_given(self, client: Client) -> None:
        assert "Log in with Example Corp" in visit(client, "/account/login/").words

    @pytest.mark.parametrize(("secret", "expected"), [("", "False"), ("s", "True")])
    def test_three_variables_open_it_and_the_content_policy(self, secret: str, expected: str) -> None:
        program = (
            "print(s.OIDC_LOGIN, {'https://id.example.org', 'https://more.example.org'} <= "
            "set(s.CONTENT_SECURITY_POLICY['DIRECTIVES']['form-action']))"
        )
        done = settings_of(
            program,
            OIDC_ISSUER="https://id.example.org/realms/all",
            OIDC_CLIENT_ID="i",
            OIDC_CLIENT_SECRET=secret,
            OIDC_ORIGINS="https://more.example.org",
        )
        assert done.stdout.split() == [expected, expected], done.stderr

    def test_in_production_the_issuer_is_asked_by_https_only(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OIDC_ISSUER", "http://id.example.org")
        with pytest.raises(ImproperlyConfigured, match="https"):
            providers.log_in(environ.Env(), local=False)

    def test_another_issuer_is_another_provider(self, monkeypatch: pytest.MonkeyPatch) -> None:
        ids = set()
        for address in ("https://old.example.org", "https://new.example.org"):
            monkeypatch.setenv("OIDC_ISSUER", address)
            ids.add(providers.log_in(environ.Env(), local=False)["OIDC_ID"])
        assert len(ids) == 2

    @pytest.mark.usefixtures("issuer")
    def test_its_pages_are_ours(self, client: Client) -> None:
        for path_, status in ((LOGIN, 200), ("/account/connections/cancelled/", 200), (f"{LOGIN}callback/", 401)):
            response = client.get(path_)
            assert response.status_code == status
            assert is_framed(response), path_

    def test_an_issuer_that_does_not_answer_is_told(
        self, client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with RunningIssuer() as gone:
            address = gone.address
        set_up(address, settings, monkeypatch)
        response = client.post(LOGIN, {"process": "login"})
        assert response.status_code == 502
        assert is_framed(response)


@pytest.mark.usefixtures("issuer")
class TestNewcomers:
    def test_get_an_account_without_a_password_or_a_kept_token(self, client: Client) -> None:
        come_back(client)
        assert is_in(client)
        user = User.objects.get()
        assert (user.username, user.has_usable_password(), user.is_staff) == ("ada", False, True)
        assert not SocialToken.objects.exists()

    def test_the_same_person_comes_back_to_the_same_account(self, client: Client, issuer: Issuer) -> None:
        come_back(client)
        issuer.person = Person(email="renamed@example.org", preferred_username="renamed")
        other = Client()
        come_back(other)
        assert is_in(other)
        assert User.objects.count() == 1

    def test_get_none_while_sign_up_is_closed(self, client: Client, settings: Settings) -> None:
        settings.SIGNUP_OPEN = False
        assert "by invitation" in read(come_back(client)).words
        assert not User.objects.exists()

    def test_get_one_where_all_people_of_the_issuer_may(self, client: Client, settings: Settings) -> None:
        settings.SIGNUP_OPEN, settings.OIDC_SIGNUP = False, True
        come_back(client)
        assert is_in(client)
        assert "by invitation" in read(Client().get("/account/signup/")).words

    def test_an_invitation_opens_one_account(self, client: Client, settings: Settings) -> None:
        settings.SIGNUP_OPEN = False
        _, token = invite(lead=make_project(), roles=[Role.ANNOTATOR])
        client.get(reverse("labeling:join", args=[token]))
        come_back(client)
        assert is_in(client)
        assert Invitation.objects.get().accounts_left == 0

    @pytest.mark.parametrize("trusted", [True, False])
    def test_confirm_their_address_unless_the_issuer_is_trusted_with_it(
        self, client: Client, settings: Settings, trusted: bool
    ) -> None:
        settings.LOCAL, settings.ACCOUNT_EMAIL_VERIFICATION = False, "mandatory"
        settings.OIDC_TRUST_EMAIL = trusted
        come_back(client)
        assert is_in(client) is trusted
        assert EmailAddress.objects.get().verified is trusted
        assert len(mail.outbox) == (not trusted)


@pytest.mark.usefixtures("issuer")
class TestSomebodyWithAnAccount:
    def test_stays_apart_from_the_same_address_at_the_issuer(self, client: Client) -> None:
        user = make_user()
        response = come_back(client)
        assert not is_in(client)
        assert is_framed(response)
        assert not SocialAccount.objects.filter(user=user).exists()

    def test_is_found_by_a_verified_address_where_the_issuer_is_trusted(
        self, client: Client, settings: Settings
    ) -> None:
        settings.OIDC_TRUST_EMAIL = True
        user = make_user()
        come_back(client)
        assert is_in(client)
        assert SocialAccount.objects.get().user == user
        assert log_in(Client()).status_code == 302

    @pytest.mark.parametrize("verified", [False, "false", "true", None])
    def test_is_not_found_by_an_address_that_is_not_plainly_verified(
        self, client: Client, issuer: Issuer, settings: Settings, verified: object
    ) -> None:
        settings.OIDC_TRUST_EMAIL = True
        make_user()
        issuer.person = Person(email_verified=verified)
        come_back(client)
        assert not is_in(client)
        assert not SocialAccount.objects.exists()

    def test_who_claimed_the_address_before_loses_the_password(self, client: Client, settings: Settings) -> None:
        """Else somebody could make an account with an address of the company, and wait in it for its owner."""
        settings.OIDC_TRUST_EMAIL = True
        make_user(verified=False)
        come_back(client)
        assert is_in(client)
        assert log_in(Client()).status_code == 200

    def test_connects_it_from_within(self, client: Client) -> None:
        make_user()
        inside = logged_in()
        confirm_password(inside, "/account/2fa/app/on/")
        assert "You can now log in with Example Corp" in read(come_back(inside, "connect")).words
        assert "You can log in with Example Corp" in read(inside.get("/account/")).words
        come_back(client)
        assert is_in(client)

    def test_still_gives_the_code_of_the_second_factor(self, client: Client, settings: Settings) -> None:
        settings.OIDC_TRUST_EMAIL = True
        secret = generate_totp_secret()
        TOTP.activate(make_user(), secret)
        come_back(client)
        assert not is_in(client)
        client.post("/account/2fa/authenticate/", {"code": totp(secret)})
        assert is_in(client)
        assert Authenticator.objects.exists()

    def test_as_staff_is_still_led_to_set_one_up(self, client: Client, settings: Settings) -> None:
        settings.OIDC_TRUST_EMAIL = settings.STAFF_SECOND_FACTOR = True
        make_user(is_staff=True)
        come_back(client)
        assert client.get("/admin/").headers["Location"] == "/account/2fa/app/on/"

    def test_that_was_closed_stays_out(self, client: Client) -> None:
        come_back(client)
        User.objects.update(is_active=False)
        other = Client()
        come_back(other)
        assert not is_in(other)


@pytest.mark.usefixtures("issuer")
class TestWhatIsNoToken:
    @pytest.mark.parametrize(
        "claims",
        [{"aud": "somebody-else"}, {"iss": "https://elsewhere.example.org"}, {"exp": 1}],
        ids=["for another client", "of another issuer", "expired"],
    )
    def test_lets_nobody_in(self, client: Client, issuer: Issuer, claims: dict[str, object]) -> None:
        issuer.token_says = claims
        response = come_back(client)
        assert response.status_code == 401
        assert is_framed(response)
        assert not is_in(client)
        assert not User.objects.exists()

    @pytest.mark.parametrize("forge", [signed_by_another, signed_by_a_known_text, unsigned, signed_without_a_name])
    def test_nor_does_one_that_the_issuer_did_not_sign(
        self, client: Client, issuer: Issuer, forge: Callable[[dict[str, object]], str]
    ) -> None:
        issuer.sign = forge
        assert come_back(client).status_code == 401
        assert not User.objects.exists()

    def test_nor_does_one_of_somebody_else(self, client: Client, issuer: Issuer) -> None:
        issuer.userinfo_says = {"sub": "00u2"}
        assert come_back(client).status_code == 401
        assert not User.objects.exists()

    def test_nor_does_a_code_that_another_browser_was_given(self, client: Client) -> None:
        """Else somebody could be logged in to an account that is not theirs."""
        target = client.post(LOGIN, {"process": "login"}).headers["Location"]
        back = httpx.get(target, follow_redirects=False).headers["Location"].removeprefix("http://testserver")
        victim = Client()
        assert victim.get(back, follow=True).status_code == 401
        assert not is_in(victim)

    def test_nor_does_a_code_twice(self, client: Client) -> None:
        target = client.post(LOGIN, {"process": "login"}).headers["Location"]
        back = httpx.get(target, follow_redirects=False).headers["Location"].removeprefix("http://testserver")
        client.get(back, follow=True)
        client.post("/account/logout/")
        client.get(back, follow=True)
        assert not is_in(client)


@pytest.mark.usefixtures("issuer")
def test_a_password_alone_keeps_working_beside_it(client: Client) -> None:
    make_user()
    log_in(client, password=PASSWORD)
    assert is_in(client)
