"""Guessing at accounts is slowed down, and strangers who guess shut nobody out."""

import time
from collections.abc import Callable

import environ
import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.http.response import HttpResponseBase
from django.test import Client
from pytest_django import Settings

from config.limits import rate_limits
from tests.kb.web.people import PASSWORD, confirm_password, is_in, log_in, mailed_path, make_user, totp
from tests.kb.web.reading import read

pytestmark = [pytest.mark.django_db, pytest.mark.drill("Guessing shuts no owner out, and is slowed down")]

NEW = "nine lamps in a row"


def browser(address: str = "192.0.2.1") -> Client:
    """A new browser at an address."""
    return Client(REMOTE_ADDR=address)


def guess(client: Client, times: int, name: str = "ada") -> HttpResponseBase:
    """Try wrong passwords; the last answer."""
    return [log_in(client, name, "wrong") for _ in range(times)][-1]


def attack_from_many(name: str = "ada") -> None:
    """One wrong password from each of a hundred addresses, and no more."""
    for number in range(100):
        guess(browser(f"203.0.113.{number}"), 1, name)


def ask_for_reset(client: Client) -> HttpResponseBase:
    """Ask for the mail with a link."""
    return client.post("/account/password/reset/", {"email": "ada@example.org"})


@pytest.fixture(autouse=True)
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """A clock that stands still until it is put on by so many seconds."""
    now = [time.time()]
    monkeypatch.setattr(time, "time", lambda: now[0])

    def put_on(seconds: float) -> None:
        now[0] += seconds

    return put_on


class TestOneStranger:
    def test_is_told_when_to_try_again(self) -> None:
        make_user()
        client = browser()
        assert guess(client, 5).status_code == 200
        response = log_in(client)
        assert (response.status_code, response.headers["Retry-After"]) == (429, "60")
        page = read(response)
        assert "Try again in a minute" in page.words
        assert "/account/password/reset/" in page.links
        assert not is_in(client)

    def test_waits_longer_each_time(self, later: Callable[[float], None]) -> None:
        make_user()
        client, waits = browser(), []
        for _ in range(25):
            response = guess(client, 1)
            if response.status_code == 429:
                waits.append(int(response.headers["Retry-After"]))
                later(waits[-1])
        assert waits[0] == 60
        assert 3000 < waits[1] <= 3600
        assert 80_000 < max(waits) <= 86_400

    def test_does_not_make_it_worse_by_asking_too_early(self, later: Callable[[float], None]) -> None:
        make_user()
        client = browser()
        assert guess(client, 30).status_code == 429
        later(60)
        assert log_in(client).status_code == 302

    def test_cannot_shut_the_owner_out(self) -> None:
        make_user()
        assert guess(browser("203.0.113.1"), 30).status_code == 429
        owner = browser("198.51.100.1")
        assert log_in(owner).status_code == 302

    def test_cannot_shut_an_administrator_out(self) -> None:
        make_user("root", is_staff=True, is_superuser=True)
        assert guess(browser("203.0.113.1"), 30, "root").status_code == 429
        owner = browser("198.51.100.1")
        assert log_in(owner, "root", next="/admin/").headers["Location"] == "/admin/"
        assert owner.get("/admin/").status_code == 200

    def test_cannot_guess_at_everybody_from_one_address(self) -> None:
        client = browser()
        for number in range(50):
            assert guess(client, 1, f"name{number}").status_code == 200
        assert guess(client, 1, "name50").status_code == 429

    @pytest.mark.parametrize("spelling", ["ADRIAN", "adr\u0131an", " adrian "])
    def test_gains_nothing_by_another_spelling(self, spelling: str) -> None:
        client = browser()
        guess(client, 5, "adrian")
        assert guess(client, 1, spelling).status_code == 429

    def test_learns_nothing_by_what_is_limited_together(self) -> None:
        make_user()
        client = browser()
        guess(client, 5, "ada")
        assert guess(client, 1, "ada@example.org").status_code == 200


class TestClassroom:
    """Forty people behind one address."""

    def test_gets_in_although_everybody_mistypes_once(self) -> None:
        names = [f"pupil{number}" for number in range(40)]
        for name in names:
            make_user(name)
        browsers = {name: browser() for name in names}
        assert {guess(browsers[name], 1, name).status_code for name in names} == {200}
        assert {log_in(browsers[name], name).status_code for name in names} == {302}

    def test_signs_up_at_once(self) -> None:
        answers = []
        for number in range(40):
            name = f"pupil{number}"
            sent = {"username": name, "email": f"{name}@example.org", "password1": PASSWORD, "password2": PASSWORD}
            answers.append(browser().post("/account/signup/", sent).status_code)
        assert set(answers) == {302}


