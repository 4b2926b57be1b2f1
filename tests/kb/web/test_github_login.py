"""Logging in with GitHub, where it is set up; GitHub itself is played by the test."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialToken
from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter
from django.contrib.auth.models import User
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from config.accounts.adapter import ProviderAdapter
from labeling.models import Invitation, Role
from labeling.services.people import invite
from tests.config.test_settings import python
from tests.kb.web.people import confirm_password, is_framed, is_in, logged_in, make_user
from tests.kb.web.reading import read, visit
from tests.labeling.factories import make_project

pytestmark = pytest.mark.django_db


class FakeGitHub:
    """GitHub's API with one user, as the session of `requests` that asks it."""

    def __init__(self, address: str) -> None:
        self.address = address

    def __enter__(self) -> "FakeGitHub":
        return self

    def __exit__(self, *_error: object) -> None:
        return None

    def get(self, url: str, headers: dict[str, str]) -> "FakeAnswer":
        assert headers == {"Authorization": "token the-token"}
        user = {"id": 583231, "login": "octo", "name": "Octo Cat", "email": None}
        emails = [{"email": self.address, "primary": True, "verified": True}]
        return FakeAnswer(emails if url.endswith("/emails") else user)


class FakeAnswer:
    """An answer of GitHub's API."""

    status_code = 200

    def __init__(self, data: object) -> None:
        self.data = data

    def raise_for_status(self) -> None:
        """All is well."""

    def json(self) -> object:
        return self.data


@pytest.fixture
def with_github(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    app = {"client_id": "our-id", "secret": "our-secret"}
    settings.SOCIALACCOUNT_PROVIDERS = {"github": {"APPS": [app]}}
    settings.ROOT_URLCONF = "tests.kb.web.github_urls"
    token: dict[str, Any] = {"access_token": "the-token"}
    monkeypatch.setattr(GitHubOAuth2Adapter, "get_access_token_data", lambda *_, **__: token)
    monkeypatch.setattr(ProviderAdapter, "get_requests_session", lambda _: FakeGitHub("octo@example.org"))


def come_back(client: Client, process: str = "login") -> HttpResponseBase:
    """Go to GitHub, say yes there, and come back."""
    target = client.post("/account/github/login/", {"process": process}).headers["Location"]
    (state,) = parse_qs(urlsplit(target).query)["state"]
    return client.get("/account/github/login/callback/", {"code": "c", "state": state}, follow=True)


def test_is_not_offered_unless_it_is_set_up(client: Client) -> None:
    assert "GitHub" not in read(client.get("/account/login/")).words


@pytest.mark.usefixtures("with_github")
def test_is_offered_and_leads_there(client: Client) -> None:
    assert "Log in with GitHub" in visit(client, "/account/login/").words
    response = client.post("/account/github/login/", {"process": "login"})
    target = response.headers["Location"]
    assert target.startswith("https://github.com/login/oauth/authorize?client_id=our-id&")
    assert "%2Faccount%2Fgithub%2Flogin%2Fcallback%2F" in target


@pytest.mark.usefixtures("with_github")
def test_its_pages_are_ours(client: Client) -> None:
    for path, status in (("github/login/", 200), ("connections/cancelled/", 200), ("connections/error/", 401)):
        response = client.get(f"/account/{path}")
        assert response.status_code == status
        assert is_framed(response), path
    make_user()
    inside = logged_in()
    assert is_framed(inside.get("/account/connections/"))
    assert "Connect GitHub" in read(inside.get("/account/connections/")).words


@pytest.mark.parametrize(("secret", "expected"), [("", "False"), ("s", "True")])
def test_both_variables_open_it_and_the_content_policy(secret: str, expected: str) -> None:
    program = (
        "from django.conf import settings as s; from django.urls import reverse, NoReverseMatch\n"
        "try: found = bool(reverse('github_login'))\n"
        "except NoReverseMatch: found = False\n"
        "print(found, 'https://github.com' in s.CONTENT_SECURITY_POLICY['DIRECTIVES']['form-action'])"
    )
    done = python("manage.py", "shell", "--no-imports", "-c", program, GITHUB_LOGIN_ID="i", GITHUB_LOGIN_SECRET=secret)
    assert done.stdout.split() == [expected, expected], done.stderr


@pytest.mark.usefixtures("with_github")
class TestComingBack:
    def test_makes_an_account_whose_address_is_proved(self, client: Client) -> None:
        come_back(client)
        assert is_in(client)
        user = User.objects.get()
        assert (user.username, user.has_usable_password()) == ("octo", False)
        assert EmailAddress.objects.get().verified
        assert not SocialToken.objects.exists()
        assert is_framed(client.get("/account/password/set/"))

    def test_makes_none_while_signing_up_is_closed(self, client: Client, settings: Settings) -> None:
        settings.SIGNUP_OPEN = False
        assert "by invitation" in read(come_back(client)).words
        assert not User.objects.exists()

    def test_an_invitation_opens_one_account_by_github_too(self, client: Client, settings: Settings) -> None:
        settings.SIGNUP_OPEN = False
        _, token = invite(lead=make_project(), roles=[Role.ANNOTATOR])
        client.get(reverse("labeling:join", args=[token]))
        come_back(client)
        assert is_in(client)
        assert Invitation.objects.get().accounts_left == 0

    def test_does_not_open_an_account_that_has_the_same_address(self, client: Client) -> None:
        user = make_user("octo")
        response = come_back(client)
        assert not is_in(client)
        assert is_framed(response)
        assert not SocialAccount.objects.filter(user=user).exists()

    def test_connects_it_from_within_and_disconnects_it_again(self) -> None:
        make_user()
        client = logged_in()
        confirm_password(client, "/account/2fa/app/on/")
        assert "You can now log in with GitHub" in read(come_back(client, "connect")).words
        assert is_in_by_github()
        account = SocialAccount.objects.get()
        page = read(client.post("/account/connections/", {"account": account.pk}, follow=True))
        assert "The account is disconnected" in page.words
        assert not SocialAccount.objects.exists()

    def test_without_a_password_the_last_way_in_stays(self, client: Client) -> None:
        come_back(client)
        response = client.post("/account/connections/", {"account": SocialAccount.objects.get().pk})
        assert "Set a password first" in read(response).words
        assert SocialAccount.objects.exists()


def is_in_by_github() -> bool:
    """Say whether GitHub alone opens the account in another browser."""
    client = Client()
    come_back(client)
    return is_in(client)
