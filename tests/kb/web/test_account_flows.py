"""What people do with their accounts: sign up, log in, forget, prove."""

import pytest
from allauth.account.models import EmailAddress
from django.conf import global_settings
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from pytest_django import Settings

from config import settings as product
from tests.kb.web.people import PASSWORD, confirm_password, is_in, log_in, logged_in, mailed_path, make_user
from tests.kb.web.reading import read

pytestmark = pytest.mark.django_db

NEW = "nine lamps in a row"
SIGN_UP = {"username": "ada", "email": "ada@example.org", "password1": PASSWORD, "password2": PASSWORD}


def counted_hashing(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that grows by one entry with each password that is hashed."""
    work: list[str] = []
    encode = MD5PasswordHasher.encode

    def counted(hasher: MD5PasswordHasher, password: str, salt: str) -> str:
        work.append(salt)
        return encode(hasher, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
    return work


class TestLogIn:
    @pytest.mark.parametrize("name", ["ada", "ada@example.org"])
    def test_takes_the_user_name_or_the_address(self, client: Client, name: str) -> None:
        make_user()
        assert log_in(client, name).headers["Location"] == "/account/"
        assert is_in(client)

    @pytest.mark.parametrize(("known", "unknown"), [("ada", "bob"), ("ada@example.org", "bob@example.org")])
    def test_a_wrong_password_and_an_unknown_name_are_answered_alike(
        self, client: Client, known: str, unknown: str
    ) -> None:
        make_user()
        pages = []
        for name in (known, unknown):
            response = log_in(client, name, "not the password")
            assert response.status_code == 200
            pages.append(read(response))
        assert pages[0].words == pages[1].words
        assert "do not belong together" in pages[0].words

    def test_takes_a_password_that_was_hashed_with_much_work(self, client: Client, settings: Settings) -> None:
        settings.PASSWORD_HASHERS = getattr(product, "PASSWORD_HASHERS", global_settings.PASSWORD_HASHERS)
        hashed = make_user().password.split("$")
        assert (hashed[0], int(hashed[1]) >= 1_000_000) == ("pbkdf2_sha256", True)
        assert log_in(client).status_code == 302

    def test_takes_as_much_work_for_an_unknown_name(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        make_user()
        work = counted_hashing(monkeypatch)
        for name in ("ada", "bob", "ada@example.org", "bob@example.org"):
            work.clear()
            log_in(client, name, "not the password")
            assert len(work) == 1, name

    @pytest.mark.parametrize(
        ("target", "expected"),
        [
            ("/map/?axis=symptom", "/map/?axis=symptom"),
            ("https://evil.example/", "/account/"),
            ("//evil.example/", "/account/"),
            ("https:evil.example", "/account/"),
            ("javascript:alert(1)", "/account/"),
        ],
    )
    def test_leads_on_only_within_this_site(self, client: Client, target: str, expected: str) -> None:
        make_user()
        assert log_in(client, next=target).headers["Location"] == expected

    def test_is_remembered_only_when_asked_for(self, client: Client) -> None:
        make_user()
        assert not log_in(client).cookies["sessionid"]["max-age"]
        assert log_in(Client(), remember="on").cookies["sessionid"]["max-age"] == 14 * 24 * 3600

    def test_a_closed_account_stays_out(self, client: Client) -> None:
        make_user(is_active=False)
        response = client.post("/account/login/", {"login": "ada", "password": PASSWORD}, follow=True)
        assert "This account is closed" in read(response).words
        assert not is_in(client)


class TestSignUp:
    def test_makes_an_account_and_sends_a_link(self, client: Client) -> None:
        make_user("root", is_staff=True)
        assert client.post("/account/signup/", SIGN_UP).headers["Location"] == "/account/"
        assert is_in(client)
        assert "not confirmed" in read(client.get("/account/")).words
        client.post(mailed_path())
        assert EmailAddress.objects.get(email="ada@example.org").verified

    def test_the_first_account_of_a_local_site_is_staff_and_no_other(self, client: Client) -> None:
        client.post("/account/signup/", SIGN_UP)
        bob = SIGN_UP | {"username": "bob", "email": "bob@example.org"}
        Client().post("/account/signup/", bob)
        rights = User.objects.order_by("pk").values_list("username", "is_staff", "is_superuser")
        assert list(rights) == [("ada", True, True), ("bob", False, False)]

    def test_elsewhere_nobody_becomes_staff_by_signing_up(self, client: Client, settings: Settings) -> None:
        settings.LOCAL = False
        client.post("/account/signup/", SIGN_UP)
        assert not User.objects.get().is_staff

    def test_is_closed_unless_opened(self, client: Client, settings: Settings) -> None:
        settings.SIGNUP_OPEN = False
        assert "by invitation" in read(client.post("/account/signup/", SIGN_UP)).words
        assert not User.objects.exists()
        page = read(client.get("/account/login/"))
        assert "/account/signup/" not in page.links

    def test_in_production_the_address_is_proved_first(self, client: Client, settings: Settings) -> None:
        settings.LOCAL, settings.ACCOUNT_EMAIL_VERIFICATION = False, "mandatory"
        response = client.post("/account/signup/", SIGN_UP, follow=True)
        assert "Check your e-mail" in read(response).words
        assert not is_in(client)
        path = mailed_path()
        assert "belong to the user ada" in read(client.get(path)).words
        assert client.post(path).headers["Location"] == "/account/login/"
        assert log_in(client).headers["Location"] == "/account/"

    @pytest.mark.drill("Sign-up does not tell who has an account")
    def test_does_not_tell_who_has_an_account(self, client: Client, settings: Settings) -> None:
        settings.LOCAL, settings.ACCOUNT_EMAIL_VERIFICATION = False, "mandatory"
        make_user("bob")
        answers = []
        for address in ("bob@example.org", "new@example.org"):
            response = client.post("/account/signup/", SIGN_UP | {"email": address}, follow=True)
            answers.append(read(response).words.replace(address, "the address"))
        assert answers[0] == answers[1]
        assert [message.subject for message in mail.outbox] == [
            "[Faultbook] You have an account already",
            "[Faultbook] Confirm your e-mail address",
        ]

    @pytest.mark.drill("Sign-up does not tell who has an account")
    def test_takes_as_much_work_for_an_address_that_has_an_account(
        self, client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.LOCAL, settings.ACCOUNT_EMAIL_VERIFICATION = False, "mandatory"
        make_user("bob")
        work = counted_hashing(monkeypatch)
        for address in ("bob@example.org", "new@example.org"):
            work.clear()
            mail.outbox.clear()
            client.post("/account/signup/", SIGN_UP | {"email": address})
            assert (len(work), len(mail.outbox)) == (1, 1), address

    def test_a_weak_password_is_refused_with_its_reason(self, client: Client) -> None:
        response = client.post("/account/signup/", SIGN_UP | {"password1": "12345678", "password2": "12345678"})
        assert "too common" in read(response).words
        assert not User.objects.exists()


class TestPassword:
    def test_is_set_anew_by_a_link_in_a_mail(self, client: Client) -> None:
        make_user()
        client.post("/account/password/reset/", {"email": "ada@example.org"})
        path = mailed_path()
        form = client.get(path).headers["Location"]
        assert client.post(form, {"password1": NEW, "password2": NEW}).status_code == 302
        assert log_in(Client(), password=PASSWORD).status_code == 200
        assert log_in(Client(), password=NEW).status_code == 302
        assert "This link does not work" in read(Client().get(path)).words
        assert mail.outbox[-1].subject == "[Faultbook] Your password was changed"

    def test_asking_for_it_does_not_tell_who_has_an_account(self, client: Client) -> None:
        make_user()
        answers = []
        for address in ("ada@example.org", "nobody@example.org"):
            response = client.post("/account/password/reset/", {"email": address}, follow=True)
            answers.append((response.redirect_chain, read(response).words))
        assert answers[0] == answers[1]
        assert len(mail.outbox) == 2
        assert "http" not in mail.outbox[1].body

    def test_changing_it_ends_all_other_sessions(self) -> None:
        make_user()
        here, there = logged_in(), logged_in()
        form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
        here.post("/account/password/change/", form)
        assert is_in(here)
        assert not is_in(there)

    def test_changing_it_takes_the_current_one(self) -> None:
        make_user()
        form = {"oldpassword": "wrong", "password1": NEW, "password2": NEW}
        assert "not your current password" in read(logged_in().post("/account/password/change/", form)).words

    def test_a_mail_server_that_is_down_does_not_hide_the_change(
        self, settings: Settings, caplog: pytest.LogCaptureFixture
    ) -> None:
        make_user()
        client = logged_in()
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
        form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
        assert client.post("/account/password/change/", form).status_code == 302
        assert "No mail was sent about account/email/password_changed" in caplog.text


class TestAddresses:
    def test_another_one_is_added_confirmed_and_made_the_main_one(self) -> None:
        user = make_user()
        client = logged_in()
        confirm_password(client, "/account/2fa/app/on/")
        client.post("/account/email/", {"email": "lovelace@example.org", "action_add": ""})
        assert "lovelace@example.org not confirmed" in read(client.get("/account/email/")).words
        client.post(mailed_path())
        client.post("/account/email/", {"email": "lovelace@example.org", "action_primary": ""})
        user.refresh_from_db()
        assert user.email == "lovelace@example.org"
        client.post("/account/email/", {"email": "ada@example.org", "action_remove": ""})
        assert list(EmailAddress.objects.values_list("email", "verified")) == [("lovelace@example.org", True)]

    def test_changing_them_asks_for_the_password_first(self) -> None:
        make_user()
        response = logged_in().post("/account/email/", {"email": "evil@example.org", "action_add": ""})
        assert response.headers["Location"].startswith("/account/reauthenticate/")
        assert EmailAddress.objects.count() == 1