class TestSettings:
    def test_say_how_many_tries_there_are(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LOGIN_TRIES", "2/m")
        settings.ACCOUNT_RATE_LIMITS = rate_limits(environ.Env())
        client = browser()
        assert [guess(client, 1).status_code for _ in range(3)] == [200, 200, 429]

    @pytest.mark.parametrize("rates", ["5", "0/m", "5/year", "5/m,", "many/m", "5/m/ip"])
    def test_that_nobody_understands_are_refused_at_the_start(
        self, monkeypatch: pytest.MonkeyPatch, rates: str
    ) -> None:
        monkeypatch.setenv("LOGIN_TRIES_FROM_ADDRESS", rates)
        with pytest.raises(ImproperlyConfigured, match=rates):
            rate_limits(environ.Env())


class TestManyStrangers:
    def test_get_one_try_each_once_there_are_many(self) -> None:
        make_user()
        attack_from_many()
        late = browser("198.51.100.9")
        assert [guess(late, 1).status_code for _ in range(2)] == [200, 429]

    def test_do_not_shut_out_an_owner_who_comes_from_elsewhere(self) -> None:
        make_user()
        attack_from_many()
        assert log_in(browser("198.51.100.1")).status_code == 302


class TestKnownDevice:
    def test_is_not_held_back_by_who_guesses_at_its_own_address(self) -> None:
        make_user()
        owner = browser()
        log_in(owner)
        owner.post("/account/logout/")
        for number in range(50):
            guess(browser(), 1, f"name{number}")
        assert guess(browser(), 5).status_code == 429
        assert log_in(browser()).status_code == 429
        assert log_in(owner, "ada@example.org").status_code == 302

    def test_has_only_so_many_tries_itself(self) -> None:
        make_user()
        owner = browser()
        log_in(owner)
        owner.post("/account/logout/")
        assert guess(owner, 5).status_code == 200
        assert log_in(owner).status_code == 429

    def test_is_known_to_its_own_account_alone(self) -> None:
        make_user()
        make_user("bob")
        thief = browser()
        log_in(thief, "bob")
        thief.post("/account/logout/")
        guess(browser(), 5)
        assert log_in(thief).status_code == 429

    def test_is_forgotten_with_the_password(self) -> None:
        user = make_user()
        thief = browser()
        log_in(thief)
        thief.post("/account/logout/")
        user.set_password(NEW)
        user.save()
        guess(browser(), 5)
        assert guess(thief, 1).status_code == 429

    def test_is_told_to_account_pages_alone(self) -> None:
        make_user()
        cookie = log_in(browser()).cookies["device"]
        assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == ("/account/", True, "Lax")


class TestReset:
    def test_is_limited_with_the_time_to_wait(self) -> None:
        client = browser()
        for _ in range(5):
            assert ask_for_reset(client).status_code == 302
        response = ask_for_reset(client)
        assert (response.status_code, response.headers["Retry-After"]) == (429, "60")
        assert len(mail.outbox) == 5

    def test_works_for_the_owner_while_a_stranger_floods(self) -> None:
        make_user()
        stranger, owner = browser("203.0.113.1"), browser("198.51.100.1")
        for _ in range(7):
            ask_for_reset(stranger)
        assert ask_for_reset(owner).status_code == 302
        assert len(mail.outbox) == 6

    def test_lets_somebody_in_who_had_guessed_too_often(self) -> None:
        make_user()
        client = browser()
        guess(client, 6)
        ask_for_reset(client)
        form = client.get(mailed_path()).headers["Location"]
        client.post(form, {"password1": NEW, "password2": NEW})
        assert log_in(client, password=NEW).status_code == 302


class TestSecondFactor:
    @pytest.fixture
    def secret(self) -> str:
        """The key of the app that somebody set up."""
        secret = "JBSWY3DPEHPK3PXP"
        TOTP.activate(make_user(), secret)
        return secret

    def test_codes_are_limited_with_the_time_to_wait(self, secret: str) -> None:
        client = browser()
        log_in(client)
        for _ in range(5):
            assert client.post("/account/2fa/authenticate/", {"code": "1"}).status_code == 200
        response = client.post("/account/2fa/authenticate/", {"code": totp(secret)})
        assert (response.status_code, response.headers["Retry-After"]) == (429, "60")
        assert not is_in(client)

    def test_a_stranger_with_the_password_does_not_shut_the_owner_out(self, secret: str) -> None:
        stranger, owner = browser("203.0.113.1"), browser("198.51.100.1")
        log_in(stranger)
        for _ in range(7):
            stranger.post("/account/2fa/authenticate/", {"code": "1"})
        log_in(owner)
        assert owner.post("/account/2fa/authenticate/", {"code": totp(secret)}).status_code == 302
        assert is_in(owner)
        assert Authenticator.objects.filter(type="totp").exists()


def test_the_password_that_is_asked_for_again_is_limited_too() -> None:
    make_user()
    client = browser()
    log_in(client)
    for _ in range(5):
        assert client.post("/account/reauthenticate/", {"password": "wrong"}).status_code == 200
    assert client.post("/account/reauthenticate/", {"password": "wrong"}).status_code == 429


def test_what_allauth_limits_by_itself_says_when_to_try_again_too() -> None:
    make_user()
    client = browser()
    log_in(client)
    confirm_password(client, "/account/2fa/app/on/")
    for _ in range(10):
        client.post("/account/email/", {"email": "x@example.org", "action_primary": ""})
    response = client.post("/account/email/", {"email": "x@example.org", "action_primary": ""})
    assert (response.status_code, response.headers["Retry-After"]) == (429, "60")
    assert "Try again in a minute" in read(response).words
